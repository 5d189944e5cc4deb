//! What programs said, laid on the windows of the screen: what is to be seen of each thing, and what is not.
//!
//! A program tells where its things are as if nothing lay over them, and some tell it from the corner of their window. Only the X
//! server knows how windows lie on each other, so each thing is given to its window, cut to it, and what other windows cover is
//! taken off. Pure: programs and windows in, nodes out.

use super::program::{Program, Raw};
use super::role::{self, state};
use handsight_base::flow::ui::{UiNode, uncovered};
use handsight_base::space::ScreenRect;

/// A window as it lies on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Surface {
    pub(super) client: ScreenRect,
    /// With decoration.
    pub(super) outer: ScreenRect,
    pub(super) pid: Option<u32>,
    pub(super) title: String,
    /// A menu or another window that no manager knows.
    pub(super) popup: bool,
}

/// Nothing smaller can be pressed on purpose.
const LEAST_PX: u32 = 3;
/// Toolkits and managers do not agree on the last pixels of a window.
const ABOUT: i64 = 2;

/// The screen as its windows lie on it.
#[derive(Debug)]
pub(super) struct Scene {
    /// The topmost first.
    pub(super) surfaces: Vec<Surface>,
    /// The processes of all programs that are read.
    pub(super) pids: Vec<u32>,
    /// Only what lies in here, in part at least.
    pub(super) area: ScreenRect,
}

/// The nodes of all programs, of the topmost window first.
pub(super) fn place(programs: &[Program], scene: &Scene) -> Vec<UiNode> {
    let mut placed: Vec<(usize, UiNode)> =
        programs.iter().flat_map(|program| Placing::new(program, scene).all()).collect();
    placed.sort_by_key(|(host, _)| *host);
    placed.into_iter().map(|(_, node)| node).collect()
}

/// Where the things of one window of a program belong.
#[derive(Clone, Copy)]
struct Home {
    surface: usize,
    /// From the program's own places to the screen's.
    shift: (i32, i32),
}

/// What holds for a thing because of what it lies in.
#[derive(Clone, Copy, Default)]
struct Around {
    home: Option<Home>,
    clip: Option<ScreenRect>,
    /// Within a menu, which may be a window of its own.
    opened: bool,
}

/// One program's things on the windows of a screen.
pub(super) struct Placing<'a> {
    program: &'a Program,
    scene: &'a Scene,
    /// Of the windows those that may be the program's.
    mine: Vec<usize>,
}

impl<'a> Placing<'a> {
    pub(super) fn new(program: &'a Program, scene: &'a Scene) -> Self {
        let of = |fits: &dyn Fn(&Surface) -> bool| -> Vec<usize> {
            scene.surfaces.iter().enumerate().filter(|(_, surface)| fits(surface)).map(|(n, _)| n).collect()
        };
        let mut mine = of(&|surface| surface.pid.is_some() && surface.pid == program.pid);
        if mine.is_empty() {
            // Behind a sandbox the bus knows another process than the screen does.
            let titles: Vec<&str> =
                program.nodes.iter().filter(|n| n.parent == Some(0)).map(|n| n.label.as_str()).collect();
            let free = |surface: &Surface| !surface.pid.is_some_and(|pid| scene.pids.contains(&pid));
            mine = of(&|s| free(s) && !s.title.is_empty() && titles.contains(&s.title.as_str()));
        }
        Self { program, scene, mine }
    }

    /// What is to be seen of the things that have a place, each with its window.
    pub(super) fn all(&self) -> Vec<(usize, UiNode)> {
        let node = |(raw, outside): (&Raw, Around)| {
            let home = outside.home?;
            self.node(raw, moved(raw.area?, home.shift), home, outside)
        };
        self.program.nodes.iter().zip(self.around()).filter_map(node).collect()
    }

