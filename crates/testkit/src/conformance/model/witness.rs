//! The witness of the desktop in memory.

use super::{Due, Open, Shared};
use crate::conformance::witness::{Deed, Held, Seen, Which, Witness};
use handsight_base::space::{ScreenPx, ScreenRect, Size};

pub(super) struct ModelWitness(pub(super) Shared);

impl Witness for ModelWitness {
    fn open(&mut self, window: Which, client: ScreenRect, seed: u32, _framed: bool) {
        self.close(window);
        let mut state = self.0.lock();
        state.windows.push(Open { which: window, client, first: client, seed });
        state.focus = Some(window);
    }

    fn place(&mut self, window: Which, client: ScreenRect) {
        let mut state = self.0.lock();
        state.windows.iter_mut().filter(|w| w.which == window).for_each(|w| w.client = client);
    }

    fn paint(&mut self, window: Which, seed: u32) {
        let mut state = self.0.lock();
        state.windows.iter_mut().filter(|w| w.which == window).for_each(|w| w.seed = seed);
    }

    fn close(&mut self, window: Which) {
        let mut state = self.0.lock();
        state.windows.retain(|w| w.which != window);
        state.focus = state.focus.filter(|focus| *focus != window);
    }

    fn focus(&mut self, window: Which) {
        self.0.lock().focus = Some(window);
    }

    fn events(&mut self) -> Vec<Seen> {
        self.0.lock().events.clone()
    }

    fn forget(&mut self) {
        let mut state = self.0.lock();
        state.events.clear();
        state.texts.iter_mut().for_each(String::clear);
        state.due = None;
        state.gone = false;
    }

    fn text(&mut self, window: Which) -> String {
        self.0.lock().texts[window as usize].clone()
    }

    fn held(&mut self) -> Held {
        let state = self.0.lock();
        Held {
            keys: state.keys.iter().map(ToString::to_string).collect(),
            buttons: state.buttons.iter().map(|b| format!("{b:?}")).collect(),
        }
    }

    fn pointer(&mut self) -> ScreenPx {
        self.0.lock().pointer
    }

    fn at(&mut self, events: u32, deed: Deed, told: Box<dyn FnOnce() + Send>) {
        self.0.lock().due = Some(Due { events, deed, told });
    }

    fn cursor(&mut self) {
        self.0.lock().sprite = true;
    }

    fn clipboard(&mut self) -> String {
        self.0.lock().clipboard.clone()
    }

    fn set_clipboard(&mut self, text: &str) {
        self.0.lock().clipboard = text.to_owned();
    }

    fn resize_screen(&mut self, to: Size) {
        self.0.lock().displays[0].area.size = to;
    }
}
