//! A music player without sound: a list of tracks, a volume, and what would be playing.

use super::{App, Cx, Look};
use crate::desk::ui::Event;
use crate::desk::ui::icons::Icon;
use crate::desk::ui::node::{Item, Node, Panel, button, check, column, label, list, picture, row, slider};
use crate::desk::words::{Settings, Words};
use handsight_base::key::{Key, Modifiers, Named};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const TITLES: &[&str] = &[
    "Harbour Lights",
    "Paper Boats",
    "Slow Train",
    "The Long Field",
    "Winter Garden",
    "Copper Sky",
    "Northern Road",
    "Quiet Machines",
    "Salt and Stone",
    "Second Summer",
    "Glass Bridge",
    "Lanterns",
    "Small Hours",
    "Open Water",
    "Old Letters",
    "Morning Market",
];
const ARTISTS: &[&str] = &["Mira Holt", "The Ferrymen", "Oskar Lind", "Blue Orchard", "Tamsin Vale"];
const DEFAULT_VOLUME: i32 = 60;

struct Track {
    title: &'static str,
    artist: &'static str,
    seconds: usize,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Player {
    /// Title of the track that is on.
    track: Option<String>,
    playing: bool,
}

fn tracks(words: &Words) -> Vec<Track> {
    let mut lot = words.lot("tracks");
    let mut titles = TITLES.to_vec();
    lot.shuffle(&mut titles);
    titles.truncate(12);
    let mut track = |title| Track {
        title,
        artist: lot.pick(ARTISTS).copied().unwrap_or(""),
        seconds: lot.below(240) + 110,
    };
    titles.into_iter().map(&mut track).collect()
}

fn volume(settings: &Settings) -> i32 {
    settings.number("volume").unwrap_or(DEFAULT_VOLUME).clamp(0, 100)
}

impl Player {
    fn at(&self, tracks: &[Track]) -> Option<usize> {
        let track = self.track.as_deref()?;
        tracks.iter().position(|t| t.title == track)
    }

    fn put_on(&mut self, at: usize, cx: &mut Cx<'_>) {
        if let Some(track) = tracks(cx.words).get(at) {
            (self.track, self.playing) = (Some(track.title.to_owned()), true);
            cx.ui.select("tracks", Some(at));
        }
    }

    fn press(&mut self, id: &str, cx: &mut Cx<'_>) {
        let tracks = tracks(cx.words);
        let now = self.at(&tracks);
        match (id, now) {
            ("play", Some(_)) if self.playing => self.playing = false,
            ("play", Some(at)) => {
                // Another one was chosen while this one rested.
                let chosen = cx.ui.selected("tracks").unwrap_or(at);
                self.put_on(chosen, cx);
            }
            ("play", None) => self.put_on(cx.ui.selected("tracks").unwrap_or(0), cx),
            ("next", Some(at)) => self.put_on((at + 1) % tracks.len(), cx),
            ("previous", Some(at)) => self.put_on((at + tracks.len() - 1) % tracks.len(), cx),
            _ => {}
        }
    }
}

impl App for Player {
    fn title(&self, look: &Look<'_>) -> String {
        look.words.program("player").to_owned()
    }

    fn view(&self, look: &Look<'_>) -> Node {
        let words = look.words;
        let tracks = tracks(words);
        let now = self.at(&tracks).map(|at| &tracks[at]);
        let item = |t: &Track| {
            let length = format!("{}:{:02}", t.seconds / 60, t.seconds % 60);
            let on = self.playing && now.is_some_and(|now| now.title == t.title);
            let mark = if on { "▶ " } else { "" };
            Item::new(format!("{mark}{}", t.title)).cell(t.artist).cell(length)
        };
        let rows = list("tracks", tracks.iter().map(item).collect()).columns([
            (words.get("track"), 5),
            (words.get("artist"), 4),
            (words.get("length"), 2),
        ]);
        let (title, artist) = now.map_or((words.get("nothing playing"), ""), |t| (t.title, t.artist));
        let mut names = vec![label(title).bold().larger(3)];
        names.extend(now.map(|_| label(artist).dim()));
        let names = column(names).gap(2);
        let play = words.get(if self.playing { "pause" } else { "play" });
        let buttons = row(vec![
            button("previous", words.get("previous")).enabled(now.is_some()),
            button("play", play).primary(),
            button("next", words.get("next")).enabled(now.is_some()),
        ]);
        let muted = look.settings.is_on("mute");
        let loud = volume(look.settings);
        let volume = row(vec![
            label(words.get("volume")),
            slider("volume", loud, 0, 100).wide().enabled(!muted),
            label(loud.to_string()).width(32),
            check("mute", words.get("mute"), muted),
        ])
        .gap(12);
        let head = row(vec![picture(Icon::Music, 44), names]).gap(14);
        column(vec![
            column(vec![head, rows]).pad(12).gap(10).tall(),
            column(vec![buttons, volume]).panel(Panel::Bar).pad(10),
        ])
        .gap(0)
    }

    fn on(&mut self, event: &Event, cx: &mut Cx<'_>) {
        match event {
            Event::Opened => cx.ui.set_focus("tracks"),
            Event::Activate(id, at) if id == "tracks" => self.put_on(*at, cx),
            Event::Press(id) => self.press(id, cx),
            Event::Slide(id, value) if id == "volume" => cx.settings.set("volume", value.to_string()),
            Event::Toggle(id, on) if id == "mute" => cx.settings.set("mute", if *on { "on" } else { "off" }),
            Event::Key(Key::Named(Named::Space), Modifiers::NONE) => self.press("play", cx),
            Event::Close => cx.close(),
            _ => {}
        }
    }

    fn save(&self) -> Value {
        json!(self)
    }
}
