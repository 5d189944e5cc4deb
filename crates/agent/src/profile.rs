//! Profiles: which of the engine's parts a run uses, as data.
//!
//! A profile is a TOML file with one table a stage and a prompt in Markdown. Five layers make the resolved profile, each a file
//! of the same form that may leave anything out: defaults, the profile, the user's file, the environment, `--set`. An unknown key
//! is an error that names its layer, its line and the nearest key there is; nothing is ignored.
//!
//! This module refuses to read files, the environment or the command line: `app` hands in what it found.

mod check;
mod key;
mod layer;
mod marks;
mod perceive;
mod person;
mod picture;
mod policy;

use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::prompt::Sampling;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use key::ApiKey;
pub use layer::{
    Aliases, Layer, Misread, ProfileError, environment_layer, line_at, misread, nearest, set_layer,
};
pub use marks::Marks;
pub use perceive::{Ocr, Perceive, Reads};
pub use person::{Person, Resume};
pub use picture::Annotate;
pub use policy::{Area, Decree, On, Policy, WindowMatch};

/// The shipped profiles: name, TOML, prompt. Help, docs and tests iterate over this.
pub const PROFILES: &[(&str, &str, &str)] = &[
    (
        "stateless",
        include_str!("../../../profiles/stateless/profile.toml"),
        include_str!("../../../profiles/stateless/prompt.md"),
    ),
    (
        "assist",
        include_str!("../../../profiles/assist/profile.toml"),
        include_str!("../../../profiles/assist/prompt.md"),
    ),
];

/// A resolved profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub name: String,
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub about: String,
    #[serde(default)]
    pub capture: Capture,
    #[serde(default)]
    pub perceive: Perceive,
    #[serde(default)]
    pub context: Context,
    #[serde(default)]
    pub decide: Decide,
    #[serde(default)]
    pub act: Act,
    #[serde(default)]
    pub policy: Policy,
    #[serde(default)]
    pub settle: Settle,
    #[serde(default)]
    pub verify: Verify,
    #[serde(default)]
    pub record: Record,
    #[serde(default)]
    pub learn: Learn,
    #[serde(default)]
    pub hud: Hud,
    #[serde(default)]
    pub desktop: Desktop,
    #[serde(default)]
    pub person: Person,
    #[serde(default)]
    pub limits: Limits,
    /// Other names for settings; the value is `table.key`.
    #[serde(default)]
    pub alias: BTreeMap<String, String>,
    /// The system prompt, with `{{task}}` and `{{tools}}`.
    #[serde(skip)]
    pub prompt: String,
}

