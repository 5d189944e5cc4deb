//! Layers, complaints and the table of defaults.

use super::*;
use handsight_base::space::Size;

fn aliases() -> Aliases {
    Aliases::of("stateless", &[]).unwrap()
}

fn stateless(layers: &[Layer]) -> Result<Profile, ProfileError> {
    Profile::resolve("stateless", layers)
}

#[test]
fn every_shipped_profile_resolves_and_survives_its_own_dump() {
    for (name, _, prompt) in PROFILES {
        let profile = Profile::resolve(name, &[]).unwrap();
        assert!(prompt.contains("{{tools}}"), "{name}");
        let again = Profile::from_parts(Layer::file("dump", profile.to_toml()), prompt, &[]).unwrap();
        assert_eq!(again, profile);
    }
}

// spec: S-67 S-68 S-69 S-70 UNIT
#[test]
fn the_defaults_of_stateless_are_those_of_its_table() {
    let p = stateless(&[]).unwrap();
    assert_eq!(p.decide.provider, "lmstudio");
    assert_eq!((p.decide.request_timeout_s, p.decide.max_tokens), (120.0, Some(2000)));
    assert_eq!((p.decide.temperature, p.decide.top_p), (Some(0.7), Some(0.9)));
    assert_eq!((p.context.picture_width, p.context.picture_height), (1536, 864));
    assert_eq!(
        (p.act.input_delay_s, p.act.delay_after_action_s, p.act.delay_after_observe_s),
        (0.10, 0.85, 1.5)
    );
    assert_eq!((p.record.dump_folder.as_str(), p.record.dump_screenshots), ("dump", true));
    let s = &p.settle;
    assert!(s.enabled);
    assert_eq!((s.max_s, s.sample_w, s.sample_h, s.check_interval_s), (2.5, 256, 144, 0.10));
    assert_eq!((s.required_stable, s.change_ratio_threshold), (2, 0.006));
    let h = &p.hud;
    assert_eq!((h.max_width, h.font_size, h.font_weight, h.font_name.as_str()), (700, -18, 400, "Segoe UI"));
    assert_eq!((h.line_spacing, h.text_color, h.outline_color, h.outline_px), (2, 0x00FF_FFFF, 0, 1));
    assert_eq!((h.margin, h.max_lines, h.reassert_pulses), (10, 8, 2));
}

// spec: D-03 UNIT
#[test]
fn later_layers_win_and_leave_the_rest_alone() {
    let layers = [
        Layer::file("user.toml", "[act]\njitter = 0.5\ninput_delay_s = 1.0\n"),
        environment_layer(&aliases(), "HANDSIGHT_ACT__INPUT_DELAY_S", "2").unwrap().unwrap(),
        set_layer(&aliases(), "act.input_delay_s=3.5").unwrap(),
        set_layer(&aliases(), "SCREEN_W=800").unwrap(),
        set_layer(&aliases(), "decide.model=12").unwrap(),
        environment_layer(&aliases(), "MAX_TOKENS", "9").unwrap().unwrap(),
    ];
    let p = stateless(&layers).unwrap();
    assert_eq!((p.act.jitter, p.act.input_delay_s, p.act.delay_after_action_s), (0.5, 3.5, 0.85));
    assert_eq!((p.context.picture_width, p.decide.max_tokens), (800, Some(9)));
    assert_eq!(p.decide.model, "12", "a text stays a text");
    assert!(environment_layer(&aliases(), "PATH", "/bin").is_none());
    assert!(environment_layer(&aliases(), "HANDSIGHT_ONNXRUNTIME", "/lib").is_none());
}

