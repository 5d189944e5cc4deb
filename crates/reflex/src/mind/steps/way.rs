//! Steps whose way is prescribed, or that take more than the left button once: keys, the right button, double clicks, drags.

use super::{Go, Hands, click, client, front, go, look, low_title, of_program, on};
use crate::eye::Line;
use crate::mind::note::Note;
use crate::mind::view::{View, Window, within};
use crate::mind::words::is;
use handsight_base::space::{FramePx, FrameRect};

fn middle(line: &Line) -> FramePx {
    line.area.center()
}

/// Keys that are struck once.
pub(super) fn keys(chord: &str, note: &Note) -> Go {
    if note.did == "keys" { Go::Next } else { go(Hands::Keys(chord.to_owned()), "keys", chord) }
}

/// A program by its name, in the dialog that keys have opened.
pub(super) fn command(name: &str, view: &View<'_>, note: &Note) -> Go {
    if view.active().is_some_and(|window| of_program(window, name)) {
        return Go::Next;
    }
    match note.did.as_str() {
        "name" => go(Hands::Look, "open", "it should open"),
        "open" if note.tries > 1 => Go::Next,
        "open" => look("it should open"),
        _ => go(Hands::Type(format!("{name}\n")), "name", format!("\"{name}\" should open")),
    }
}

/// A text typed into what is selected, or where nobody has clicked: where the keys go is known without a look.
pub(super) fn type_there(text: &str, note: &Note) -> Go {
    if note.did == "typed" { Go::Next } else { go(Hands::Type(text.to_owned()), "typed", "in its place") }
}

/// The name that a dialog asks for, given without a click.
pub(super) fn name_there(name: &str, note: &Note) -> Go {
    if note.did == "name" {
        return Go::Next;
    }
    go(Hands::Type(format!("{name}\n")), "name", "the name")
}

/// A window by its title is closed with the keys for it.
pub(super) fn close_by_keys(title: &str, chord: &str, view: &View<'_>, note: &Note) -> Go {
    let there = view.titled(title).is_some() || view.task_button(title).is_some();
    match (there, view.is_active(title)) {
        (false, _) => Go::Next,
        (true, true) => go(Hands::Keys(chord.to_owned()), "keys", chord),
        (true, false) => front(title, view, note),
    }
}

/// A window by its title comes to the front with the keys for it.
pub(super) fn front_by_keys(title: &str, chord: &str, view: &View<'_>) -> Go {
    if view.is_active(title) {
        return Go::Next;
    }
    go(Hands::Keys(chord.to_owned()), "keys", chord)
}

/// An item of the menu that the right button opens: of a file by its name, or of the desktop.
pub(super) fn menu_of(file: Option<&str>, item: &str, view: &View<'_>, note: &Note) -> Go {
    if note.did == "chosen" {
        return Go::Next;
    }
    if note.did == "menu"
        && let Some(line) = view.menu_item(item)
    {
        return click(on(&line.area), "chosen", format!("chose \"{}\"", line.text));
    }
    let at = match file {
        Some(name) => view.client().and_then(|area| view.find_in(area, name)).map(middle),
        None => bare(view),
    };
    match at {
        Some(at) => go(Hands::RightClick(at), "menu", format!("look for \"{item}\" there")),
        None => look(format!("no place for a menu with \"{item}\"")),
    }
}

/// A place on the desktop with nothing on it, as far from everything as there is.
fn bare(view: &View<'_>) -> Option<FramePx> {
    const STEPS: i32 = 24;
    const ROOM: i32 = 40;
    let desktop = view.desktop();
    let (w, h) = (desktop.size.width as i32, desktop.size.height as i32);
    let taken = |at: &FramePx| {
        let around = FrameRect::new(at.x - ROOM, at.y - ROOM, ROOM as u32 * 2, ROOM as u32 * 2);
        let near = |other: &FrameRect| other.intersect(&around).is_some();
        let scene = view.scene;
        view.windows.iter().any(|window| near(&window.area))
            || view.taskbar.is_some_and(|bar| near(&bar))
            || scene.lines.iter().any(|line| near(&line.area))
            || scene.signs.iter().any(near)
    };
    let places = (1..STEPS).flat_map(|row| (1..STEPS).map(move |column| (column, row)));
    // From the lower right, where icons seldom are.
    let mut places = places.map(|(c, r)| desktop.origin.offset(w - c * w / STEPS, h - r * h / STEPS));
    places.find(|at| !taken(at))
}