    /// Things that may be seen, by their numbers, in the order in which a person would miss them: what has opened, then what is in the
    /// topmost window, then what can be pressed now. Windows, and what cuts things off, have to have their places.
    pub(super) fn wanted(&self, of: impl Fn(&Raw) -> bool) -> Vec<usize> {
        let rank = |(n, (raw, around)): (usize, (&Raw, Around))| {
            let home =
                around.home.filter(|_| of(raw) && (around.opened || around.clip != Some(nothing())))?;
            Some((!around.opened, home.surface, raw.states & state::SENSITIVE == 0, n))
        };
        let mut ranked: Vec<_> =
            self.program.nodes.iter().zip(self.around()).enumerate().filter_map(rank).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(.., n)| n).collect()
    }

    /// What holds for each thing because of what it lies in.
    fn around(&self) -> Vec<Around> {
        let mut of_all: Vec<Around> = Vec::with_capacity(self.program.nodes.len());
        for raw in &self.program.nodes {
            let parent = raw.parent.and_then(|n| Some((self.program.nodes.get(n)?, *of_all.get(n)?)));
            let mut around = parent.map_or_else(Around::default, |(raw, outside)| within(raw, outside));
            if raw.parent == Some(0) {
                around.home = self.home(raw);
            }
            of_all.push(around);
        }
        of_all
    }

    /// Which window a window of the program is.
    fn home(&self, window: &Raw) -> Option<Home> {
        let area = window.area?;
        let about = |a: i64, b: i64| (a - b).abs() <= ABOUT;
        let size = |r: &ScreenRect| {
            about(r.size.width.into(), area.size.width.into())
                && about(r.size.height.into(), area.size.height.into())
        };
        let corner = |r: &ScreenRect| {
            about(r.origin.x.into(), area.origin.x.into()) && about(r.origin.y.into(), area.origin.y.into())
        };
        let fit = |surface: &Surface| {
            let either = |of: &dyn Fn(&ScreenRect) -> bool| of(&surface.client) || of(&surface.outer);
            let titled = !window.label.is_empty() && surface.title == window.label;
            u8::from(either(&corner)) * 4 + u8::from(titled) * 3 + u8::from(either(&size)) * 2
        };
        let fits = |n: &usize| self.scene.surfaces.get(*n).map_or(0, fit);
        // Of two that fit as well the upper one.
        let best = self.mine.iter().copied().rev().max_by_key(fits)?;
        let surface = self.scene.surfaces.get(best).filter(|_| fits(&best) > 0 || self.mine.len() == 1)?;
        let origin = surface.client.origin;
        let shift = if self.program.of_window {
            (origin.x - area.origin.x, origin.y - area.origin.y)
        } else {
            (0, 0)
        };
        Some(Home { surface: best, shift })
    }

    fn node(&self, raw: &Raw, area: ScreenRect, home: Home, around: Around) -> Option<(usize, UiNode)> {
        let role = role::of(raw.role, raw.states)?;
        let popup = around.opened.then(|| self.popup_at(area)).flatten();
        let host = popup.unwrap_or(home.surface);
        let surface = self.scene.surfaces.get(host)?;
        let mut seen = area.intersect(&surface.outer)?.intersect(&self.scene.area)?;
        if let Some(clip) = around.clip.filter(|_| popup.is_none()) {
            seen = seen.intersect(&clip)?;
        }
        let above: Vec<ScreenRect> =
            self.scene.surfaces.iter().take(host).map(|surface| surface.outer).collect();
        let seen =
            uncovered(seen, &above).filter(|r| r.size.width >= LEAST_PX && r.size.height >= LEAST_PX)?;
        let enabled = raw.states & state::SENSITIVE != 0;
        Some((host, UiNode { role, label: raw.label.clone(), area: seen, enabled }))
    }

    /// The topmost menu of the program that holds the middle of this.
    fn popup_at(&self, area: ScreenRect) -> Option<usize> {
        let holds = |n: &&usize| {
            self.scene
                .surfaces
                .get(**n)
                .is_some_and(|surface| surface.popup && surface.outer.contains(area.center()))
        };
        self.mine.iter().find(holds).copied()
    }
}

/// What holds for the children of a thing.
fn within(raw: &Raw, outside: Around) -> Around {
    let clip = raw.area.filter(|_| role::clips(raw.role)).zip(outside.home).map(|(area, home)| {
        let area = moved(area, home.shift);
        outside.clip.map_or(area, |clip| clip.intersect(&area).unwrap_or(nothing()))
    });
    Around { clip: clip.or(outside.clip), opened: outside.opened || role::opens(raw.role), ..outside }
}

const fn nothing() -> ScreenRect {
    ScreenRect::new(0, 0, 0, 0)
}

