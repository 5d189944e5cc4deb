//! How this desk words things: the same meaning has other words on another seed, so that nobody learns a label by heart.
//! And what is set: a store of named values that programs and the desk itself read.

use crate::random::Random;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Meanings and the words for them. The first is the plainest.
#[rustfmt::skip]
const MEANINGS: &[(&str, &[&str])] = &[
    ("ok", &["OK", "Accept", "Confirm"]),
    ("cancel", &["Cancel", "Abort", "Back"]),
    ("yes", &["Yes", "Yes, do it"]),
    ("no", &["No", "No, don't"]),
    ("save", &["Save", "Store", "Keep"]),
    ("save as", &["Save As", "Store As", "Keep As"]),
    ("dont save", &["Don't Save", "Discard", "Drop Changes"]),
    ("open", &["Open", "Load"]),
    ("new", &["New", "Create"]),
    ("close", &["Close", "Quit", "Exit"]),
    ("file", &["File", "Document"]),
    ("edit", &["Edit", "Change"]),
    ("view", &["View", "Look"]),
    ("help", &["Help", "Info"]),
    ("about", &["About", "About this program"]),
    ("undo", &["Undo", "Take Back"]),
    ("redo", &["Redo", "Do Again"]),
    ("cut", &["Cut"]),
    ("copy", &["Copy"]),
    ("paste", &["Paste", "Insert"]),
    ("delete", &["Delete", "Remove", "Erase"]),
    ("rename", &["Rename", "Change Name"]),
    ("select all", &["Select All", "Mark All"]),
    ("name", &["Name", "File name", "Called"]),
    ("folder", &["Folder", "Directory"]),
    ("new folder", &["New Folder", "Create Folder"]),
    ("up", &["Up", "Parent"]),
    ("size", &["Size", "Length"]),
    ("apply", &["Apply", "Use now", "Set"]),
    ("run", &["Run", "Execute", "Start Program"]),
    ("run prompt", &["Type the name of a program or file to open:", "What should be started?", "Program or file:"]),
    ("start", &["Start", "Menu", "Apps"]),
    ("untitled", &["Untitled", "Nameless", "New text"]),
    ("ask save", &["Do you want to save the changes to", "Keep the changes made to", "Store the changes of"]),
    ("ask replace", &["exists already. Replace it?", "is there already. Overwrite it?"]),
    ("minimise all", &["Show Desktop", "Hide All Windows"]),
    ("restore", &["Restore", "Bring Back"]),
    ("minimise", &["Minimise", "Hide"]),
    ("maximise", &["Maximise", "Fill Screen"]),
    ("not found", &["cannot be found. Check the name and try again.", "is not known here. Check how it is spelled."]),
    ("word wrap", &["Word Wrap", "Wrap Lines"]),
    ("all keys", &["All keys", "Keyboard"]),
    ("history", &["History", "Computed so far", "Tape"]),
    ("no history", &["Nothing computed yet.", "No results so far."]),
    ("copy result", &["Copy Result", "Copy Number"]),
    ("clear history", &["Clear History", "Empty Tape"]),
    ("divide by zero", &["Cannot divide by zero", "Division by zero"]),
    ("too large", &["Too large", "Out of range"]),
    ("computer", &["Computer", "Home", "All Files"]),
    ("kind", &["Type", "Kind"]),
    ("item", &["item", "thing"]),
    ("items", &["items", "things"]),
    ("selected", &["selected", "marked"]),
    ("new name", &["New name:", "Call it:"]),
    ("ask delete", &["Really delete", "Do you want to remove", "Erase for good:"]),
    ("move", &["Move", "Move here"]),
    ("ask apply", &["Some changes are not applied yet. Apply them now?", "There are changes that were not set. Use them now?"]),
    ("dont apply", &["Don't Apply", "Discard", "Drop Changes"]),
    ("applied", &["All changes are in use.", "Nothing waits to be applied."]),
    ("not applied", &["changes not applied yet", "changes wait"]),
    ("at once", &["Changes take effect at once.", "Every change is used immediately."]),
    ("submit", &["Submit", "Send Order", "Place Order"]),
    ("order form", &["New order", "Your order", "Order details"]),
    ("full name", &["Full name", "Customer name", "Your name"]),
    ("e-mail", &["E-mail", "E-mail address", "Mail address"]),
    ("quantity", &["Quantity", "Amount", "How many"]),
    ("product", &["Product", "Article", "Goods"]),
    ("delivery", &["Delivery", "Shipping"]),
    ("gift wrap", &["Gift wrap", "Wrap it as a gift"]),
    ("terms", &["I accept the terms of sale", "I have read the terms and accept them"]),
    ("need name", &["Please enter a name.", "A name is needed."]),
    ("need e-mail", &["Please enter an address such as ann@example.org.", "This is no e-mail address."]),
    ("need quantity", &["Please enter a whole number from 1 to 99.", "A number between 1 and 99 is needed."]),
    ("need product", &["Please choose one.", "Something must be chosen."]),
    ("need terms", &["Please accept the terms.", "The terms must be accepted first."]),
    ("check entries", &["Please check the entries", "Some entries are not right yet"]),
    ("ask discard", &["Discard what you have entered?", "Drop this order?"]),
    ("discard", &["Discard", "Drop it"]),
    ("checked", &["Checked", "I have read this", "Seen and checked"]),
    ("sent", &["has been sent. Thank you!", "was placed. Thank you!"]),
    ("agree", &["I Agree", "Accept Terms", "Confirm"]),
    ("decline", &["Decline", "I Do Not Agree", "Refuse"]),
    ("agreed", &["You have agreed. Thank you.", "Your consent was noted."]),
    ("declined", &["You have declined.", "You did not agree."]),
    ("read on", &["Please read to the end.", "Scroll down to the end to go on."]),
    ("end", &["End of the document", "You have reached the end"]),
    ("play", &["Play", "Start playing"]),
    ("pause", &["Pause", "Hold"]),
    ("previous", &["Previous", "Back one"]),
    ("next", &["Next", "Forward one"]),
    ("volume", &["Volume", "Loudness"]),
    ("mute", &["Mute", "Silent"]),
    ("track", &["Title", "Track"]),
    ("artist", &["Artist", "By"]),
    ("length", &["Length", "Time"]),
    ("nothing playing", &["Nothing is playing", "Stopped"]),
];