/// A program by its icon on the desktop.
pub(super) fn icon(name: &str, view: &View<'_>) -> Go {
    if view.active().is_some_and(|window| of_program(window, name)) {
        return Go::Next;
    }
    let free = |line: &&Line| {
        is(&line.text, name)
            && !view.taskbar.is_some_and(|bar| within(&bar, &line.area))
            && !view.windows.iter().any(|window| within(&window.area, &line.area))
    };
    match view.scene.lines.iter().find(free) {
        Some(line) => go(Hands::DoubleClick(middle(line)), "twice", format!("\"{name}\"")),
        None => look(format!("no icon \"{name}\"")),
    }
}

/// The first part of a title: the name of what is open.
fn shows(window: &Window, name: &str) -> bool {
    window.title.trim_start_matches('*').split(" - ").next().is_some_and(|first| is(first, name))
}

/// A file of the list in front is opened by a double click.
pub(super) fn twice(name: &str, view: &View<'_>, note: &Note) -> Go {
    if view.active().is_some_and(|window| shows(window, name)) {
        return Go::Next;
    }
    let Some(area) = view.client() else { return look("no window in front") };
    match view.find_in(area, name) {
        Some(line) => go(Hands::DoubleClick(middle(line)), "twice", format!("\"{name}\"")),
        None => super::control::look_further(name, area, view, note),
    }
}

/// A file of the list in front goes into a folder of the same list.
pub(super) fn carry(name: &str, to: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    match (view.find_in(area, name), view.find_in(area, to)) {
        (Some(file), Some(folder)) => {
            go(Hands::Drag(middle(file), middle(folder)), "drag", format!("\"{name}\" into \"{to}\""))
        }
        (None, _) if note.did == "drag" => Go::Next,
        (None, _) => super::control::look_further(name, area, view, note),
        (_, None) => super::control::look_further(to, area, view, note),
    }
}

/// A file goes from the list of one window into that of another.
pub(super) fn carry_over(name: &str, [from, to]: [&str; 2], view: &View<'_>, note: &Note) -> Go {
    let (Some(source), Some(target)) = (view.titled(from), view.titled(to)) else {
        let hidden = if view.titled(from).is_none() { from } else { to };
        return front(hidden, view, note);
    };
    let seen = view.lines_in(client(source)).filter(|line| is(&line.text, name));
    let free = |line: &&Line| !(target.active && within(&target.area, &line.area));
    let Some(line) = { seen }.find(free) else {
        return if note.did == "drag" { Go::Next } else { front(from, view, note) };
    };
    // A place of the target that the source does not cover.
    let area = client(target);
    let (w, h) = (area.size.width as i32, area.size.height as i32);
    let places = (1..8).flat_map(|row| (1..8).map(move |column| (column, row)));
    let mut places = places.map(|(c, r)| area.origin.offset(w - c * w / 8, h - r * h / 8));
    let open = |at: &FramePx| target.active || !source.area.contains(*at);
    match places.find(open) {
        Some(at) => go(Hands::Drag(middle(line), at), "drag", format!("\"{name}\" into \"{to}\"")),
        None => front(to, view, note),
    }
}

/// A window goes to the display where the task bar is not.
pub(super) fn to_other_display(title: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(window) = view.titled(title) else { return front(title, view, note) };
    let (here, screen) = (view.desktop(), view.scene.screen);
    if here.size.width >= screen.width {
        return look("there is no other display");
    }
    if !here.contains(window.area.center()) {
        return Go::Next;
    }
    let beside = if here.origin.x > 0 {
        FrameRect::new(0, 0, here.origin.x as u32, screen.height)
    } else {
        FrameRect::new(here.right() as i32, 0, screen.width - here.size.width, screen.height)
    };
    let from = low_title(window);
    let (now, then) = (window.area.center(), beside.center());
    let to = from.offset(then.x - now.x, then.y - now.y);
    go(Hands::Drag(from, to), "drag", format!("\"{title}\" to the other display"))
}

/// A slider by its label, whose knob is pressed onto its place: between the label and the number behind it.
pub(super) fn slide(name: &str, value: i32, view: &View<'_>, note: &Note) -> Go {
    if note.did == "spot" {
        return Go::Next;
    }
    let Some(area) = view.client() else { return look("no window in front") };
    let Some(label) = view.find_in(area, name) else {
        return super::control::look_further(name, area, view, note);
    };
    let Some(track) = view.track_of(&label.area) else { return look(format!("no slider \"{name}\"")) };
    let along = (i64::from(track.size.width) * i64::from(value) / 100) as i32;
    let at = FramePx::new(track.origin.x + along, track.center().y);
    go(Hands::Click(at), "spot", format!("\"{name}\" to {value}"))
}
