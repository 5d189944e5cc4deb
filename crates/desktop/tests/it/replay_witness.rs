//! A witness that is listened to, and one that tells again what was heard: a replay has no windows that anything could reach.

use handsight_base::space::{ScreenPx, ScreenRect, Size};
use handsight_testkit::conformance::Witness;
use handsight_testkit::conformance::witness::{Deed, Held, Seen, Which};
use handsight_testkit::witness_protocol::{Ask, Said};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What was asked of a witness and what it said, in order.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<(Ask, Said)>>>);

impl Heard {
    fn lock(&self) -> MutexGuard<'_, Vec<(Ask, Said)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the asking goes as it went then.
#[derive(Clone, Default)]
pub(crate) struct Asking(Arc<Mutex<Progress>>);

#[derive(Default)]
struct Progress {
    left: VecDeque<(Ask, Said)>,
    otherwise: Option<String>,
}

impl Asking {
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it first went otherwise, or what was asked then and is not any more.
    pub(crate) fn difference(&self) -> Option<String> {
        let progress = self.lock();
        let missed = || progress.left.front().map(|(ask, _)| format!("the witness was not asked {ask:?}"));
        progress.otherwise.clone().or_else(missed)
    }
}

/// Passes everything on and remembers it.
pub(crate) struct Listening {
    pub(crate) witness: Box<dyn Witness>,
    pub(crate) heard: Heard,
}

impl Listening {
    fn hear<R>(
        &mut self,
        ask: Ask,
        run: impl FnOnce(&mut dyn Witness) -> R,
        said: impl FnOnce(&R) -> Said,
    ) -> R {
        let answer = run(&mut *self.witness);
        self.heard.lock().push((ask, said(&answer)));
        answer
    }

    fn tell(&mut self, ask: Ask, run: impl FnOnce(&mut dyn Witness)) {
        self.hear(ask, run, |()| Said::Done);
    }
}

impl Witness for Listening {
    fn open(&mut self, window: Which, client: ScreenRect, seed: u32, framed: bool) {
        self.tell(Ask::Open { window, client, seed, framed }, |w| w.open(window, client, seed, framed));
    }

    fn place(&mut self, window: Which, client: ScreenRect) {
        self.tell(Ask::Place { window, client }, |w| w.place(window, client));
    }

    fn paint(&mut self, window: Which, seed: u32) {
        self.tell(Ask::Paint { window, seed }, |w| w.paint(window, seed));
    }

    fn close(&mut self, window: Which) {
        self.tell(Ask::Close { window }, |w| w.close(window));
    }

    fn focus(&mut self, window: Which) {
        self.tell(Ask::Focus { window }, |w| w.focus(window));
    }

    fn events(&mut self) -> Vec<Seen> {
        self.hear(Ask::Events, |w| w.events(), |events| Said::Events { events: events.clone() })
    }

    fn forget(&mut self) {
        self.tell(Ask::Forget, |w| w.forget());
    }

    fn text(&mut self, window: Which) -> String {
        self.hear(Ask::Text { window }, |w| w.text(window), |text| Said::Text { text: text.clone() })
    }

    fn held(&mut self) -> Held {
        self.hear(Ask::Held, |w| w.held(), |held| Said::Held { held: held.clone() })
    }

    fn pointer(&mut self) -> ScreenPx {
        self.hear(Ask::Pointer, |w| w.pointer(), |at| Said::Place { at: *at })
    }

    fn at(&mut self, events: u32, deed: Deed, told: Box<dyn FnOnce() + Send>) {
        self.tell(Ask::At { events, deed }, |w| w.at(events, deed, told));
    }

    fn cursor(&mut self) {
        self.tell(Ask::Cursor, |w| w.cursor());
    }

    fn clipboard(&mut self) -> String {
        self.hear(Ask::Clipboard, |w| w.clipboard(), |text| Said::Text { text: text.clone() })
    }

    fn set_clipboard(&mut self, text: &str) {
        self.tell(Ask::SetClipboard { text: text.to_owned() }, |w| w.set_clipboard(text));
    }

    fn resize_screen(&mut self, to: Size) {
        // There is no word for it between processes: whoever resizes a screen is in the test.
        self.witness.resize_screen(to);
    }
}

/// Says what was heard, as long as it is asked the same.
pub(crate) struct Retelling(Asking);

impl Retelling {
    pub(crate) fn of(heard: &Heard) -> Self {
        let left = heard.lock().iter().cloned().collect();
        Self(Asking(Arc::new(Mutex::new(Progress { left, otherwise: None }))))
    }

    /// The handle stays good when the witness is given away.
    pub(crate) fn asking(&self) -> Asking {
        self.0.clone()
    }

    fn say(&mut self, ask: &Ask) -> Option<Said> {
        let mut progress = self.0.lock();
        match progress.left.pop_front() {
            Some((then, said)) if then == *ask => Some(said),
            then => {
                let then = then.map(|(ask, _)| ask);
                let words = || format!("the witness was asked {then:?} then, {ask:?} now");
                progress.otherwise.get_or_insert_with(words);
                None
            }
        }
    }

    fn listen(&mut self, ask: &Ask) {
        self.say(ask);
    }
}

impl Witness for Retelling {
    fn open(&mut self, window: Which, client: ScreenRect, seed: u32, framed: bool) {
        self.listen(&Ask::Open { window, client, seed, framed });
    }

    fn place(&mut self, window: Which, client: ScreenRect) {
        self.listen(&Ask::Place { window, client });
    }

    fn paint(&mut self, window: Which, seed: u32) {
        self.listen(&Ask::Paint { window, seed });
    }

    fn close(&mut self, window: Which) {
        self.listen(&Ask::Close { window });
    }

    fn focus(&mut self, window: Which) {
        self.listen(&Ask::Focus { window });
    }

    fn events(&mut self) -> Vec<Seen> {
        if let Some(Said::Events { events }) = self.say(&Ask::Events) { events } else { Vec::new() }
    }

    fn forget(&mut self) {
        self.listen(&Ask::Forget);
    }

    fn text(&mut self, window: Which) -> String {
        if let Some(Said::Text { text }) = self.say(&Ask::Text { window }) { text } else { String::new() }
    }

    fn held(&mut self) -> Held {
        if let Some(Said::Held { held }) = self.say(&Ask::Held) { held } else { Held::default() }
    }

    fn pointer(&mut self) -> ScreenPx {
        if let Some(Said::Place { at }) = self.say(&Ask::Pointer) { at } else { ScreenPx::new(0, 0) }
    }

    fn at(&mut self, events: u32, deed: Deed, told: Box<dyn FnOnce() + Send>) {
        // What it brought about stands in the results.
        drop(told);
        self.listen(&Ask::At { events, deed });
    }

    fn cursor(&mut self) {
        self.listen(&Ask::Cursor);
    }

    fn clipboard(&mut self) -> String {
        if let Some(Said::Text { text }) = self.say(&Ask::Clipboard) { text } else { String::new() }
    }

    fn set_clipboard(&mut self, text: &str) {
        self.listen(&Ask::SetClipboard { text: text.to_owned() });
    }

    /// A recording has no screen to give another size.
    fn resize_screen(&mut self, _to: Size) {}
}