/// The words of one seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    seed: u64,
    chosen: BTreeMap<&'static str, &'static str>,
    programs: BTreeMap<&'static str, &'static str>,
}

impl Words {
    /// Words for all meanings, and names for the programs of `(key, names)`.
    pub fn new(
        seed: u64,
        programs: impl IntoIterator<Item = (&'static str, &'static [&'static str])>,
    ) -> Self {
        let choose = |(meaning, words): (&'static str, &'static [&'static str])| {
            let word = Random::of(seed, meaning).pick(words).copied().unwrap_or(meaning);
            (meaning, word)
        };
        Self {
            seed,
            chosen: MEANINGS.iter().copied().map(choose).collect(),
            programs: programs.into_iter().map(choose).collect(),
        }
    }

    /// The word for a meaning; the meaning itself if there is none, so that a missing line shows.
    pub fn get<'a>(&self, meaning: &'a str) -> &'a str {
        self.chosen.get(meaning).copied().unwrap_or(meaning)
    }

    /// Draws by lot what else differs by seed: which way a program arranges its parts, what a made-up text says. The same
    /// purpose draws the same.
    pub fn lot(&self, purpose: &str) -> Random {
        Random::of(self.seed, purpose)
    }

    /// What the program of this key is called here.
    pub fn program<'a>(&self, key: &'a str) -> &'a str {
        self.programs.get(key).copied().unwrap_or(key)
    }
}

/// Named values. The desk itself reads `theme` (`light`, `dark`), `accent`, `font` (13 to 16), `taskbar` (`bottom`, `top`,
/// `left`) and `clock` (`24`, `12`); programs may keep others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Settings {
    values: BTreeMap<String, String>,
    #[serde(default)]
    revision: u64,
}

impl Settings {
    pub fn get(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) == "on"
    }

    pub fn number(&self, name: &str) -> Option<i32> {
        self.get(name).parse().ok()
    }

    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        if self.get(name) != value {
            self.values.insert(name.to_owned(), value);
            self.revision += 1;
        }
    }

    pub const fn all(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// Counts up with every change.
    pub const fn revision(&self) -> u64 {
        self.revision
    }
}
