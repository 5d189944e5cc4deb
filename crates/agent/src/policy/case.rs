//! Proposed actions as a person writes them, one JSON object a line, and what a policy says of each.
//!
//! It is how a policy is tried before a run, and how one's own cases are kept: a line may say what it expects. Points are in screen units.

use super::{Past, RULES, gate, launch};
use crate::profile::{Aliases, Layer, Profile, ProfileError, set_layer};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot, WindowQuery};
use handsight_base::gate::{Done, Refusal, Scene};
use handsight_base::key::{Chord, KeyError, Modifiers};
use handsight_base::port::desktop::{Window, WindowId, WindowState};
use handsight_base::space::{At, FrameGeometry, FrameId, FramePx, ScreenPx, ScreenRect, Size};
use serde::{Deserialize, Serialize};

/// One line: one action, and what is known around it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Case {
    click: Option<[i32; 2]>,
    #[serde(rename = "move")]
    go: Option<[i32; 2]>,
    down: Option<[i32; 2]>,
    up: Option<[i32; 2]>,
    drag: Option<Vec<[i32; 2]>>,
    /// Notches to the right and up, at the pointer.
    scroll: Option<[i32; 2]>,
    #[serde(rename = "type")]
    text: Option<String>,
    paste: Option<String>,
    key: Option<String>,
    hold: Option<String>,
    wait: Option<u64>,
    launch: Option<Words>,
    /// A part of a window's title.
    focus: Option<String>,
    /// Of a click or drag: `left`, `middle`, `right`.
    button: Button,
    /// Modifiers of a click or drag: `ctrl+shift`.
    with: Option<String>,
    /// Chords that were pressed before, each alone.
    after: Vec<String>,
    scene: Around,
    /// What the policy should say.
    pub expect: Option<Verdict>,
    /// Settings on top, as `--set` takes them.
    pub set: Vec<String>,
    /// For people.
    pub note: String,
}

/// A command as words or as one text.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Words {
    Argv(Vec<String>),
    Line(String),
}

/// What is known of the moment.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Around {
    /// The topmost first; the first has the focus unless another says so.
    windows: Option<Vec<Shown>>,
    pointer: Option<[i32; 2]>,
    actions: u64,
    launches: u64,
    last_minute: u64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Shown {
    title: String,
    class: String,
    program: Option<String>,
    /// `[x, y, width, height]`; the whole screen if not said.
    area: Option<[i64; 4]>,
    focused: bool,
}

/// What a policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Allowed,
    /// A person is asked first.
    Asked,
    Refused,
}

impl Verdict {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Asked => "asked",
            Self::Refused => "refused",
        }
    }
}

/// What a policy says of one action, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// `launch ["xterm"]`
    pub action: String,
    pub verdict: Verdict,
    /// The rules that object.
    pub rules: Vec<&'static str>,
    pub why: String,
    /// The settings that change it.
    pub settings: Vec<&'static str>,
}

