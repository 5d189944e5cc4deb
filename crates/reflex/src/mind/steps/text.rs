//! Steps with texts: typing, menus, saving, sums.

use super::{Go, Hands, button, click, field_in, go, look, low_right, on};
use crate::eye::Line;
use crate::mind::note::Note;
use crate::mind::view::{View, client, within};
use crate::mind::words::{self, is};
use handsight_base::space::{FrameRect, Size};

pub(super) fn page_in(area: FrameRect, view: &View<'_>) -> Option<FrameRect> {
    let pages = view.scene.panes.iter().map(|p| p.area).filter(|a| within(&area, a) && a.size.height >= 60);
    pages.filter(|a| a.size.height + 8 < area.size.height).max_by_key(|a| a.size.area())
}

pub(super) fn type_text(text: &str, view: &View<'_>, note: &Note) -> Go {
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

pub(super) fn inside(area: &FrameRect) -> FrameRect {
    FrameRect { size: Size::new(area.size.width.saturating_sub(20), area.size.height), ..*area }
}

pub(super) fn add_line(text: &str, view: &View<'_>, note: &Note) -> Go {
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

pub(super) fn unsaved(view: &View<'_>) -> bool {
    view.active().is_some_and(|w| w.title.starts_with('*'))
}

pub(super) fn save(view: &View<'_>, note: &Note) -> Go {
    if note.did == "save" && !unsaved(view) {
        return Go::Next;
    }
    by_menu(words::FILE, words::SAVE, "save", view, note)
}

pub(super) fn by_menu(menu: &[&str], items: &[&str], did: &'static str, view: &View<'_>, note: &Note) -> Go {
    if note.did == "menu"
        && let Some(item) = view.any_menu_item(items)
    {
        return click(on(&item.area), did, format!("chose \"{}\"", item.text));
    }
    let Some(window) = view.active() else { return look("no window in front") };
    let top = FrameRect { size: Size::new(window.area.size.width, 50), ..client(window) };
    let title = menu.iter().find_map(|title| view.find_in(top, title));
    match title {
        Some(title) => click(on(&title.area), "menu", format!("look for \"{}\" there", items[0])),
        None => look(format!("no menu \"{}\"", menu[0])),
    }
}

pub(super) fn menu_item(menu: &[&str], items: &[&str], view: &View<'_>, note: &Note) -> Go {
    if note.did == "chosen" {
        return Go::Next;
    }
    by_menu(menu, items, "chosen", view, note)
}

pub(super) fn save_as(name: &str, view: &View<'_>, note: &Note) -> Go {
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
        let typed =
            view.lines_in(area).filter(|line| is(&line.text, name)).max_by_key(|line| line.area.origin.y);
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

pub(super) fn compute(sum: &str, view: &View<'_>, note: &Note) -> Go {
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

pub(crate) fn value_of(sum: &str) -> Option<i64> {
    let at = sum[1..].find(['+', '-', '*', '/'])? + 1;
    let (a, b) = (sum[..at].parse::<i64>().ok()?, sum[at + 1..].parse::<i64>().ok()?);
    match &sum[at..=at] {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        _ => a.checked_div(b),
    }
}

pub(super) fn is_number(text: &str, value: i64) -> bool {
    let digits: String = text
        .chars()
        .filter(|c| !matches!(c, ' ' | ',' | '\''))
        .map(|c| if c == '−' { '-' } else { c })
        .collect();
    digits.parse::<i64>().ok() == Some(value)
}