macro_rules! stage {
    ($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $ty:ty = $default:expr,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $($(#[$fdoc])* pub $field: $ty,)* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

stage! {
    /// What to look at.
    Capture {
        target: Target = Target::Display,
        /// `primary`, a number from 0, a name, or `all`.
        display: String = "primary".into(),
        /// For `target = "window"`: a title, or `class:`, `regex:`, `part:`, `pid:` before what it says.
        window: String = String::new(),
        focus: bool = false,
        cursor: bool = true,
        method: Method = Method::Gdi,
    }
}

/// How pictures are taken on Windows; other desktops have one way only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    Gdi,
    /// Desktop duplication: not tried on enough machines to be the default.
    Dxgi,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Display,
    Window,
}

stage! {
    /// What the model gets to see.
    Context {
        history: History = History::None,
        /// Of a conversation, in tokens of input; what the model takes if not said.
        budget_tokens: Option<u64> = None,
        /// Older pictures of a conversation that may stay; beyond it most of them go at once.
        pictures_kept: u32 = 10,
        /// 0 for both sides is the size of the screen.
        picture_width: u32 = 1536,
        picture_height: u32 = 864,
        fit: Fit = Fit::Stretch,
        picture_format: PictureKind = PictureKind::Png,
        /// Of a JPEG, 1 to 100.
        picture_quality: u8 = 90,
        picture_filter: PictureFilter = PictureFilter::Nearest,
        task_cap_tokens: u32 = 8000,
        /// Where the engine tells the model what was not done, dropped or changed.
        told: Told = Told::Hud,
        /// Steps of a plan that are listed with what became of them, and the turn's number with them; 0 lists none.
        steps: u32 = 0,
        annotate: Annotate = Annotate::default(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// The picture is the whole memory.
    None,
    /// All turns, as far as there is room.
    Conversation,
}

/// Where the engine's own words to the model stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// With the last reason, on the picture.
    Hud,
    /// Beside the picture.
    Words,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// Exactly the given size; other aspect ratios are stretched.
    Stretch,
    /// As large as fits into the given size.
    KeepAspect,
}

/// What the picture is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureKind {
    /// Lossless, and something smaller where the service's limit of bytes asks for it.
    Auto,
    Png,
    /// Lossless WebP.
    Webp,
    Jpeg,
}

impl PictureKind {
    /// The format that is insisted on; `None` if it is left open.
    pub const fn fixed(self) -> Option<PictureFormat> {
        match self {
            Self::Auto => None,
            Self::Png => Some(PictureFormat::Png),
            Self::Webp => Some(PictureFormat::Webp),
            Self::Jpeg => Some(PictureFormat::Jpeg),
        }
    }
}

/// How the screen is scaled to the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureFilter {
    /// Each pixel of the picture is one of the screen.
    Nearest,
    /// Each is made of those around it: small letters stay whole where the picture is smaller than the screen.
    Lanczos,
}

stage! {
    /// Whom to ask and how.
    Decide {
        provider: String = "lmstudio".into(),
        model: String = String::new(),
        /// Replaces the provider's address; ends before or in `/chat/completions`.
        api_url: String = String::new(),
        /// Goes before the provider's variable of the environment; never shown again.
        api_key: ApiKey = ApiKey::default(),
        dialect: String = "tools".into(),
        tools: Vec<String> = Vec::new(),
        extended_tools: bool = false,
        out_of_range: OutOfRange = OutOfRange::Refuse,
        temperature: Option<f64> = None,
        top_p: Option<f64> = None,
        max_tokens: Option<u32> = None,
        /// Seconds for the whole call.
        request_timeout_s: f64 = 120.0,
        connect_timeout_s: f64 = 10.0,
        /// Seconds until the answer begins, and between two pieces of it; 0 leaves both to `request_timeout_s`.
        first_byte_timeout_s: f64 = 0.0,
        next_byte_timeout_s: f64 = 0.0,
        retries: u32 = 3,
        /// Failures in a row that end the run.
        max_failures: u32 = 3,
        /// The same of replies that cannot be used; `max_failures` if not said.
        max_malformed: Option<u32> = None,
        /// How often a reply that cannot be used is asked for again within its turn.
        reasks: u32 = 0,
        /// `max_tokens` of each of these; one that was cut off at its end keeps what it had.
        reask_tokens: Vec<u32> = Vec::new(),
        /// Steps of one plan that are run.
        max_steps_per_turn: u32 = 4,
        /// A fence around a reply is passed over, for weak models.
        tolerant_parse: bool = false,
        max_rounds: u32 = 1,
        /// Seconds that a service which is away is waited for, without any input; 0 counts each failed call as a failure.
        park_s: f64 = 86_400.0,
        /// Seconds a person has to answer what a provider or the policy asks; 0 asks nobody, and nothing of it is done.
        confirm_s: f64 = 60.0,
        /// US dollars per million tokens, for a model of which its provider's file does not know the price.
        price_input_usd: Option<f64> = None,
        price_output_usd: Option<f64> = None,
    }
}

impl Decide {
    /// Failures in a row, all of this kind, that end a run.
    pub fn patience(&self, malformed: bool) -> u32 {
        if malformed { self.max_malformed.unwrap_or(self.max_failures) } else { self.max_failures }
    }

    pub fn sampling(&self) -> Sampling {
        Sampling { temperature: self.temperature, top_p: self.top_p, max_tokens: self.max_tokens }
    }
}

/// What becomes of a coordinate outside its space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutOfRange {
    /// Moved to the nearest point inside, and noted (S-82).
    Clamp,
    /// Told to the model; nothing is done.
    Refuse,
}

stage! {
    /// How the hands move. Seconds and milliseconds as the names say.
    Act {
        input_delay_s: f64 = 0.0,
        /// Between two steps of a plan: what a step opens may take the next one's keys only once it is there.
        step_delay_s: f64 = 0.0,
        delay_after_action_s: f64 = 0.0,
        delay_after_observe_s: f64 = 1.0,
        hold_ms: u64 = 0,
        click_interval_ms: u64 = 0,
        type_interval_ms: u64 = 0,
        jitter: f64 = 0.0,
        max_hold_s: f64 = 30.0,
        /// Just before the first event of a turn on a real screen: is its target still as the model saw it? If not, nothing is
        /// done and the model looks again.
        recheck: bool = true,
        launch_method: LaunchMethod = LaunchMethod::Auto,
        /// How long the run dialog is waited for, up to 2 s.
        run_dialog_wait_s: f64 = 1.0,
    }
}

/// How a program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchMethod {
    /// By the desktop where it can, and by the run dialog on Windows and where it cannot.
    Auto,
    /// Directly, with its arguments and without a shell.
    Spawn,
    /// As a person does it: Super+R, the command, Enter.
    RunDialog,
}

