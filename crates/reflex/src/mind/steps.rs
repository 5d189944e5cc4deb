//! Each kind of step: whether it is fulfilled, and what to do next if not.

use super::note::Note;
use super::task::{Step, Task};
use super::view::{View, Window, client, within};
use super::words::{self, alike, is};
use crate::eye::Line;
use handsight_base::space::{FramePx, FrameRect};

/// What the hands do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hands {
    Look,
    Click(FramePx),
    Type(String),
    Scroll(i32),
}

/// What comes of looking at a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Go {
    Do { hands: Hands, did: &'static str, words: String },
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
    let area = client(window);
    let said = view.text_in(window.area).to_lowercase();
    let named = about.split(' ').filter(|word| word.len() > 3).any(|word| {
        said.split_whitespace().any(|seen| alike(seen.trim_matches(['.', ',', '?']), word) > 0.8)
    });
    let button = view.find_in(area, answer).filter(|_| named)?;
    Some(click(on(&button.area), "answer", format!("a message: \"{answer}\"")))
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
    let x = (window.label.right() + 6).min(i64::from(window.close.x) - 90).max(i64::from(window.label.origin.x));
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
        Some(at) => click(at, "start", format!("look for \"{}\" there", names.first().copied().unwrap_or_default())),
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
    let opened = |w: &Window| w.title.trim_start_matches('*').split(" - ").next().is_some_and(|first| is(first, name));
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
fn page_in(area: FrameRect, view: &View<'_>) -> Option<FrameRect> {
    let pages = view.scene.panes.iter().map(|p| p.area).filter(|a| within(&area, a) && a.size.height >= 60);
    pages.filter(|a| a.size.height + 8 < area.size.height).max_by_key(|a| a.size.area())
}

fn type_text(text: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    if view.find_in(area, text).is_some() {
        return Go::Next;
    }
    if view.caret_in(area).is_some() && note.did != "typed" {
        return go(Hands::Type(text.to_owned()), "typed", "it should stand there");
    }
    match page_in(area, view) {
        Some(page) => click(low_right(&inside(&page)), "spot", "to type there"),
        None => look("nothing to type into"),
    }
}

/// Without a scroll bar at the right.
fn inside(area: &FrameRect) -> FrameRect {
    FrameRect { size: handsight_base::space::Size::new(area.size.width.saturating_sub(20), area.size.height), ..*area }
}

fn add_line(text: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    if view.find_in(area, text).is_some() {
        return Go::Next;
    }
    let Some(page) = page_in(area, view) else { return look("no text to be seen") };
    if note.did == "end"
        && let Some(caret) = view.caret_in(page)
    {
        // Behind a letter a new line begins first; at the beginning of an empty one it need not.
        let behind = view.lines_in(page).any(|line| {
            let middle = caret.center().y;
            (line.area.origin.y - 4..line.area.bottom() as i32 + 4).contains(&middle)
        });
        let text = if behind { format!("\n{text}") } else { text.to_owned() };
        return go(Hands::Type(text), "typed", "it should stand at the end");
    }
    click(low_right(&inside(&page)), "end", "the end of the text")
}

fn unsaved(view: &View<'_>) -> bool {
    view.active().is_some_and(|w| w.title.starts_with('*'))
}

fn save(view: &View<'_>, note: &Note) -> Go {
    if note.did == "save" && !unsaved(view) {
        return Go::Next;
    }
    by_menu(words::FILE, words::SAVE, "save", view, note)
}

/// An item of a menu of the window in front.
fn by_menu(menu: &[&str], items: &[&str], did: &'static str, view: &View<'_>, note: &Note) -> Go {
    if note.did == "menu"
        && let Some(item) = view.any_menu_item(items)
    {
        return click(on(&item.area), did, format!("chose \"{}\"", item.text));
    }
    let Some(window) = view.active() else { return look("no window in front") };
    let top = FrameRect { size: handsight_base::space::Size::new(window.area.size.width, 50), ..client(window) };
    let title = menu.iter().find_map(|title| view.find_in(top, title));
    match title {
        Some(title) => click(on(&title.area), "menu", format!("look for \"{}\" there", items[0])),
        None => look(format!("no menu \"{}\"", menu[0])),
    }
}

fn menu_item(menu: &[&str], items: &[&str], view: &View<'_>, note: &Note) -> Go {
    if note.did == "chosen" {
        return Go::Next;
    }
    by_menu(menu, items, "chosen", view, note)
}

fn save_as(name: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(window) = view.active() else { return look("no window in front") };
    let first = window.title.trim_start_matches('*').split(" - ").next().unwrap_or_default();
    if is(first, name) && !unsaved(view) {
        return Go::Next;
    }
    let asks = words::SAVE_AS.iter().any(|title| is(&window.title, title));
    if asks {
        let area = client(window);
        if let Some(yes) = words::YES.iter().find_map(|yes| view.find_in(area, yes)) {
            return click(on(&yes.area), "yes", "the name is there already");
        }
        let typed = view.lines_in(area).filter(|line| is(&line.text, name)).max_by_key(|line| line.area.origin.y);
        let field = field_in(area, view);
        if let (Some(line), Some(field)) = (typed, field)
            && within(&field, &line.area)
        {
            return match button(area, words::SAVE, view) {
                Some(button) => click(on(&button.area), "ok", "the name is given"),
                None => go(Hands::Type("\n".to_owned()), "ok", "the name is given"),
            };
        }
        return match (view.caret_in(area), field) {
            (Some(_), _) if note.did != "name" => go(Hands::Type(name.to_owned()), "name", "the name"),
            (_, Some(field)) => click(low_right(&field), "field", "to give the name"),
            _ => look("no field for the name"),
        };
    }
    by_menu(words::FILE, words::SAVE_AS, "save", view, note)
}

/// The lowest line of these that can be pressed.
fn button<'a>(area: FrameRect, names: &[&str], view: &View<'a>) -> Option<&'a Line> {
    let hits = view.lines_in(area).filter(|line| names.iter().any(|name| is(&line.text, name)));
    hits.filter(|line| View::is_enabled(line)).max_by_key(|line| line.area.origin.y)
}