/// Why a line cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    #[error("{0}")]
    Json(String),
    #[error(
        "a line names one action: click, move, down, up, drag, scroll, type, paste, key, hold, wait, launch or focus; this one has {0}"
    )]
    Actions(usize),
    #[error("{0}")]
    Key(#[from] KeyError),
    #[error("{0:?} are no modifiers; write some of ctrl, alt, shift and super, with + between")]
    Modifiers(String),
    #[error("a window's `area` is [x, y, width, height] of one pixel or more")]
    Area,
    #[error("`set`: {0}")]
    Setting(#[from] ProfileError),
}

/// The whole of what points can be: screens lie on both sides of the origin.
const EDGE: i32 = 32_768;
const EVERYWHERE: FrameGeometry = FrameGeometry {
    frame: FrameId(1),
    size: Size { width: 65_536, height: 65_536 },
    origin: ScreenPx { x: -EDGE, y: -EDGE },
    scale: 1.0,
};

impl Case {
    /// Reads one line.
    pub fn read(line: &str) -> Result<Self, CaseError> {
        let case: Self = serde_json::from_str(line).map_err(|e| CaseError::Json(e.to_string()))?;
        let given = case.actions()?.len();
        if given == 1 { Ok(case) } else { Err(CaseError::Actions(given)) }
    }

    /// What the policy of `profile`, with the settings of this line, says.
    pub fn explain(&self, profile: &Profile) -> Result<Explained, CaseError> {
        self.explain_as_set(&self.settled(profile)?)
    }

    /// What the policy of `profile` says, whatever settings the line has.
    pub(super) fn explain_as_set(&self, profile: &Profile) -> Result<Explained, CaseError> {
        let action = self.actions()?.pop().ok_or(CaseError::Actions(0))?;
        let mut past = Past::default();
        for chord in &self.after {
            past.pressed(&chord.parse::<Chord>()?.0);
        }
        let windows = self.scene.windows.as_ref().map(|shown| windows(shown)).transpose()?;
        let pointer = self.scene.pointer.map(|[x, y]| ScreenPx::new(x, y));
        let Around { actions, launches, last_minute, .. } = self.scene;
        let scene = Scene {
            held: past.held(),
            windows: windows.as_deref(),
            pointer,
            done: Done { actions, launches, last_minute },
            ..Scene::new(&EVERYWHERE, 1)
        };
        let words = action.words(|spot| {
            EVERYWHERE.screen_from_frame(*spot).map_or_else(|e| e.to_string(), |p| p.to_string())
        });
        let explained = |verdict, rules: Vec<&'static str>, why| {
            let settings = RULES.iter().filter(|r| rules.contains(&r.name));
            let settings = settings.flat_map(|r| r.settings.iter().copied()).collect();
            Explained { action: words, verdict, rules, why, settings }
        };
        Ok(match gate(profile)?.approve(action, &scene) {
            Ok(_) => explained(Verdict::Allowed, Vec::new(), "no rule objects".to_owned()),
            Err(Refusal::Rule { rule, why }) => explained(Verdict::Refused, vec![rule], why),
            Err(Refusal::Ask(asked)) => {
                let rules = asked.points().iter().map(|(rule, _)| *rule).collect();
                let why = asked.points().iter().map(|(_, why)| why.as_str()).collect::<Vec<_>>().join("; ");
                explained(Verdict::Asked, rules, why)
            }
            Err(other) => explained(Verdict::Refused, Vec::new(), other.to_string()),
        })
    }

    /// The profile with the settings of this line.
    pub(super) fn settled(&self, profile: &Profile) -> Result<Profile, CaseError> {
        if self.set.is_empty() {
            return Ok(profile.clone());
        }
        let aliases = Aliases::of(&profile.name, &[])?;
        let layers = self.set.iter().map(|set| set_layer(&aliases, set)).collect::<Result<Vec<_>, _>>()?;
        let base = Layer::file("the profile", profile.to_toml());
        Ok(Profile::from_parts(base, &profile.prompt, &layers)?)
    }

    fn actions(&self) -> Result<Vec<Action>, CaseError> {
        let modifiers = self.modifiers()?;
        let button = self.button;
        let chord = |text: &Option<String>| text.as_ref().map(|t| t.parse::<Chord>()).transpose();
        let (key, hold) = (chord(&self.key)?, chord(&self.hold)?);
        let argv = |words: &Words| match words {
            Words::Argv(argv) => argv.clone(),
            Words::Line(line) => launch::words(line),
        };
        let all = [
            self.click.map(|at| Action::Click { at: Some(spot(at)), button, count: 1, modifiers }),
            self.go.map(|to| Action::Move { to: spot(to) }),
            self.down.map(|at| Action::Down { at: Some(spot(at)), button }),
            self.up.map(|at| Action::Up { at: Some(spot(at)), button }),
            self.drag.as_ref().map(|path| {
                let path = path.iter().map(|at| spot(*at)).collect();
                Action::Drag { path, button, modifiers }
            }),
            self.scroll.map(|[dx, dy]| Action::Scroll {
                at: None,
                by: ScrollBy::Notches { dx, dy },
                modifiers,
            }),
            self.text.as_ref().map(Action::typed),
            self.paste.as_ref().map(|text| Action::Paste { text: text.clone() }),
            key.map(|chord| Action::Key { chord, repeat: 1 }),
            hold.map(|chord| Action::HoldKey { chord, millis: 100 }),
            self.wait.map(|millis| Action::Wait { millis }),
            self.launch.as_ref().map(|words| Action::Launch { argv: argv(words) }),
            self.focus
                .as_ref()
                .map(|title| Action::FocusWindow { query: WindowQuery::TitlePart(title.clone()) }),
        ];
        Ok(all.into_iter().flatten().collect())
    }

    fn modifiers(&self) -> Result<Modifiers, CaseError> {
        let mut modifiers = Modifiers::NONE;
        let Some(with) = &self.with else { return Ok(modifiers) };
        if with.parse::<Chord>()?.0.into_iter().all(|key| modifiers.add(key)) {
            return Ok(modifiers);
        }
        Err(CaseError::Modifiers(with.clone()))
    }
}

const fn spot([x, y]: [i32; 2]) -> Spot {
    At { point: FramePx { x: x.saturating_add(EDGE), y: y.saturating_add(EDGE) }, frame: FrameId(1) }
}

fn windows(shown: &[Shown]) -> Result<Vec<Window>, CaseError> {
    let named = shown.iter().any(|w| w.focused);
    let windows = shown.iter().enumerate().map(|(i, w)| {
        let area = match w.area {
            None => ScreenRect::new(-EDGE, -EDGE, 65_536, 65_536),
            Some(area) => crate::profile::Area(area).rect().ok_or(CaseError::Area)?,
        };
        Ok(Window {
            id: WindowId(i as u64 + 1),
            title: w.title.clone(),
            class: if w.class.is_empty() { Vec::new() } else { vec![w.class.clone()] },
            pid: None,
            program: w.program.clone(),
            client: area,
            outer: area,
            state: WindowState::Normal,
            focused: w.focused || (!named && i == 0),
        })
    });
    windows.collect()
}