const fn moved(area: ScreenRect, (dx, dy): (i32, i32)) -> ScreenRect {
    ScreenRect { origin: area.origin.offset(dx, dy), ..area }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::ui::UiRole;

    const SCREEN: ScreenRect = ScreenRect::new(0, 0, 1280, 720);
    const FRAME: u32 = 23;
    const BUTTON: u32 = 43;
    const MENU: u32 = 33;
    const ITEM: u32 = 35;
    const PANE: u32 = 49;

    fn window(pid: u32, title: &str, client: ScreenRect) -> Surface {
        let outer = ScreenRect::new(
            client.origin.x - 1,
            client.origin.y - 20,
            client.size.width + 2,
            client.size.height + 21,
        );
        Surface { client, outer, pid: Some(pid), title: title.into(), popup: false }
    }

    fn menu(pid: u32, outer: ScreenRect) -> Surface {
        Surface { client: outer, outer, pid: Some(pid), title: String::new(), popup: true }
    }

    fn raw(role: u32, label: &str, parent: usize, area: ScreenRect) -> Raw {
        let states = state::SENSITIVE | state::SHOWING;
        Raw { role, states, label: label.into(), parent: Some(parent), area: Some(area) }
    }

    fn program(pid: u32, nodes: Vec<Raw>) -> Program {
        let nodes = std::iter::once(Raw::default()).chain(nodes).collect();
        Program { pid: Some(pid), nodes, ..Program::default() }
    }

    fn scene(programs: &[Program], surfaces: &[Surface]) -> Scene {
        let pids = programs.iter().filter_map(|program| program.pid).collect();
        Scene { surfaces: surfaces.to_vec(), pids, area: SCREEN }
    }

    fn seen(programs: &[Program], surfaces: &[Surface]) -> Vec<(String, ScreenRect)> {
        place(programs, &scene(programs, surfaces)).into_iter().map(|node| (node.label, node.area)).collect()
    }

    #[test]
    fn what_a_window_of_another_program_covers_is_no_node() {
        let below = ScreenRect::new(100, 100, 400, 300);
        let nodes = vec![
            raw(FRAME, "Low", 0, ScreenRect::new(99, 80, 402, 321)),
            raw(BUTTON, "free", 1, ScreenRect::new(110, 110, 60, 20)),
            raw(BUTTON, "half", 1, ScreenRect::new(180, 110, 60, 20)),
            raw(BUTTON, "under", 1, ScreenRect::new(300, 200, 60, 20)),
            raw(BUTTON, "beyond", 1, ScreenRect::new(600, 200, 60, 20)),
            raw(BUTTON, "thin", 1, ScreenRect::new(110, 140, 60, 1)),
        ];
        let surfaces = [window(7, "High", ScreenRect::new(200, 90, 500, 500)), window(5, "Low", below)];
        let there = seen(&[program(5, nodes.clone())], &surfaces);
        let expected =
            [("free", ScreenRect::new(110, 110, 60, 20)), ("half", ScreenRect::new(180, 110, 19, 20))];
        assert_eq!(there, expected.map(|(label, area)| (label.to_owned(), area)));
        // The other way round nothing of it is covered.
        let turned = [surfaces[1].clone(), surfaces[0].clone()];
        assert_eq!(seen(&[program(5, nodes.clone())], &turned).len(), 3);
        // A window belongs to its process; only one of a process that nobody knows is told by its title.
        let both = [program(6, nodes.clone()), program(5, nodes.clone())];
        assert_eq!(seen(&both, &surfaces), there);
        assert_eq!(seen(&[program(6, nodes)], &surfaces), there);
    }

    #[test]
    fn an_open_menu_lies_over_its_own_window_and_beyond_it() {
        let client = ScreenRect::new(100, 100, 200, 100);
        let nodes = vec![
            raw(FRAME, "App", 0, client),
            raw(MENU, "File", 1, ScreenRect::new(100, 100, 40, 20)),
            raw(ITEM, "Quit", 2, ScreenRect::new(102, 170, 80, 20)),
            raw(ITEM, "Far", 2, ScreenRect::new(102, 230, 80, 20)),
            raw(BUTTON, "behind", 1, ScreenRect::new(110, 175, 50, 10)),
        ];
        let open = [menu(5, ScreenRect::new(100, 120, 90, 150)), window(5, "App", client)];
        let labels = |surfaces: &[Surface]| -> Vec<String> {
            seen(&[program(5, nodes.clone())], surfaces).into_iter().map(|(label, _)| label).collect()
        };
        assert_eq!(labels(&open), ["Quit", "Far", "File"], "the menu first, and what it covers is gone");
        assert_eq!(labels(&open[1..]), ["File", "Quit", "behind"], "without it nothing is beyond the window");
    }

    #[test]
    fn what_is_scrolled_away_is_cut_off() {
        let client = ScreenRect::new(0, 20, 300, 300);
        let nodes = vec![
            raw(FRAME, "App", 0, client),
            raw(PANE, "", 1, ScreenRect::new(10, 30, 200, 50)),
            raw(BUTTON, "in", 2, ScreenRect::new(20, 35, 50, 20)),
            raw(BUTTON, "edge", 2, ScreenRect::new(20, 70, 50, 20)),
            raw(BUTTON, "out", 2, ScreenRect::new(20, 100, 50, 20)),
            raw(PANE, "", 2, ScreenRect::new(20, 200, 50, 20)),
            raw(BUTTON, "deep", 6, ScreenRect::new(20, 200, 50, 20)),
        ];
        let there = seen(&[program(5, nodes)], &[window(5, "App", client)]);
        let areas: Vec<ScreenRect> = there.iter().map(|(_, area)| *area).collect();
        assert_eq!(areas, [ScreenRect::new(20, 35, 50, 20), ScreenRect::new(20, 70, 50, 10)]);
    }

    #[test]
    fn places_that_count_from_the_window_are_moved_to_it() {
        let client = ScreenRect::new(500, 300, 168, 126);
        let nodes = vec![
            raw(FRAME, "Four", 0, ScreenRect::new(0, 0, 168, 126)),
            raw(BUTTON, "Press", 1, ScreenRect::new(17, 5, 134, 24)),
        ];
        let four = Program { of_window: true, ..program(5, nodes.clone()) };
        let expected = vec![("Press".to_owned(), ScreenRect::new(517, 305, 134, 24))];
        assert_eq!(seen(&[four], &[window(5, "Four", client)]), expected);
        assert_eq!(seen(&[program(5, nodes)], &[window(5, "Four", client)]), [], "the control");
    }

    #[test]
    fn places_are_asked_in_the_order_in_which_they_would_be_missed() {
        let (front, back) = (ScreenRect::new(0, 20, 200, 200), ScreenRect::new(300, 20, 200, 200));
        let unknown = |role, label: &str, parent| Raw { area: None, ..raw(role, label, parent, front) };
        let pane = |label: &str, parent, area| raw(PANE, label, parent, area);
        let nodes = vec![
            raw(FRAME, "Back", 0, back),
            raw(FRAME, "Front", 0, front),
            unknown(BUTTON, "behind", 1),
            Raw { states: state::SHOWING, ..unknown(BUTTON, "grey", 2) },
            unknown(BUTTON, "first", 2),
            unknown(MENU, "File", 2),
            unknown(ITEM, "Quit", 6),
            pane("beyond", 2, ScreenRect::new(10, 30, 100, 50)),
            pane("scrolled away", 8, ScreenRect::new(10, 300, 100, 50)),
            unknown(BUTTON, "in", 8),
            unknown(BUTTON, "out", 9),
            unknown(ITEM, "of nobody", 99),
        ];
        let program = program(5, nodes);
        let surfaces = [window(5, "Front", front), window(5, "Back", back)];
        let scene = scene(std::slice::from_ref(&program), &surfaces);
        let label = |n: usize| program.nodes[n].label.as_str();
        let wanted: Vec<&str> =
            Placing::new(&program, &scene).wanted(|raw| raw.area.is_none()).into_iter().map(label).collect();
        assert_eq!(wanted, ["Quit", "first", "File", "in", "grey", "behind"]);
    }

    #[test]
    fn of_two_windows_of_a_program_each_has_its_own_things() {
        let (left, right) = (ScreenRect::new(0, 20, 200, 200), ScreenRect::new(100, 20, 200, 200));
        let nodes = vec![
            raw(FRAME, "Same", 0, left),
            raw(FRAME, "Same", 0, right),
            raw(BUTTON, "left", 1, ScreenRect::new(120, 50, 50, 20)),
            raw(BUTTON, "right", 2, ScreenRect::new(120, 50, 50, 20)),
        ];
        let surfaces = [window(5, "Same", right), window(5, "Same", left)];
        let there = seen(&[program(5, nodes)], &surfaces);
        assert_eq!(there, [("right".to_owned(), ScreenRect::new(120, 50, 50, 20))]);
        assert_eq!(seen(&[], &surfaces), []);
        assert_eq!(UiRole::Button.word(), "button");
    }
}
