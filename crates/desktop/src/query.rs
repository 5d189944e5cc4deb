//! Which window a query means, the same on every system.
//!
//! This module refuses to guess: what matches nothing is [`DesktopError::NoSuchWindow`] with the titles that are there.

use handsight_base::flow::action::WindowQuery;
use handsight_base::port::desktop::{DesktopError, Window};
use regex::RegexBuilder;

/// Longest regular expression after compilation, in bytes: it may come from a model.
const REGEX_LIMIT: usize = 1 << 20;

/// Those of `all` that the query means, in their order; never empty. `one` looks a window up by its id, because an id may name
/// a window that no list has: a menu, a window of another workspace.
pub(crate) fn choose(
    all: Vec<Window>,
    query: &WindowQuery,
    one: impl FnOnce(u64) -> Result<Window, DesktopError>,
) -> Result<Vec<Window>, DesktopError> {
    if let WindowQuery::Id(id) = query {
        return one(*id).map(|w| vec![w]).map_err(|e| match e {
            DesktopError::TargetGone { .. } => no_such(query.describe(), &all),
            other => other,
        });
    }
    let means = matcher(query).map_err(|why| no_such(format!("{} ({why})", query.describe()), &all))?;
    let (found, rest): (Vec<Window>, Vec<Window>) = all.into_iter().partition(|w| means(w));
    if found.is_empty() { Err(no_such(query.describe(), &rest)) } else { Ok(found) }
}

fn no_such(query: String, there: &[Window]) -> DesktopError {
    DesktopError::NoSuchWindow { query, candidates: there.iter().map(|w| w.title.clone()).collect() }
}

type Matcher<'a> = Box<dyn Fn(&Window) -> bool + 'a>;

fn matcher(query: &WindowQuery) -> Result<Matcher<'_>, String> {
    Ok(match query {
        WindowQuery::Title(title) => Box::new(move |w| w.title == *title),
        WindowQuery::TitlePart(part) => {
            let part = part.to_lowercase();
            Box::new(move |w| w.title.to_lowercase().contains(&part))
        }
        WindowQuery::TitleRegex(pattern) => {
            let regex = RegexBuilder::new(pattern).size_limit(REGEX_LIMIT).build();
            let regex = regex.map_err(|e| format!("no regular expression: {e}"))?;
            Box::new(move |w| regex.is_match(&w.title))
        }
        WindowQuery::Class(class) => Box::new(move |w| w.class.iter().any(|c| c.eq_ignore_ascii_case(class))),
        WindowQuery::Pid(pid) => Box::new(move |w| w.pid == Some(*pid)),
        WindowQuery::Id(id) => Box::new(move |w| w.id.0 == *id),
        WindowQuery::Active => Box::new(|w| w.focused),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::port::desktop::{WindowId, WindowState};
    use handsight_base::space::ScreenRect;

    fn window(id: u64, title: &str, class: &str) -> Window {
        Window {
            id: WindowId(id),
            title: title.into(),
            class: vec![class.into()],
            pid: Some(100 + id as u32),
            program: None,
            client: ScreenRect::new(0, 0, 1, 1),
            outer: ScreenRect::new(0, 0, 1, 1),
            state: WindowState::Normal,
            focused: id == 2,
        }
    }

    fn ids(query: WindowQuery) -> Result<Vec<u64>, DesktopError> {
        let all =
            vec![window(1, "Untitled - Notepad", "Notepad"), window(2, "notes.txt - Notepad", "Notepad")];
        let gone = |id| Err(DesktopError::TargetGone { window: format!("{id:#x}") });
        let one = |id| if id == 9 { Ok(window(9, "a menu", "#32768")) } else { gone(id) };
        choose(all, &query, one).map(|found| found.iter().map(|w| w.id.0).collect())
    }

    // spec: D-03 D-41 UNIT
    #[test]
    fn every_query_means_what_it_says() {
        assert_eq!(ids(WindowQuery::Title("Untitled - Notepad".into())), Ok(vec![1]));
        assert!(ids(WindowQuery::Title("Untitled".into())).is_err(), "a title is the whole title");
        assert_eq!(ids(WindowQuery::TitlePart("NOTEPAD".into())), Ok(vec![1, 2]), "the topmost first");
        assert_eq!(ids(WindowQuery::TitleRegex(r"^notes\.".into())), Ok(vec![2]));
        assert_eq!(ids(WindowQuery::Class("notepad".into())), Ok(vec![1, 2]));
        assert_eq!(ids(WindowQuery::Pid(101)), Ok(vec![1]));
        assert_eq!(ids(WindowQuery::Active), Ok(vec![2]));
        assert_eq!(ids(WindowQuery::Id(9)), Ok(vec![9]), "an id need not be on a list");
    }

    #[test]
    fn what_means_nothing_names_what_there_is() {
        for query in [WindowQuery::Id(8), WindowQuery::TitleRegex("(".into()), WindowQuery::Pid(1)] {
            let Err(DesktopError::NoSuchWindow { candidates, .. }) = ids(query.clone()) else {
                panic!("{query:?} means nothing");
            };
            assert_eq!(candidates, ["Untitled - Notepad", "notes.txt - Notepad"]);
        }
    }
}