stage! {
    /// When the screen counts as calm again.
    Settle {
        enabled: bool = true,
        max_s: f64 = 2.5,
        sample_w: u32 = 256,
        sample_h: u32 = 144,
        check_interval_s: f64 = 0.10,
        required_stable: u32 = 2,
        change_ratio_threshold: f64 = 0.006,
    }
}

stage! {
    Verify {
        judge: Judge = Judge::Off,
        loops: Loops = Loops::Off,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loops {
    Off,
}

stage! {
    Record {
        dump_screenshots: bool = true,
        dump_folder: String = "dump".into(),
        /// Pasted texts are left out of whatever is written of a run. Pictures show what the screen shows.
        mask_pasted: bool = false,
        quota_mib: u64 = 2048,
        /// A run begins with this much free on its disk, or not at all.
        min_free_mib: u64 = 64,
        /// How long a full disk is waited for; 0 ends the run at once.
        full_wait_s: f64 = 600.0,
    }
}

stage! {
    Learn {
        carry: Carry = Carry::None,
    }
}

/// What lasts from one turn to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carry {
    None,
    /// The reason of the last tool call, shown on the HUD (S-15).
    Reason,
}

stage! {
    /// The text on the screen. Sizes in native pixels, colours 0x00RRGGBB.
    Hud {
        enabled: bool = false,
        max_width: u32 = 700,
        font_size: i32 = -18,
        font_weight: u32 = 400,
        font_name: String = "Segoe UI".into(),
        line_spacing: u32 = 2,
        text_color: u32 = 0x00FF_FFFF,
        outline_color: u32 = 0,
        outline_px: u32 = 1,
        /// A panel of this colour behind the text, always `max_width` wide.
        panel_color: Option<u32> = None,
        margin: u32 = 10,
        max_lines: u32 = 8,
        keep: Keep = Keep::First,
        /// 0 enlarges with the screen.
        scale: f64 = 1.0,
        reassert_pulses: u32 = 2,
        shows: Shows = Shows::Reason,
        /// Whether the model sees it too.
        in_picture: bool = true,
    }
}

/// What the text on the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shows {
    /// The last reason, its lines numbered.
    Reason,
    /// The objective, the steps of the plan with the one that is run, and how to stop it.
    Plan,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    First,
    Last,
}

stage! {
    Desktop {
        lost_s: f64 = 10.0,
        target_wait_s: f64 = 10.0,
        stop_chord: String = "ctrl+alt+pause".into(),
        /// Whether programs on Windows are asked what they show; not tried on enough of them to be the default.
        ui_automation: bool = false,
        /// For VNC servers that ask for a user's name too.
        vnc_user: Option<String> = None,
        /// The variable with the password of a VNC server.
        vnc_password_env: String = "HANDSIGHT_VNC_PASSWORD".into(),
        /// A file whose first line is the password; goes before the variable.
        vnc_password_file: Option<String> = None,
        vnc_tls: VncTls = VncTls::Auto,
        /// Whom to believe: a PEM file, or `sha256:` and the fingerprint of the server's certificate.
        vnc_ca: Option<String> = None,
    }
}

/// Whether a connection to a VNC server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VncTls {
    /// If `vnc_ca` says whom to believe, or the server takes nothing else.
    Auto,
    Off,
    Required,
}

stage! {
    /// Each limit ends the run with its own outcome.
    Limits {
        max_turns: Option<u64> = None,
        max_time_s: Option<f64> = None,
        /// Of this run and those that resume it.
        max_cost_usd: Option<f64> = None,
        /// Of all runs of this person on this machine, from midnight to midnight UTC.
        max_cost_usd_per_day: Option<f64> = None,
    }
}

impl Profile {
    /// A shipped profile with layers on top, the later ones winning.
    pub fn resolve(name: &str, layers: &[Layer]) -> Result<Self, ProfileError> {
        let Some((_, toml, prompt)) = PROFILES.iter().find(|(n, ..)| *n == name) else {
            return Err(ProfileError::unknown_profile(name));
        };
        Self::from_parts(Layer::file(format!("profile {name}"), *toml), prompt, layers)
    }

    /// A profile from its two files, shipped or the user's own, with layers on top.
    pub fn from_parts(base: Layer, prompt: &str, layers: &[Layer]) -> Result<Self, ProfileError> {
        let mut profile = layer::resolve(&base, layers)?;
        prompt.clone_into(&mut profile.prompt);
        profile.check()?;
        Ok(profile)
    }

    /// The profile as TOML with every value that is in force.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).unwrap_or_else(|e| format!("# cannot be written as TOML: {e}\n"))
    }
}

#[cfg(test)]
mod tests;