fn answer(pairs: &[(String, String)], view: &View<'_>) -> Go {
    let about = |window: &Window| {
        let said = view.text_in(client(window));
        pairs.iter().find(|(name, _)| {
            said.split(['"', ' ']).any(|word| is(word.trim_matches(['?', '.', '"']), name))
        })
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

fn compute(sum: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(result) = value_of(sum) else { return look("no sum that can be computed") };
    let Some(area) = view.client() else { return look("no window in front") };
    let shown = |line: &Line| is_number(&line.text, result);
    if note.did == "sum" && view.lines_in(area).any(shown) {
        return Go::Next;
    }
    if note.did == "sum" && note.tries > 1 {
        // Something else stands there: begin again.
        if let Some(clear) = view.find_in(area, "C") {
            return click(on(&clear.area), "zero", "to begin again");
        }
    }
    go(Hands::Type(format!("{sum}=")), "sum", format!("should show {result}"))
}

fn value_of(sum: &str) -> Option<i64> {
    let at = sum[1..].find(['+', '-', '*', '/'])? + 1;
    let (a, b) = (sum[..at].parse::<i64>().ok()?, sum[at + 1..].parse::<i64>().ok()?);
    match &sum[at..=at] {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        _ => a.checked_div(b),
    }
}

fn is_number(text: &str, value: i64) -> bool {
    let digits: String = text.chars().filter(|c| !matches!(c, ' ' | ',' | '\'')).map(|c| if c == '−' { '-' } else { c }).collect();
    digits.parse::<i64>().ok() == Some(value)
}

fn to_end(view: &View<'_>, note: &Note) -> Go {
    let Some(window) = view.active() else { return look("no window in front") };
    if note.did.is_empty() {
        // The wheel turns where the pointer is.
        let area = client(window);
        return click(FramePx::new(area.center().x, area.center().y), "spot", "the wheel turns there");
    }
    if note.did == "scroll" && note.tries >= 3 {
        return Go::Next;
    }
    go(Hands::Scroll(-4_800), "scroll", "to the end")
}

fn press(names: &[&str], view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else {
        return if note.did == "press" { Go::Next } else { look("no window in front") };
    };
    let there = names.iter().find_map(|name| view.find_in(area, name));
    let can = button(area, names, view);
    if note.did == "press" && (can.is_none() || note.tries >= 2) {
        return Go::Next;
    }
    match (can, there) {
        (Some(line), _) => click(on(&line.area), "press", format!("pressed \"{}\"", line.text)),
        (None, Some(_)) => look(format!("\"{}\" cannot be pressed yet", names[0])),
        (None, None) => look_further(names[0], area, view, note),
    }
}

fn confirm(names: &[&str], view: &View<'_>, note: &Note) -> Go {
    let Some(window) = view.active() else { return look("no window in front") };
    // A question is smaller than what asks it.
    let asks = names.iter().chain(words::YES).chain(words::OK).find_map(|name| {
        button(client(window), &[name], view)
    });
    let small = window.area.size.height < 260;
    if note.did == "confirm" && !small {
        return Go::Next;
    }
    match asks {
        Some(line) if small => click(on(&line.area), "confirm", "yes"),
        _ => look("a question should come"),
    }
}

fn page(name: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    let hits: Vec<&Line> = view.lines_in(area).filter(|line| is(&line.text, name)).collect();
    let left = hits.iter().copied().min_by_key(|line| line.area.origin.x);
    let heading = hits.iter().any(|line| line.bold && left.is_some_and(|l| line.area.origin.x > l.area.origin.x + 60));
    if heading {
        return Go::Next;
    }
    match left {
        Some(line) if note.did != "list" || note.tries < 3 => click(on(&line.area), "list", format!("the page \"{name}\"")),
        Some(_) => Go::Next,
        None => look(format!("no page \"{name}\"")),
    }
}

/// Turns the wheel to find something: down a few times, then up from the beginning.
fn look_further(name: &str, area: FrameRect, view: &View<'_>, note: &Note) -> Go {
    let words = format!("look for \"{name}\"");
    match note.did.as_str() {
        "over" | "down" if note.tries < 7 => go(Hands::Scroll(-360), "down", words),
        "down" => go(Hands::Scroll(9_600), "up", words),
        "up" => go(Hands::Scroll(-240), "down", words),
        _ => click(idle(area, view), "over", words),
    }
}

/// A place in the right part of a window where a click does nothing: free ground beside a heading or between lines.
fn idle(area: FrameRect, view: &View<'_>) -> FramePx {
    let (w, h) = (area.size.width as i32, area.size.height as i32);
    let free = |at: &FramePx| {
        let around = FrameRect::new(at.x - 14, at.y - 10, 28, 20);
        let near = |other: &FrameRect| other.intersect(&around).is_some();
        let small = |area: &FrameRect| area.size.height < 60;
        !view.scene.lines.iter().any(|line| near(&line.area))
            && !view.scene.marks.iter().any(|mark| near(&mark.area))
            && !view.scene.panes.iter().any(|pane| small(&pane.area) && near(&pane.area))
    };
    let grid = (1..12).flat_map(|row| (0..8).map(move |column| (column, row)));
    let places = grid.map(|(column, row)| area.origin.offset(w - 50 - column * w / 20, h * row / 14));
    places.into_iter().find(free).unwrap_or(area.center())
}

fn turn(name: &str, wanted: bool, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    match view.mark(name) {
        Some(mark) if mark.on == wanted => Go::Next,
        Some(mark) => {
            let at = view.label(mark).map_or(mark.area.center(), |line| on(&line.area));
            click(at, "turn", format!("\"{name}\" {}", if wanted { "on" } else { "off" }))
        }
        None => look_further(name, area, view, note),
    }
}

fn choose(value: &str, name: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    if let Some(mark) = view.mark(value) {
        let at = view.label(mark).map_or(mark.area.center(), |line| on(&line.area));
        return if mark.on { Go::Next } else { click(at, "turn", format!("\"{value}\" for \"{name}\"")) };
    }
    if note.did == "open"
        && let Some(item) = view.menu_item(value)
    {
        return click(on(&item.area), "item", format!("\"{value}\" for \"{name}\""));
    }
    let label = view.find_in(area, name);
    let Some(shown) = label.and_then(|label| view.box_of(&label.area)) else {
        return look_further(name, area, view, note);
    };
    if view.lines_in(shown).any(|line| is(&line.text, value)) {
        return Go::Next;
    }
    click(low_right(&shown), "open", format!("look for \"{value}\" there"))
}

fn fill(name: &str, value: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    let label = view.find_in(area, name);
    let Some(field) = label.and_then(|label| view.box_of(&label.area)) else {
        return look_further(name, area, view, note);
    };
    if view.lines_in(field).any(|line| is(&line.text, value)) {
        return Go::Next;
    }
    if view.caret_in(field).is_some() && note.did == "field" {
        return go(Hands::Type(value.to_owned()), "typed", format!("into \"{name}\""));
    }
    click(low_right(&field), "field", format!("the field \"{name}\""))
}

fn apply(view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    match button(area, words::APPLY, view) {
        Some(line) if note.did != "apply" || note.tries < 3 => click(on(&line.area), "apply", "so that it counts"),
        _ => Go::Next,
    }
}

fn row(name: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    if note.did == "row" {
        return Go::Next;
    }
    match view.find_in(area, name) {
        // Beside the name, which stays legible under the pointer.
        Some(line) => click(on(&line.area).offset(14, 0), "row", format!("\"{name}\"")),
        None => look_further(name, area, view, note),
    }
}

fn prompt(text: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(window) = view.active() else { return look("no window in front") };
    let area = client(window);
    let field = field_in(area, view).filter(|_| area.size.height < 260);
    let Some(field) = field else {
        return if note.did == "ok" && view.find_in(area, text).is_some() { Go::Next } else { look("a question should come") };
    };
    if view.lines_in(field).any(|line| is(&line.text, text)) {
        return match button(area, words::OK, view) {
            Some(button) => click(on(&button.area), "ok", "the name is given"),
            None => go(Hands::Type("\n".to_owned()), "ok", "the name is given"),
        };
    }
    // A part of what is proposed may be chosen; another click and all of it is written anew.
    if note.did == "field" && view.caret_in(area).is_some() {
        return go(Hands::Type(text.to_owned()), "typed", "the new name");
    }
    if note.did == "whole" {
        return go(Hands::Type(text.to_owned()), "typed", "the new name");
    }
    go(Hands::Type("\t\t\t".to_owned()), "whole", "to choose all of the old name")
}

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
