//! Windows come and go, change places and get the focus; and what programs ask the desktop for is done.

use super::Desk;
use super::apps::{self, App, AppKind, Cx, Look, Message, Request};
use super::files;
use super::popup::{Popup, Target};
use super::ui::icons::Icon;
use super::ui::keys::Stroke;
use super::ui::layout;
use super::ui::node::MenuItem;
use super::ui::{Event, Outcome, Ui};
use super::window::{Frame, LEAST, Shape, Win};
use handsight_base::key::{Key, Modifiers};
use handsight_base::space::{ScreenPx, ScreenRect};

impl Desk {
    pub(super) fn index(&self, id: u64) -> Option<usize> {
        self.windows.iter().position(|w| w.frame.id == id)
    }

    pub(super) fn frame(&self, id: u64) -> Option<&Frame> {
        self.index(id).map(|at| &self.windows[at].frame)
    }

    /// The topmost window that holds a place, also a little outside of its edge.
    pub(super) fn window_at(&self, at: ScreenPx) -> Option<&Frame> {
        let frames = || self.windows.iter().rev().map(|w| &w.frame).filter(|f| !f.minimised);
        let inside = frames().position(|f| f.outer.contains(at));
        let near = frames().position(|f| f.part_at(at, &self.theme).is_some());
        // The edge of a lower window does not reach over a higher one.
        let hit = match (inside, near) {
            (Some(inside), Some(near)) => inside.min(near),
            (one, other) => one.or(other)?,
        };
        frames().nth(hit)
    }

    /// The dialog that keeps a window from taking input, the deepest one.
    pub(super) fn blocker(&self, id: u64) -> Option<u64> {
        let child = self.windows.iter().find(|w| w.frame.parent == Some(id))?.frame.id;
        Some(self.blocker(child).unwrap_or(child))
    }

    /// Brings a window to the front with its dialogs and gives it the focus.
    pub(super) fn activate(&mut self, id: u64) {
        let Some(frame) = self.frame(id) else { return };
        // A dialog comes with its window below it.
        let mut root = frame.id;
        while let Some(parent) = self.frame(root).and_then(|f| f.parent) {
            root = parent;
        }
        let mut line = vec![root];
        while let Some(child) = self.windows.iter().find(|w| w.frame.parent == line.last().copied()) {
            line.push(child.frame.id);
        }
        for id in &line {
            if let Some(at) = self.index(*id) {
                let mut window = self.windows.remove(at);
                window.frame.minimised = false;
                self.windows.push(window);
            }
        }
        self.core.active = line.last().copied();
    }

    /// The focus goes to the topmost window that is shown, or to the desktop.
    pub(super) fn activate_top(&mut self) {
        let top = self.windows.iter().rev().find(|w| !w.frame.minimised).map(|w| w.frame.id);
        self.core.active = None;
        if let Some(top) = top {
            self.activate(top);
        }
    }

    pub(super) fn minimise(&mut self, id: u64) {
        let mut next = Some(id);
        while let Some(at) = next.and_then(|id| self.index(id)) {
            let window = &mut self.windows[at];
            window.frame.minimised = true;
            window.ui.left();
            let id = window.frame.id;
            next = self.windows.iter().find(|w| w.frame.parent == Some(id)).map(|w| w.frame.id);
        }
        self.activate_top();
    }

    pub(super) fn toggle_maximised(&mut self, id: u64) {
        let Some(at) = self.index(id) else { return };
        let frame = &self.windows[at].frame;
        if !frame.resizable {
            return;
        }
        let outer = match frame.shape {
            Shape::Maximised => frame.restore,
            Shape::Normal => self.work_area(frame.outer.center()),
        };
        let frame = &mut self.windows[at].frame;
        if frame.shape == Shape::Normal {
            frame.restore = frame.outer;
            frame.shape = Shape::Maximised;
        } else {
            frame.shape = Shape::Normal;
        }
        frame.outer = outer;
        self.refresh(at);
    }

    /// Moves and resizes a window; it leaves being maximised.
    pub(super) fn put(&mut self, id: u64, outer: ScreenRect) -> bool {
        let Some(at) = self.index(id) else { return false };
        let frame = &mut self.windows[at].frame;
        let mut outer = outer;
        if frame.resizable {
            outer.size.width = outer.size.width.max(LEAST.width);
            outer.size.height = outer.size.height.max(LEAST.height);
        } else {
            outer.size = frame.outer.size;
        }
        frame.outer = outer;
        frame.shape = Shape::Normal;
        self.refresh(at);
        true
    }

