//! Each kind of step: whether it is fulfilled, and what to do next if not.

mod control;
mod text;
mod way;

use super::note::Note;
use super::task::{Step, Task};
use super::view::{View, Window, client, within};
use super::words::{self, alike, is};
use crate::eye::Line;
use control::{apply, choose, confirm, fill, page, press, prompt, row, to_end, turn};
use handsight_base::space::{FramePx, FrameRect};
pub(super) use text::value_of;
use text::{add_line, compute, menu_item, save, save_as, type_text};

/// What the hands do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hands {
    Look,
    Click(FramePx),
    DoubleClick(FramePx),
    RightClick(FramePx),
    Drag(FramePx, FramePx),
    Type(String),
    Keys(String),
    Scroll(i32),
}

/// What comes of looking at a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Go {
    Do {
        hands: Hands,
        did: &'static str,
        words: String,
    },
    /// The step is fulfilled.
    Next,
    /// All is.
    Done,
}

fn go(hands: Hands, did: &'static str, words: impl Into<String>) -> Go {
    Go::Do { hands, did, words: words.into() }
}

fn click(at: FramePx, did: &'static str, words: impl Into<String>) -> Go {
    go(Hands::Click(at), did, words)
}

fn look(words: impl Into<String>) -> Go {
    go(Hands::Look, "look", words)
}

/// Where to click on a text so that the pointer does not cover it on the next picture.
fn on(line: &FrameRect) -> FramePx {
    FramePx::new((line.right() - 2) as i32, (line.bottom() - 2) as i32)
}

/// A place in a box that is most likely free of text.
fn low_right(area: &FrameRect) -> FramePx {
    FramePx::new((area.right() - 10) as i32, (area.bottom() - 5) as i32)
}

/// Takes down what will be needed later, while it is in sight.
pub(super) fn keep(task: &Task, view: &View<'_>, note: &mut Note) {
    if note.kept.is_some() {
        return;
    }
    for step in &task.steps {
        let Step::TypeShown { label, .. } = step else { continue };
        let shown = view.scene.lines.iter().find_map(|line| {
            let (name, value) = line.text.split_once(':')?;
            is(name, label).then(|| value.trim().to_owned())
        });
        note.kept = shown.filter(|value| !value.is_empty() && !value.contains(words::UNREAD));
    }
}

/// The message that may come at any time, if it is there.
pub(super) fn message(task: &Task, view: &View<'_>) -> Option<Go> {
    let (about, answer) = task.message.as_ref()?;
    let window = view.active()?;
    let button = view.find_in(client(window), answer).filter(|_| says(window, about, view))?;
    Some(click(on(&button.area), "answer", format!("a message: \"{answer}\"")))
}

/// Whether a window speaks about this.
fn says(window: &Window, about: &str, view: &View<'_>) -> bool {
    let said = view.text_in(window.area).to_lowercase();
    about
        .split(' ')
        .filter(|word| word.len() > 3)
        .any(|word| said.split_whitespace().any(|seen| alike(seen.trim_matches(['.', ',', '?']), word) > 0.8))
}

/// Messages that are there: the one in front first, then any that is in sight.
fn messages(pairs: &[(String, String)], view: &View<'_>) -> Go {
    let seen = |window: &&Window| pairs.iter().any(|(about, _)| says(window, about, view));
    let Some(window) = view.active().filter(|w| seen(w)).or_else(|| view.windows.iter().find(seen)) else {
        return Go::Next;
    };
    // Of what overlaps, words of another one may be in reach: both must fit.
    let button = pairs
        .iter()
        .filter(|(about, _)| says(window, about, view))
        .find_map(|(_, answer)| view.find_in(client(window), answer));
    match button {
        Some(button) => click(on(&button.area), "answer", format!("answered \"{}\"", button.text)),
        None => click(low_title(window), "front", "the next message"),
    }
}

/// A window fills the screen, or leaves it, by the buttons of its title bar: each as wide as the one that closes it.
fn sized(title: &str, whole: bool, view: &View<'_>, note: &Note) -> Go {
    let did = if whole { "grow" } else { "hide" };
    let Some(window) = view.titled(title) else {
        return match view.task_button(title) {
            Some(button) if note.did != did => {
                click(on(&button.area), "task", format!("\"{title}\" to the front"))
            }
            _ => Go::Next,
        };
    };
    let fills = window.bar.size.width * 10 > view.scene.screen.width * 8;
    if whole && note.did == did && (fills || note.tries > 2) {
        return Go::Next;
    }
    let wide = 2 * (window.bar.right() as i32 - window.close.x);
    let at = window.close.offset(if whole { -wide } else { -2 * wide }, 0);
    click(at, did, format!("\"{title}\""))
}

