//! Tasks with the music player: a track, the volume.

use super::reach::{LOST, Reach};
use super::{Task, Wanted, one};
use crate::desk::Desk;
use crate::desk::ui::draw::list_rows;
use crate::desk::ui::node::Kind;
use crate::desk::words::Words;
use crate::random::Random;
use crate::task::Hand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const LIST: &str = "tracks";
/// So near to what was said the volume may be: a slider moves by more than one at a pixel.
const NEAR: i32 = 3;

/// Opens the player over something else. Its window.
fn open(desk: &mut Desk, random: &mut Random) -> u64 {
    for _ in 0..random.below(2) {
        let _window = desk.open_program(&one(random, &["memo", "calculator", "files"]), &[]);
    }
    desk.open_program("player", &[]).unwrap_or_default()
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlayTrack {
    /// It is not in sight at first.
    hidden: bool,
    window: u64,
    row: usize,
    title: String,
}

impl PlayTrack {
    fn draw(hidden: bool) -> Box<dyn Task> {
        Box::new(Self { hidden, window: 0, row: 0, title: String::new() })
    }

    pub(super) fn plan(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(false)
    }

    pub(super) fn plan_hidden(_: &mut Random, _: &Words) -> Box<dyn Task> {
        Self::draw(true)
    }
}

impl Task for PlayTrack {
    fn objective(&self, words: &Words) -> String {
        let (player, play) = (words.program("player"), words.get("play"));
        format!("In \"{player}\", select \"{}\" and press \"{play}\".", self.title)
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        self.window = open(desk, random);
        let list = desk.ui(self.window).and_then(|ui| ui.placed().iter().find(|p| p.id == LIST));
        let Some((list, Kind::List { items, .. })) = list.map(|list| (list, &list.kind)) else { return };
        let seen = list_rows(list, desk.theme()).size.height as usize / desk.theme().row_height() as usize;
        let seen = seen.min(items.len());
        self.row = if self.hidden {
            (seen + random.below(items.len() - seen)).min(items.len() - 1)
        } else {
            // Not the first: it plays without being selected.
            1 + random.below(seen.saturating_sub(1))
        };
        self.title = items[self.row].cells.first().cloned().unwrap_or_default();
    }

    fn check(&self, desk: &Desk) -> Result<(), String> {
        let model = desk.model(self.window);
        let so = model["track"] == *self.title && model["playing"] == true;
        if so { Ok(()) } else { Err(format!("the player has {model}")) }
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        let model = reach.desk.model(self.window);
        let selected = reach.ui(self.window).and_then(|ui| ui.selected(LIST)) == Some(self.row);
        if model["playing"] == true || selected {
            return reach.press(self.window, "play");
        }
        reach.row(self.window, LIST, self.row)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Volume {
    window: u64,
    wanted: i32,
}

impl Volume {
    pub(super) fn plan(random: &mut Random, _: &Words) -> Box<dyn Task> {
        // Away from where it is at first.
        let wanted = *random.pick(&[10, 20, 30, 40, 80, 90]).unwrap_or(&30);
        Box::new(Self { window: 0, wanted })
    }
}

impl Task for Volume {
    fn objective(&self, words: &Words) -> String {
        let (player, volume) = (words.program("player"), words.get("volume"));
        format!("In \"{player}\", drag \"{volume}\" to about {}.", self.wanted)
    }

    fn stage(&mut self, desk: &mut Desk, random: &mut Random) {
        self.window = open(desk, random);
    }

    fn wanted(&self, desk: &Desk) -> Wanted {
        let is = desk.settings().number("volume").filter(|v| (v - self.wanted).abs() <= NEAR);
        Wanted::setting("volume", &is.unwrap_or(self.wanted).to_string())
    }

    fn next(&self, reach: &Reach<'_>) -> Hand {
        if reach.desk.index(self.window).is_none() {
            return LOST;
        }
        reach.slide(self.window, "volume", self.wanted)
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