    /// Starts a program by its name here, its key or a command, or opens a file. The window's number.
    pub(super) fn start(&mut self, program: &str, args: &[String]) -> Option<u64> {
        let wanted = program.trim().trim_end_matches(".exe").to_lowercase();
        let fits = |kind: &&AppKind| {
            kind.listed
                && (kind.key == wanted
                    || self.words.program(kind.key).to_lowercase() == wanted
                    || kind.commands.contains(&wanted.as_str()))
        };
        let kind = apps::APPS.iter().find(fits);
        if let Some(kind) = kind {
            return Some(self.open(kind, args));
        }
        let path = program.trim();
        let places = [path.to_owned(), files::join("/Documents", path), files::join("/", path)];
        let found = places.into_iter().find(|p| self.core.files.exists(p))?;
        let opener = if self.core.files.is_folder(&found) { "files" } else { "editor" };
        Some(self.open(apps::find(opener)?, &[found]))
    }

    /// Opens a window of a program.
    pub(super) fn open(&mut self, kind: &'static AppKind, args: &[String]) -> u64 {
        self.open_app(kind, (kind.open)(args), None, String::new(), None)
    }

    fn open_app(
        &mut self,
        kind: &'static AppKind,
        app: Box<dyn App>,
        parent: Option<u64>,
        tag: String,
        size: Option<(i32, i32)>,
    ) -> u64 {
        let id = self.core.next_window;
        self.core.next_window += 1;
        let frame = Frame {
            id,
            app: kind.key.to_owned(),
            title: String::new(),
            outer: ScreenRect::new(0, 0, 0, 0),
            restore: ScreenRect::new(0, 0, 0, 0),
            shape: Shape::Normal,
            minimised: false,
            resizable: kind.resizable,
            parent,
            tag,
        };
        self.windows.push(Win { frame, ui: Ui::default(), app });
        let outer = self.first_place(kind, size.unwrap_or(kind.size), parent);
        if let Some(window) = self.windows.last_mut() {
            (window.frame.outer, window.frame.restore) = (outer, outer);
        }
        self.refresh(self.windows.len() - 1);
        self.note(format!("open {}", kind.key));
        self.send(id, &Event::Opened);
        self.activate(id);
        id
    }

    /// Where a new window goes: a dialog over its window, others where the seed puts them, not quite over each other.
    fn first_place(&mut self, kind: &AppKind, size: (i32, i32), parent: Option<u64>) -> ScreenRect {
        let theme = self.theme;
        let above = parent.and_then(|p| self.frame(p)).map(|f| f.outer);
        let work = self.work_area(above.map_or_else(|| self.primary().center(), |a| a.center()));
        let at = self.windows.len() - 1;
        let wanted = self.tree_size(at, size.0);
        let scaled = |units: i32| units * i32::from(theme.size) / 14;
        let pick = |given: i32, wanted: i32| if given == 0 { wanted } else { scaled(given) };
        let extra = Frame::extra(&theme);
        let width = (pick(size.0, wanted.0) as u32 + extra.width).min(work.size.width);
        let height = (pick(size.1, wanted.1) as u32 + extra.height).min(work.size.height);
        let (room_x, room_y) = ((work.size.width - width) as i32, (work.size.height - height) as i32);
        let origin = match above {
            Some(above) => {
                let x = above.origin.x + (above.size.width as i32 - width as i32) / 2;
                let y = above.origin.y + (above.size.height as i32 - height as i32) / 3;
                ScreenPx::new(
                    x.clamp(work.origin.x, work.origin.x + room_x),
                    y.clamp(work.origin.y, work.origin.y + room_y),
                )
            }
            None if kind.key == "message" => work.origin.offset(room_x / 2, room_y * 2 / 5),
            None => {
                let (x, y) = (
                    self.core.shell.random.range(room_x / 8, room_x * 7 / 8),
                    self.core.shell.random.range(room_y / 10, room_y * 7 / 8),
                );
                work.origin.offset(x, y)
            }
        };
        ScreenRect::new(origin.x, origin.y, width, height)
    }