/// Looks at one step.
pub(super) fn step(step: &Step, view: &View<'_>, note: &Note) -> Go {
    match step {
        Step::Program(name) => program(name, view, note),
        Step::Path { path, entry } => path_step(path, entry.as_deref(), view, note),
        Step::Type(text) => type_text(text, view, note),
        Step::TypeShown { window, .. } => match &note.kept {
            Some(text) => type_text(text, view, note),
            None => front(window, view, note),
        },
        Step::AddLine(text) => add_line(text, view, note),
        Step::Save => save(view, note),
        Step::SaveAs(name) => save_as(name, view, note),
        Step::Menu(menu, item) => menu_item(menu, item, view, note),
        Step::Item { menu, item } => menu_item(&[menu], &[item], view, note),
        Step::Messages(pairs) => messages(pairs, view),
        Step::Answer(pairs) => answer(pairs, view),
        Step::Compute(sum) => compute(sum, view, note),
        Step::ToEnd => to_end(view, note),
        Step::Press(name) => press(&[name], view, note),
        // A question comes of it, with a button of the same name perhaps: pressed once.
        Step::PressAny(_) if note.did == "press" => Go::Next,
        Step::PressAny(names) => press(names, view, note),
        Step::Confirm(names) => confirm(names, view, note),
        Step::Page(name) => page(name, view, note),
        Step::Turn { name, on } => turn(name, *on, view, note),
        Step::Choose { value, name } => choose(value, name, view, note),
        Step::Fill { name, value } => fill(name, value, view, note),
        Step::Apply => apply(view, note),
        Step::Row(name) => row(name, view, note),
        Step::Prompt(text) => prompt(text, view, note),
        Step::Close { title, answer } => close(title, answer.as_deref(), view, note),
        Step::Front(title) => front(title, view, note),
        Step::Sized { title, whole } => sized(title, *whole, view, note),
        Step::Keys(chord) => way::keys(chord, note),
        Step::Command(name) => way::command(name, view, note),
        Step::TypeThere(text) => way::type_there(text, note),
        Step::NameThere(name) => way::name_there(name, note),
        Step::CloseByKeys { title, chord } => way::close_by_keys(title, chord, view, note),
        Step::FrontByKeys { title, chord } => way::front_by_keys(title, chord, view),
        Step::MenuOf { file, item } => way::menu_of(file.as_deref(), item, view, note),
        Step::Icon(name) => way::icon(name, view),
        Step::Twice(name) => way::twice(name, view, note),
        Step::Carry { name, to } => way::carry(name, to, view, note),
        Step::CarryOver { name, from, to } => way::carry_over(name, [from, to], view, note),
        Step::OtherDisplay(title) => way::to_other_display(title, view, note),
        Step::Slide { name, to } => way::slide(name, *to, view, note),
    }
}

/// Whether a title is that of a program: its name, or its name after a dash.
fn of_program(window: &Window, name: &str) -> bool {
    let title = window.title.trim_start_matches('*');
    is(title, name) || title.rsplit_once(" - ").is_some_and(|(_, program)| is(program, name))
}

fn program(name: &str, view: &View<'_>, note: &Note) -> Go {
    if view.active().is_some_and(|w| of_program(w, name)) {
        return Go::Next;
    }
    if note.did != "item" {
        // It may be open already, behind others.
        if let Some(window) = view.windows.iter().find(|w| of_program(w, name)) {
            return click(low_title(window), "front", format!("\"{name}\" to the front"));
        }
        if let Some(button) = view.task_button(name) {
            return click(on(&button.area), "front", format!("\"{name}\" to the front"));
        }
    }
    start_item(&[name], view, note)
}

/// A place on a title bar that is no button.
fn low_title(window: &Window) -> FramePx {
    let x =
        (window.label.right() + 6).min(i64::from(window.close.x) - 90).max(i64::from(window.label.origin.x));
    FramePx::new(x as i32, window.bar.center().y)
}

/// An entry of the start menu.
fn start_item(names: &[&str], view: &View<'_>, note: &Note) -> Go {
    if note.did == "start"
        && let Some(item) = view.any_menu_item(names)
    {
        return click(on(&item.area), "item", format!("\"{}\" in the start menu", item.text));
    }
    if note.did == "item" && note.tries < 2 {
        return go(Hands::Look, "item", "it should open");
    }
    match start_button(view) {
        Some(at) => {
            click(at, "start", format!("look for \"{}\" there", names.first().copied().unwrap_or_default()))
        }
        None => look("no start button to be seen"),
    }
}

/// The button at the beginning of the task bar: by its word, or where it must be if the note covers it.
fn start_button(view: &View<'_>) -> Option<FramePx> {
    let bar = view.taskbar?;
    let named = view.lines_in(bar).find(|line| words::START.iter().any(|word| is(&line.text, word)));
    let corner = FramePx::new(bar.origin.x + 12, bar.origin.y + bar.size.height.min(44) as i32 / 2);
    Some(named.map_or(corner, |line| on(&line.area)))
}

