//! What the program asks of its terminal beyond drawing: modes that the parser leaves to us, questions, the clipboard.
//!
//! Every answer is text that a program may rely on, so only what is true is answered; a question that is not known gets none, as
//! from any terminal. The clipboard is this terminal's own: no program reads the person's.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handsight_base::space::Size;
use vt100::Screen;

use crate::terminal::Cells;

/// The deepest that flags of the keyboard are kept; a program that pushes more loses the oldest.
const DEEPEST: usize = 16;
/// The most that a program may put on the clipboard, in bytes.
const MOST_COPIED: usize = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct Answers {
    cell: Size,
    /// Mouse reports give pixels (mode 1016).
    pub(crate) pixels: bool,
    /// The flags of the kitty keyboard protocol, of the main and of the alternate screen.
    keyboard: [Vec<u8>; 2],
    /// What a program has copied; `None` if nothing was.
    pub(crate) clipboard: Option<String>,
    /// What is to be sent to the program.
    pending: Vec<u8>,
}

impl Answers {
    pub(crate) fn new(cell: Size) -> Self {
        Self { cell, ..Self::default() }
    }

    /// What is to be sent to the program now.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pending)
    }

    /// How the program wants keys: flags of the kitty keyboard protocol, 0 for a terminal's old ways.
    pub(crate) fn keyboard(&self, screen: &Screen) -> u8 {
        let [main, alternate] = &self.keyboard;
        let flags = if screen.alternate_screen() { alternate } else { main };
        flags.last().copied().unwrap_or(0)
    }

    fn say(&mut self, text: &str) {
        self.pending.extend_from_slice(text.as_bytes());
    }

    fn keyboard_mode(&mut self, screen: &Screen, intermediate: u8, params: &[u16]) {
        let now = self.keyboard(screen);
        let param = |n: usize, default: u16| params.get(n).copied().filter(|p| *p != 0).unwrap_or(default);
        let flags = (param(0, 0) & 0b1_1111) as u8;
        let stack = &mut self.keyboard[usize::from(screen.alternate_screen())];
        match intermediate {
            b'?' => self.say(&format!("\x1b[?{now}u")),
            b'>' => {
                if stack.len() == DEEPEST {
                    stack.remove(0);
                }
                stack.push(flags);
            }
            b'<' => stack.truncate(stack.len().saturating_sub(param(0, 1).into())),
            _ => {
                let flags = match param(1, 1) {
                    2 => now | flags,
                    3 => now & !flags,
                    _ => flags,
                };
                stack.pop();
                stack.push(flags);
            }
        }
    }

    /// The size of a picture, a cell or the screen, as a program asks for it.
    fn report_size(&mut self, screen: &Screen, what: u16) {
        let (rows, columns) = screen.size();
        let (rows, columns) = (u32::from(rows.get()), u32::from(columns.get()));
        let Size { width, height } = self.cell;
        let (kind, down, across) = match what {
            14 => (4, rows * height, columns * width),
            16 => (6, height, width),
            18 => (8, rows, columns),
            _ => return,
        };
        self.say(&format!("\x1b[{kind};{down};{across}t"));
    }
}

impl vt100::Callbacks for Answers {
    fn resize(&mut self, screen: &mut Screen, (rows, columns): (u16, u16)) {
        let Cells { columns, rows } = Cells::new(columns, rows);
        screen.set_size(rows, columns);
    }

    fn copy_to_clipboard(&mut self, _: &mut Screen, _: &[u8], data: &[u8]) {
        let copied = STANDARD.decode(data).ok().filter(|bytes| bytes.len() <= MOST_COPIED);
        if let Some(text) = copied.and_then(|bytes| String::from_utf8(bytes).ok()) {
            self.clipboard = Some(text);
        }
    }

    fn paste_from_clipboard(&mut self, _: &mut Screen, which: &[u8]) {
        let text = STANDARD.encode(self.clipboard.as_deref().unwrap_or_default());
        let which = String::from_utf8_lossy(which).into_owned();
        self.say(&format!("\x1b]52;{which};{text}\x1b\\"));
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        first: Option<u8>,
        second: Option<u8>,
        params: &[&[u16]],
        end: char,
    ) {
        let flat: Vec<u16> = params.iter().map(|p| p.first().copied().unwrap_or(0)).collect();
        let what = flat.first().copied().unwrap_or(0);
        match (first, second, end) {
            (Some(b'?'), None, 'h' | 'l') if flat.contains(&1016) => self.pixels = end == 'h',
            (Some(b'?'), Some(b'$'), 'p') if what == 1016 => {
                let state = if self.pixels { 1 } else { 2 };
                self.say(&format!("\x1b[?1016;{state}$y"));
            }
            (Some(by @ (b'?' | b'>' | b'<' | b'=')), None, 'u') => self.keyboard_mode(screen, by, &flat),
            (None, None, 'n') if what == 5 => self.say("\x1b[0n"),
            (None, None, 'n') if what == 6 => {
                let (row, column) = screen.cursor_position();
                self.say(&format!("\x1b[{};{}R", row + 1, column + 1));
            }
            // A VT220 with colours: what programs expect of an xterm.
            (None, None, 'c') if what == 0 => self.say("\x1b[?62;22c"),
            (None, None, 't') => self.report_size(screen, what),
            _ => {}
        }
    }
}