    /// The size the content of a window wants.
    fn tree_size(&self, at: usize, width: i32) -> (i32, i32) {
        let window = &self.windows[at];
        let tree = window.app.view(&self.look(&window.ui));
        let width = if width == 0 { 420 } else { width };
        layout::wanted(&tree, width * i32::from(self.theme.size) / 14, &self.theme)
    }

    fn look<'a>(&'a self, ui: &'a Ui) -> Look<'a> {
        Look {
            words: &self.words,
            files: &self.core.files,
            settings: &self.core.settings,
            ui,
            now: self.core.now,
        }
    }

    /// Asks a window's program what it shows now, and places it.
    pub(super) fn refresh(&mut self, at: usize) {
        let look = self.look(&self.windows[at].ui);
        let (title, tree) = (self.windows[at].app.title(&look), self.windows[at].app.view(&look));
        let theme = self.theme;
        let window = &mut self.windows[at];
        window.frame.title = title;
        window.ui.show(&tree, window.frame.client(&theme), &theme);
    }

    pub(super) fn refresh_all(&mut self) {
        self.theme = super::state::theme_of(&self.core.settings);
        for at in 0..self.windows.len() {
            if self.windows[at].frame.shape == Shape::Maximised {
                self.windows[at].frame.outer = self.work_area(self.windows[at].frame.restore.center());
            }
            self.refresh(at);
        }
    }

    /// Tells a program what happened and does what it asks for.
    pub(super) fn send(&mut self, id: u64, event: &Event) {
        let Some(at) = self.index(id) else { return };
        let before = (self.core.files.revision(), self.core.settings.revision());
        self.note_event(at, event);
        let window = &mut self.windows[at];
        let mut cx = Cx {
            words: &self.words,
            files: &mut self.core.files,
            settings: &mut self.core.settings,
            clipboard: &mut self.core.clipboard,
            ui: &mut window.ui,
            now: self.core.now,
            requests: Vec::new(),
        };
        window.app.on(event, &mut cx);
        let requests = cx.requests;
        if before == (self.core.files.revision(), self.core.settings.revision()) {
            self.refresh(at);
        } else {
            self.refresh_all();
        }
        for request in requests {
            self.fulfil(id, request);
        }
    }

    pub(super) fn outcomes(&mut self, id: u64, outcomes: Vec<Outcome>) {
        for outcome in outcomes {
            match outcome {
                Outcome::Event(event) => {
                    self.send(id, &event);
                    self.offer_editing(id, &event);
                }
                Outcome::OpenMenu { bar, under, items } => {
                    let target = Target::Bar { window: id, bar };
                    self.core.popup = Some(Popup::under(
                        under,
                        items,
                        target,
                        self.display_at(under.center()),
                        &self.theme,
                    ));
                }
                Outcome::OpenChoice { id: choice, under, options, selected } => {
                    let area = self.display_at(under.center());
                    let popup = Popup::options(under, &options, selected, id, choice, area, &self.theme);
                    self.core.popup = Some(popup);
                }
                Outcome::Drag { what, text } => {
                    self.core.grab = Some(super::Grab::Carry { what, text, from: id });
                }
            }
        }
        if let Some(at) = self.index(id) {
            self.refresh(at);
        }
    }

    /// The menu of the right button in a text whose program has none.
    fn offer_editing(&mut self, window: u64, event: &Event) {
        let Event::Menu(id, _) = event else { return };
        let Some(ui) = self.ui(window).filter(|_| self.core.popup.is_none()) else { return };
        if !ui.placed().iter().any(|p| p.id == *id && p.is_text() && p.enabled) {
            return;
        }
        let some = ui.states().get(id).is_some_and(|s| !s.edit.selection().is_empty());
        let item = |meaning: &str| MenuItem::new(meaning, self.words.get(meaning));
        let items = vec![
            item("cut").enabled(some),
            item("copy").enabled(some),
            item("paste").enabled(!self.core.clipboard.is_empty()),
            MenuItem::line(),
            item("select all"),
        ];
        let (at, target) = (self.core.pointer, Target::Text { window, id: id.clone() });
        self.core.popup = Some(Popup::at(at, items, target, self.display_at(at), &self.theme));
    }