#[test]
fn complaints_name_the_place_and_the_nearest_key() {
    let said = |layers: &[Layer]| stateless(layers).unwrap_err().to_string();
    let text = said(&[Layer::file("user.toml", "[act]\n\njiter = 1\n")]);
    assert_eq!(text, "user.toml, line 3: unknown key `jiter`. Did you mean `jitter`?");
    let text = said(&[Layer::file("user.toml", "[setle]\nmax_s = 1\n")]);
    assert_eq!(text, "user.toml, line 1: unknown key `setle`. Did you mean `settle`?");
    let text = said(&[Layer::file("user.toml", "[act]\njitter = \"much\"\n")]);
    assert!(text.starts_with("user.toml, line 2: invalid type: string"), "{text}");
    let text = said(&[Layer::file("user.toml", "[act\n")]);
    assert!(text.starts_with("user.toml, line 1: "), "{text}");
    let text = said(&[Layer::file("user.toml", "[settle]\nmax_s = -1\n")]);
    assert_eq!(text, "`settle.max_s` is -1; it must be 0 to 86400 seconds");
    let text = set_layer(&aliases(), "act.jiter=1").unwrap_err().to_string();
    assert!(text.ends_with("there is no setting `act.jiter`. Did you mean `act.jitter`?"), "{text}");
    let text = Profile::resolve("statless", &[]).unwrap_err().to_string();
    assert_eq!(
        text,
        "there is no profile \"statless\"; there are: stateless, assist. Did you mean \"stateless\"?"
    );
}

#[test]
fn a_table_within_a_stage_is_set_from_everywhere() {
    let layers = [
        Layer::file(
            "user.toml",
            "GRID = 25\n[context.annotate]\nbanner = true\n[alias]\nGRID = \"context.annotate.grid_px\"\n",
        ),
        environment_layer(&aliases(), "HANDSIGHT_CONTEXT__ANNOTATE__GRID_MAJOR_PX", "100").unwrap().unwrap(),
        set_layer(&aliases(), "context.annotate.cursor=true").unwrap(),
    ];
    let p = stateless(&layers).unwrap();
    let drawn =
        Annotate { grid_px: 25, grid_major_px: 100, cursor: true, banner: true, ..Annotate::default() };
    assert_eq!(p.context.annotate, drawn);
    assert_eq!(stateless(&[]).unwrap().context.annotate, Annotate::default());

    let said = |text: &str| stateless(&[Layer::file("user.toml", text)]).unwrap_err().to_string();
    let text = said("[context.annotate]\ngrid = 9\n");
    assert_eq!(text, "user.toml, line 2: unknown key `grid`. Did you mean `grid_px`?");
    let text = said("[context.annotate]\ngrid_px = 3\n");
    assert_eq!(text, "`context.annotate.grid_px` is 3; it must be 8 to 16384 pixels, or 0 for none");
    let text = said("[context.annotate]\nmagnifier_times = 0\n");
    assert_eq!(text, "`context.annotate.magnifier_times` is 0; it must be 1 to 64");
    let text = set_layer(&aliases(), "context.annotate.banana=1").unwrap_err().to_string();
    assert!(text.ends_with("Did you mean `context.annotate.banner`?"), "{text}");
}

#[test]
fn a_picture_is_as_large_as_the_screen_with_both_sides_at_0() {
    let p = stateless(&[Layer::file("user.toml", "SCREEN_W = 0\nSCREEN_H = 0\n")]).unwrap();
    let screen = Size::new(3440, 1440);
    assert_eq!(p.context.within(screen), screen);
    assert_eq!(stateless(&[]).unwrap().context.within(screen), Size::new(1536, 864));
    let text = stateless(&[Layer::file("user.toml", "SCREEN_W = 0\n")]).unwrap_err().to_string();
    assert_eq!(text, "`context.picture_width` is 0; it must be 16 to 16384 pixels, or 0 like the other side");
}

/// A profile of one's own, its user file, and the names both give to settings.
fn quick() -> (Layer, Layer) {
    let profile = "name = \"quick\"\nFAST = 0.5\n[hud]\nmargin = 4\n\
                   [alias]\nFAST = \"settle.max_s\"\nPROVIDER = \"decide.provider\"\n";
    let user = "# mine\n\"FAST\" = 0.75 # seconds\nEDGE = 7\n[alias]\nEDGE = \"hud.margin\"\n";
    (Layer::file("profile.toml", profile), Layer::file("quick.toml", user))
}