fn path_step(path: &str, entry: Option<&str>, view: &View<'_>, note: &Note) -> Go {
    let name = path.rsplit('/').next().unwrap_or(path);
    let opened =
        |w: &Window| w.title.trim_start_matches('*').split(" - ").next().is_some_and(|first| is(first, name));
    if view.active().is_some_and(opened) && (entry.is_none() || note.did == "path") {
        return Go::Next;
    }
    let named: Vec<&str> = entry.map_or_else(|| words::RUN.to_vec(), |entry| vec![entry]);
    let asks = view.active().filter(|w| named.iter().any(|name| is(&w.title, name)));
    if let Some(dialog) = asks {
        let area = client(dialog);
        return match view.caret_in(area) {
            Some(_) if note.did != "path" => go(Hands::Type(format!("{path}\n")), "path", "it should open"),
            _ => match field_in(area, view) {
                Some(field) => click(low_right(&field), "field", "to type the path there"),
                None => look("no field to be seen"),
            },
        };
    }
    if note.did == "path" && note.tries < 2 {
        return go(Hands::Look, "path", "it should open");
    }
    start_item(&named, view, note)
}

/// The box of one line that is written into: of the lightest or darkest ground, and wide.
fn field_in(area: FrameRect, view: &View<'_>) -> Option<FrameRect> {
    let depth = |color: u32| {
        let [_, r, g, b] = color.to_be_bytes().map(i32::from);
        (r + g + b - 384).abs()
    };
    let fields = view.scene.panes.iter().filter(|p| within(&area, &p.area) && p.border.is_some());
    let fields = fields.filter(|p| (18..=44).contains(&p.area.size.height) && p.area.size.width >= 80);
    fields.max_by_key(|p| (depth(p.fill), p.area.size.width)).map(|p| p.area)
}

/// The largest box of several lines in an area.
/// Without a scroll bar at the right.
/// An item of a menu of the window in front.
/// The lowest line of these that can be pressed.
fn button<'a>(area: FrameRect, names: &[&str], view: &View<'a>) -> Option<&'a Line> {
    let hits = view.lines_in(area).filter(|line| names.iter().any(|name| is(&line.text, name)));
    hits.filter(|line| View::is_enabled(line)).max_by_key(|line| line.area.origin.y)
}

fn answer(pairs: &[(String, String)], view: &View<'_>) -> Go {
    let about = |window: &Window| {
        let said = view.text_in(client(window));
        let says =
            |name: &str| said.split(['"', ' ']).any(|word| is(word.trim_matches(['?', '.', '"']), name));
        // Else the window it lies over may tell.
        let over = |name: &str| {
            let below = view.windows.iter().filter(|w| !w.active && within(&w.area, &window.area));
            let first = |w: &Window| {
                w.title.trim_start_matches('*').split(" - ").next().unwrap_or_default().to_owned()
            };
            window.area.size.height < 260 && below.map(first).any(|title| is(&title, name))
        };
        pairs.iter().find(|(name, _)| says(name)).or_else(|| pairs.iter().find(|(name, _)| over(name)))
    };
    if let Some(window) = view.active()
        && let Some((_, answer)) = about(window)
        && let Some(button) = view.find_in(client(window), answer)
    {
        return click(on(&button.area), "answer", format!("answered \"{answer}\""));
    }
    // A question that is in sight but not in front.
    if let Some(window) = view.windows.iter().filter(|w| !w.active).find(|w| about(w).is_some()) {
        return click(low_title(window), "front", "the next question");
    }
    let open = pairs.iter().find_map(|(name, _)| {
        view.taskbar.and_then(|bar| {
            view.lines_in(bar).find(|line| {
                let title = line.text.trim_start_matches(['*', ' ']);
                words::alike_cut(title.split(" -").next().unwrap_or(title), name) >= words::SAME
            })
        })
    });
    match open {
        Some(line) => click(on(&line.area), "task", "the next question"),
        None => Go::Next,
    }
}

/// Turns the wheel to find something: down a few times, then up from the beginning.
/// A place in the right part of a window where a click does nothing: free ground beside a heading or between lines.
fn close(title: &str, answer: Option<&str>, view: &View<'_>, note: &Note) -> Go {
    if let (Some(answer), Some(window)) = (answer, view.active())
        && window.area.size.height < 260
        && let Some(button) = view.find_in(client(window), answer)
    {
        return click(on(&button.area), "answer", format!("answered \"{answer}\""));
    }
    if let Some(window) = view.titled(title) {
        return click(window.close, "close", format!("\"{title}\""));
    }
    match view.task_button(title) {
        Some(button) if note.did != "close" || note.tries > 1 => {
            click(on(&button.area), "front", format!("\"{title}\" to the front"))
        }
        Some(_) => go(Hands::Look, "close", "it should be gone"),
        None => Go::Next,
    }
}

fn front(title: &str, view: &View<'_>, _: &Note) -> Go {
    if view.is_active(title) {
        return Go::Next;
    }
    if let Some(window) = view.titled(title) {
        return click(low_title(window), "front", format!("\"{title}\" to the front"));
    }
    match view.task_button(title) {
        Some(button) => click(on(&button.area), "task", format!("\"{title}\" to the front")),
        None => look(format!("no window \"{title}\"")),
    }
}