    /// What was chosen there, as if it had been typed.
    pub(super) fn edit_text(&mut self, window: u64, id: &str, meaning: &str) {
        let letter = match meaning {
            "cut" => 'x',
            "copy" => 'c',
            "paste" => 'v',
            _ => 'a',
        };
        let (Some(at), theme) = (self.index(window), self.theme) else { return };
        let modifiers = Modifiers { control: true, ..Modifiers::NONE };
        let ui = &mut self.windows[at].ui;
        ui.set_focus(id);
        let outcomes = ui.key(Stroke { key: Key::Char(letter), modifiers }, &mut self.core.clipboard, &theme);
        self.outcomes(window, outcomes);
    }

    fn fulfil(&mut self, id: u64, request: Request) {
        match request {
            Request::Close => self.close(id),
            Request::Answer(value) => {
                let dialog = self.frame(id).map(|f| (f.parent, f.tag.clone()));
                self.close(id);
                if let Some((Some(parent), tag)) = dialog {
                    self.send(parent, &Event::Answer { tag, value });
                }
            }
            Request::Open { key, args } => {
                if let Some(kind) = apps::find(&key) {
                    self.open(kind, &args);
                }
            }
            Request::Run { command } => self.run(&command),
            Request::Dialog { key, tag, app, size } => {
                if let Some(kind) = apps::find(key)
                    && self.index(id).is_some()
                {
                    self.open_app(kind, app, Some(id), tag, size);
                }
            }
            Request::Menu(items) => {
                let at = self.core.pointer;
                self.core.popup =
                    Some(Popup::at(at, items, Target::Window(id), self.display_at(at), &self.theme));
            }
        }
    }

    /// Starts a program or opens a file as the run dialog does, and says so if there is none.
    pub(super) fn run(&mut self, command: &str) {
        let command = command.trim();
        let (program, args) = match command.split_once(' ') {
            // The whole may be a name with blanks in it.
            Some((first, rest)) if self.is_program(first) => (first, vec![rest.trim().to_owned()]),
            _ => (command, Vec::new()),
        };
        if self.start(program, &args).is_none() {
            let text = format!("\"{command}\" {}", self.words.get("not found"));
            let title = self.words.get("run");
            self.announce(Message::new(Icon::Error, title, &text).button("ok", self.words.get("ok")));
        }
    }

    fn is_program(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        apps::APPS.iter().any(|k| k.listed && (k.key == word || k.commands.contains(&word.as_str())))
    }

    /// A message box that nobody asked for.
    pub fn announce(&mut self, message: Message) {
        self.revision += 1;
        if let Some(kind) = apps::find("message") {
            self.open_app(kind, Box::new(message), None, String::new(), None);
        }
    }

    /// As its close button does. A window that waits for its dialog shows that instead.
    pub(super) fn ask_to_close(&mut self, id: u64) {
        match self.blocker(id) {
            Some(dialog) => self.activate(dialog),
            None => self.send(id, &Event::Close),
        }
    }

    /// Takes a window away with its dialogs, without asking.
    pub(super) fn close(&mut self, id: u64) {
        let Some(frame) = self.frame(id) else { return };
        let parent = frame.parent;
        self.note(format!("close {}", frame.app));
        while let Some(child) = self.windows.iter().find(|w| w.frame.parent == Some(id)).map(|w| w.frame.id) {
            self.close(child);
        }
        self.windows.retain(|w| w.frame.id != id);
        if self.core.popup.as_ref().is_some_and(|p| p.belongs_to(id)) {
            self.core.popup = None;
        }
        if self.core.active == Some(id) || self.core.active.is_some_and(|a| self.index(a).is_none()) {
            match parent {
                Some(parent) => self.activate(parent),
                None => self.activate_top(),
            }
        }
    }

    /// Opens a program's window from outside, as a task's set-up does. Its number.
    pub fn open_program(&mut self, key: &str, args: &[String]) -> Option<u64> {
        self.revision += 1;
        apps::find(key).map(|kind| self.open(kind, args))
    }

    /// Where windows may go on the display at a place: all but the task bar.
    pub(super) fn work_area(&self, at: ScreenPx) -> ScreenRect {
        let display = self.display_at(at);
        if display != self.primary() {
            return display;
        }
        self.shell_layout().work
    }
}
