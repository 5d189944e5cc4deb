//! Steps with what is pressed: buttons, check boxes, choices, fields, rows of lists, pages, and turning the wheel to them.

use super::text::page_in;
use super::{Go, Hands, button, click, field_in, go, look, low_right, on};
use crate::eye::Line;
use crate::mind::note::Note;
use crate::mind::view::{View, client};
use crate::mind::words::{self, is};
use handsight_base::space::{FramePx, FrameRect};

pub(super) fn to_end(view: &View<'_>, note: &Note) -> Go {
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

pub(super) fn press(names: &[&str], view: &View<'_>, note: &Note) -> Go {
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

pub(super) fn confirm(names: &[&str], view: &View<'_>, note: &Note) -> Go {
    let Some(window) = view.active() else { return look("no window in front") };
    // A question is smaller than what asks it.
    let asks = names
        .iter()
        .chain(words::YES)
        .chain(words::OK)
        .find_map(|name| button(client(window), &[name], view));
    let small = window.area.size.height < 260;
    if note.did == "confirm" && !small {
        return Go::Next;
    }
    match asks {
        Some(line) if small => click(on(&line.area), "confirm", "yes"),
        _ => look("a question should come"),
    }
}

pub(super) fn page(name: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    let hits: Vec<&Line> = view.lines_in(area).filter(|line| is(&line.text, name)).collect();
    let left = hits.iter().copied().min_by_key(|line| line.area.origin.x);
    let heading =
        hits.iter().any(|line| line.bold && left.is_some_and(|l| line.area.origin.x > l.area.origin.x + 60));
    if heading {
        return Go::Next;
    }
    match left {
        Some(line) if note.did != "list" || note.tries < 3 => {
            click(on(&line.area), "list", format!("the page \"{name}\""))
        }
        Some(_) => Go::Next,
        None => look(format!("no page \"{name}\"")),
    }
}

pub(super) fn look_further(name: &str, area: FrameRect, view: &View<'_>, note: &Note) -> Go {
    let words = format!("look for \"{name}\"");
    match note.did.as_str() {
        "over" | "down" if note.tries < 7 => go(Hands::Scroll(-360), "down", words),
        "down" => go(Hands::Scroll(9_600), "up", words),
        "up" => go(Hands::Scroll(-240), "down", words),
        _ => click(idle(area, view), "over", words),
    }
}

pub(super) fn idle(area: FrameRect, view: &View<'_>) -> FramePx {
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

pub(super) fn turn(name: &str, wanted: bool, view: &View<'_>, note: &Note) -> Go {
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

pub(super) fn choose(value: &str, name: &str, view: &View<'_>, note: &Note) -> Go {
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

pub(super) fn fill(name: &str, value: &str, view: &View<'_>, note: &Note) -> Go {
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

pub(super) fn apply(view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    match button(area, words::APPLY, view) {
        Some(line) if note.did != "apply" || note.tries < 3 => {
            click(on(&line.area), "apply", "so that it counts")
        }
        _ => Go::Next,
    }
}

/// The list of a window: the smallest surface with most of what is written there.
fn list_in(area: FrameRect, view: &View<'_>) -> Option<FrameRect> {
    let all = view.lines_in(area).count();
    let panes = view.scene.panes.iter().map(|pane| pane.area);
    let holds = |pane: &FrameRect| {
        pane.size.height >= 60 && area.contains(pane.center()) && view.lines_in(*pane).count() * 2 > all
    };
    panes.filter(holds).min_by_key(|pane| pane.size.area())
}

pub(super) fn row(name: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(area) = view.client() else { return look("no window in front") };
    if note.did == "row" {
        return Go::Next;
    }
    match view.find_in(area, name) {
        // Beside the name, which stays legible under the pointer.
        Some(line) => click(on(&line.area).offset(14, 0), "row", format!("\"{name}\"")),
        // The wheel turns the list, not what is around it.
        None => look_further(
            name,
            list_in(area, view).or_else(|| page_in(area, view)).unwrap_or(area),
            view,
            note,
        ),
    }
}

pub(super) fn prompt(text: &str, view: &View<'_>, note: &Note) -> Go {
    let Some(window) = view.active() else { return look("no window in front") };
    let area = client(window);
    let field = field_in(area, view).filter(|_| area.size.height < 260);
    let Some(field) = field else {
        return if note.did == "ok" && view.find_in(area, text).is_some() {
            Go::Next
        } else {
            look("a question should come")
        };
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