#[test]
fn aliases_of_ones_own_profile_and_user_file_work_in_every_layer() {
    let (profile, user) = quick();
    let p = Profile::from_parts(profile.clone(), "", &[]).unwrap();
    assert_eq!((p.settle.max_s, p.hud.margin), (0.5, 4), "the profile's own file");
    let p = Profile::from_parts(profile.clone(), "", std::slice::from_ref(&user)).unwrap();
    assert_eq!((p.settle.max_s, p.hud.margin), (0.75, 7), "the user's file");
    assert_eq!(p.alias["EDGE"], "hud.margin");
    assert_eq!(p.alias["FAST"], "settle.max_s");

    let aliases = Aliases::of("quick", &[profile.clone(), user.clone()]).unwrap();
    let layers = [
        user,
        environment_layer(&aliases, "FAST", "1.5").unwrap().unwrap(),
        environment_layer(&aliases, "PROVIDER", "ollama").unwrap().unwrap(),
        set_layer(&aliases, "EDGE=9").unwrap(),
    ];
    let p = Profile::from_parts(profile, "", &layers).unwrap();
    assert_eq!((p.settle.max_s, p.hud.margin, p.decide.provider.as_str()), (1.5, 9, "ollama"));
    assert!(
        environment_layer(&aliases, "SCREEN_W", "800").is_none(),
        "a shipped profile's alias is not its own"
    );
    assert!(set_layer(&Aliases::default(), "FAST=1").is_err());
}

#[test]
fn a_profile_that_replaces_a_shipped_one_inherits_its_aliases_and_can_change_them() {
    let text = "name = \"stateless\"\nSCREEN_H = 400\n[alias]\nSCREEN_W = \"settle.sample_w\"\n";
    let own = Layer::file("profile.toml", text);
    let aliases = Aliases::of("stateless", std::slice::from_ref(&own)).unwrap();
    let layers = [set_layer(&aliases, "SCREEN_W=300").unwrap(), set_layer(&aliases, "MAX_TOKENS=7").unwrap()];
    let p = Profile::from_parts(own, "", &layers).unwrap();
    assert_eq!((p.settle.sample_w, p.context.picture_width, p.context.picture_height), (300, 1536, 400));
    assert_eq!(p.decide.max_tokens, Some(7));
    let again = Profile::from_parts(Layer::file("dump", p.to_toml()), "", &[]).unwrap();
    assert_eq!(again, p);
}

#[test]
fn complaints_about_aliases_name_their_line() {
    let said = |text: &str| stateless(&[Layer::file("user.toml", text)]).unwrap_err().to_string();
    let text = said("[alias]\nA = \"hud.margin\"\nB = \"hud.marign\"\n");
    assert_eq!(
        text,
        "user.toml, line 3: the alias `B` means `hud.marign`, which is no setting. Did you mean `hud.margin`?"
    );
    let text = said("\n\nSCREEN_W = \"wide\"\n");
    assert!(text.starts_with("user.toml, line 3: SCREEN_W: invalid type: string \"wide\""), "{text}");
    let text = said("SCREEN_W = 800\n[context]\npicture_width = 900\n");
    assert_eq!(text, "user.toml, line 1: `SCREEN_W` is `context.picture_width`, which this file sets too");
    let text = said("SCREEN_W = 800\nSCREEN_W = 900\n");
    assert!(text.starts_with("user.toml, line 2: duplicate key"), "{text}");
    let text = said("SCREEN_W = 800\nDUMP_FOLDER = \"\"\"a\nb\"\"\"\n\nSCREEN = 9\n");
    assert!(text.starts_with("user.toml, line 5: unknown key `SCREEN`"), "{text}");
}

// spec: D-59 D-72 UNIT
#[test]
fn a_key_in_the_settings_is_read_and_never_written() {
    let key = "sk-canary-4d1f";
    let layer = set_layer(&aliases(), &format!("decide.api_key={key}")).unwrap();
    let profile = stateless(&[layer]).unwrap();
    assert_eq!(profile.decide.api_key.reveal(), Some(key));
    assert!(!profile.to_toml().contains(key), "{}", profile.to_toml());
    assert!(profile.to_toml().contains("api_key = \"\""));
    assert!(!format!("{profile:?}").contains(key));
    for empty in ["", "  "] {
        let layer = set_layer(&aliases(), &format!("decide.api_key={empty}")).unwrap();
        assert_eq!(stateless(&[layer]).unwrap().decide.api_key.reveal(), None);
    }
}
