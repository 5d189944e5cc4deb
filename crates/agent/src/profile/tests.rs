//! Layers, complaints and the table of defaults.

use super::*;

fn stateless(layers: &[Layer]) -> Result<Profile, ProfileError> {
    Profile::resolve("stateless", layers)
}

#[test]
fn every_shipped_profile_resolves_and_survives_its_own_dump() {
    for (name, _, prompt) in PROFILES {
        let profile = Profile::resolve(name, &[]).unwrap();
        assert!(prompt.contains("{{task}}") && prompt.contains("{{tools}}"), "{name}");
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

#[test]
fn later_layers_win_and_leave_the_rest_alone() {
    let layers = [
        Layer::file("user.toml", "[act]\njitter = 0.5\ninput_delay_s = 1.0\n"),
        environment_layer("stateless", "HANDSIGHT_ACT__INPUT_DELAY_S", "2").unwrap().unwrap(),
        set_layer("stateless", "act.input_delay_s=3.5").unwrap(),
        set_layer("stateless", "SCREEN_W=800").unwrap(),
        set_layer("stateless", "decide.model=12").unwrap(),
        environment_layer("stateless", "MAX_TOKENS", "9").unwrap().unwrap(),
    ];
    let p = stateless(&layers).unwrap();
    assert_eq!((p.act.jitter, p.act.input_delay_s, p.act.delay_after_action_s), (0.5, 3.5, 0.85));
    assert_eq!((p.context.picture_width, p.decide.max_tokens), (800, Some(9)));
    assert_eq!(p.decide.model, "12", "a text stays a text");
    assert!(environment_layer("stateless", "PATH", "/bin").is_none());
    assert!(environment_layer("stateless", "HANDSIGHT_ONNXRUNTIME", "/lib").is_none());
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
    let text = set_layer("stateless", "act.jiter=1").unwrap_err().to_string();
    assert!(text.ends_with("there is no setting `act.jiter`. Did you mean `act.jitter`?"), "{text}");
    let text = Profile::resolve("statless", &[]).unwrap_err().to_string();
    assert_eq!(text, "there is no profile \"statless\"; there are: stateless. Did you mean \"stateless\"?");
}
