//! The witness's windows: panes over one screen of cells, painted pixel by pixel where a cell has only two.
//!
//! A half block shows two colours, its own and that of its ground. Where cells are larger than that, a cell is one colour, that of the
//! pixel in its middle.

use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_testkit::witness_protocol::{Which, pattern};
use std::fmt::Write as _;

/// Of what no window covers.
const NOTHING: [u8; 3] = [60, 50, 40];

#[derive(Clone, Copy)]
struct Pane {
    which: Which,
    client: ScreenRect,
    seed: u32,
}

pub(crate) struct Panes {
    /// The topmost last.
    panes: Vec<Pane>,
    focused: Option<Which>,
    cells: (u32, u32),
    pixels: Size,
}

impl Panes {
    pub(crate) fn new() -> Self {
        Self { panes: Vec::new(), focused: None, cells: (0, 0), pixels: Size::default() }
    }

    /// The size of the screen may be another.
    pub(crate) fn resize(&mut self, cells: (u32, u32), pixels: Size) -> Vec<u8> {
        if (cells, pixels) == (self.cells, self.pixels) {
            return Vec::new();
        }
        (self.cells, self.pixels) = (cells, pixels);
        self.draw(ScreenRect::new(0, 0, pixels.width, pixels.height))
    }

    pub(crate) fn open(&mut self, which: Which, client: ScreenRect, seed: u32) -> Vec<u8> {
        let mut drawn = self.close(which);
        self.panes.push(Pane { which, client, seed });
        self.focused = Some(which);
        drawn.extend(self.draw(client));
        drawn
    }

    pub(crate) fn close(&mut self, which: Which) -> Vec<u8> {
        let Some(at) = self.panes.iter().position(|p| p.which == which) else { return Vec::new() };
        let pane = self.panes.remove(at);
        if self.focused == Some(which) {
            self.focused = None;
        }
        self.draw(pane.client)
    }

    pub(crate) fn place(&mut self, which: Which, client: ScreenRect) -> Vec<u8> {
        let Some(pane) = self.panes.iter_mut().find(|p| p.which == which) else { return Vec::new() };
        let before = std::mem::replace(&mut pane.client, client);
        let mut drawn = self.draw(before);
        drawn.extend(self.draw(client));
        drawn
    }

    pub(crate) fn paint(&mut self, which: Which, seed: u32) -> Vec<u8> {
        let Some(pane) = self.panes.iter_mut().find(|p| p.which == which) else { return Vec::new() };
        pane.seed = seed;
        let client = pane.client;
        self.draw(client)
    }

    pub(crate) fn focus(&mut self, which: Which) -> Vec<u8> {
        self.focused = self.panes.iter().any(|p| p.which == which).then_some(which);
        Vec::new()
    }

    pub(crate) fn focused(&self) -> Option<Which> {
        self.focused
    }

    pub(crate) fn under(&self, at: ScreenPx) -> Option<Which> {
        self.panes.iter().rev().find(|p| p.client.contains(at)).map(|p| p.which)
    }

    pub(crate) fn corner(&self, which: Which) -> ScreenPx {
        self.panes.iter().find(|p| p.which == which).map_or(ScreenPx::new(0, 0), |p| p.client.origin)
    }

    /// Red, green, blue.
    fn colour(&self, x: u32, y: u32) -> [u8; 3] {
        let at = ScreenPx::new(x as i32, y as i32);
        let Some(pane) = self.panes.iter().rev().find(|p| p.client.contains(at)) else { return NOTHING };
        let (column, row) = (x as i32 - pane.client.origin.x, y as i32 - pane.client.origin.y);
        let [blue, green, red] = pattern(pane.seed, column as u32, row as u32);
        [red, green, blue]
    }

    /// What shows the cells that an area touches.
    fn draw(&self, area: ScreenRect) -> Vec<u8> {
        let (columns, rows) = self.cells;
        let cell = Size::new(self.pixels.width / columns.max(1), self.pixels.height / rows.max(1));
        let screen = ScreenRect::new(0, 0, columns * cell.width, rows * cell.height);
        let Some(area) = area.intersect(&screen) else { return Vec::new() };
        let (left, top) = (area.origin.x as u32 / cell.width, area.origin.y as u32 / cell.height);
        let right = (area.right() as u32).div_ceil(cell.width);
        let bottom = (area.bottom() as u32).div_ceil(cell.height);
        let mut drawn = String::new();
        for row in top..bottom {
            write!(drawn, "\x1b[{};{}H", row + 1, left + 1).expect("memory");
            for column in left..right {
                let (x, y) = (column * cell.width, row * cell.height);
                if cell == Size::new(1, 2) {
                    let ([r, g, b], [lr, lg, lb]) = (self.colour(x, y), self.colour(x, y + 1));
                    write!(drawn, "\x1b[38;2;{r};{g};{b};48;2;{lr};{lg};{lb}m▀").expect("memory");
                } else {
                    let [r, g, b] = self.colour(x + cell.width / 2, y + cell.height / 2);
                    write!(drawn, "\x1b[48;2;{r};{g};{b}m ").expect("memory");
                }
            }
        }
        drawn.into_bytes()
    }
}
