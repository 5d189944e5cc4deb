//! What a task asks for, one thing at a time. It holds the task's own words and refuses to know how a thing is done.

/// One thing to bring about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// A window of this program is in front.
    Program(String),
    /// A path given to the entry of the start menu that takes one, if the task names it; a window of that name is in front.
    Path {
        path: String,
        entry: Option<String>,
    },
    Type(String),
    /// What `window` shows behind this label is typed.
    TypeShown {
        label: String,
        window: String,
    },
    AddLine(String),
    Save,
    SaveAs(String),
    /// An item of a menu, each by any of its names.
    Menu(&'static [&'static str], &'static [&'static str]),
    /// The same with the names a task says.
    Item {
        menu: String,
        item: String,
    },
    /// Message boxes by what they are about, and their answers, in whatever order they are seen.
    Messages(Vec<(String, String)>),
    /// Questions by what they are about, and their answers, in whatever order they come.
    Answer(Vec<(String, String)>),
    Compute(String),
    ToEnd,
    Press(String),
    Page(String),
    Turn {
        name: String,
        on: bool,
    },
    Choose {
        value: String,
        name: String,
    },
    Fill {
        name: String,
        value: String,
    },
    Apply,
    Row(String),
    PressAny(&'static [&'static str]),
    /// A question with a button of any of these names.
    Confirm(&'static [&'static str]),
    Prompt(String),
    /// A window by its title, and what to answer if it asks.
    Close {
        title: String,
        answer: Option<String>,
    },
    Front(String),
    /// A window by its title fills the screen, or is seen on the task bar only.
    Sized {
        title: String,
        whole: bool,
    },
    /// Keys held together, struck once.
    Keys(String),
    /// A program, by its name in the dialog that keys have opened.
    Command(String),
    /// A text typed where the keys go, without a click.
    TypeThere(String),
    /// The same for the name that a dialog asks for.
    NameThere(String),
    CloseByKeys {
        title: String,
        chord: String,
    },
    FrontByKeys {
        title: String,
        chord: String,
    },
    /// An item of the menu of the right button: of a file, or of the desktop.
    MenuOf {
        file: Option<String>,
        item: String,
    },
    /// A program by a double click on its icon.
    Icon(String),
    /// A file of the list in front by a double click.
    Twice(String),
    /// A file is dragged into a folder of the same list.
    Carry {
        name: String,
        to: String,
    },
    /// A file is dragged from one window into another.
    CarryOver {
        name: String,
        from: String,
        to: String,
    },
    /// A window goes to the display where the task bar is not.
    OtherDisplay(String),
    /// A slider from 0 to 100.
    Slide {
        name: String,
        to: i32,
    },
}
