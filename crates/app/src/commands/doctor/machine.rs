//! Processor, memory and fonts (S-06).

use super::finding::{Area, Finding, Findings};
use crate::environment::Environment;
use crate::fonts;
use handsight_agent::profile::Hud;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

pub(super) fn check(environment: &Environment, model_is_here: bool, hud: &Hud) -> Vec<Finding> {
    let mut findings = Findings::of(Area::Machine);
    vectors(&mut findings);
    memory(&mut findings, total_memory(), model_is_here);
    let folders = fonts::folders(environment);
    hud_font(&mut findings, hud, fonts::find_named(&folders, &hud.font_name, hud.font_weight));
    for (script, file) in fonts::find(&folders) {
        match file {
            Some(path) => findings.ok("fonts", format!("{}: {}", script.name, path.display())),
            // Scripts that few people meet are nothing to warn of.
            None if script.package.is_empty() => {}
            None => findings.warn(
                "fonts",
                format!(
                    "no font for {}: the HUD shows boxes for '{}' and its like",
                    script.name, script.sample
                ),
                if cfg!(windows) {
                    "Add one for it: Settings, System, Optional features.".to_owned()
                } else {
                    format!("apt-get install {}", script.package)
                },
            ),
        }
    }
    findings.list
}

/// The named font is an offer, not a need; only who chose another than the shipped one is warned that it is missing.
fn hud_font(findings: &mut Findings, hud: &Hud, found: Option<fonts::Found>) {
    let name = &hud.font_name;
    let stands_in = format!("{name:?} is not installed; the built-in sans-serif stands in");
    match found {
        Some(found) => {
            findings.ok("hud_font", format!("{name}: {}, weight {}", found.path.display(), found.weight));
        }
        None if *name == Hud::default().font_name => findings.ok("hud_font", stands_in),
        None => findings.warn("hud_font", stands_in, "Install it, or set hud.font_name to one that is."),
    }
}

fn vectors(findings: &mut Findings) {
    #[cfg(target_arch = "x86_64")]
    let found = std::arch::is_x86_feature_detected!("avx2").then_some("AVX2");
    #[cfg(target_arch = "aarch64")]
    let found = Some("NEON");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let found: Option<&str> = None;
    match found {
        Some(name) => findings.ok("processor", format!("{} ({name})", std::env::consts::ARCH)),
        None => findings.warn(
            "processor",
            format!("{} without AVX2", std::env::consts::ARCH),
            "Pictures are made by the slower scalar code; nothing else changes.",
        ),
    }
}

/// 8 GB at least, 16 GB when the model runs on this machine too.
fn memory(findings: &mut Findings, bytes: Option<u64>, model_is_here: bool) {
    let Some(bytes) = bytes else {
        findings.warn("memory", "how much there is cannot be told here", "");
        return;
    };
    // A machine sold as 8 GB has less for its programs.
    let gib = bytes as f64 / GIB;
    let (wanted, why) =
        if model_is_here { (16.0, "with the model on the same machine") } else { (8.0, "without a model") };
    let found = format!("{gib:.1} GiB; {wanted:.0} GB advised {why}");
    findings.expect(
        "memory",
        gib >= wanted * 0.92,
        found,
        "Close other programs, or serve the model elsewhere.",
    );
}

#[cfg(target_os = "linux")]
fn total_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|k| k * 1024)
}

#[cfg(windows)]
fn total_memory() -> Option<u64> {
    handsight_desktop::windows::total_memory()
}

#[cfg(not(any(target_os = "linux", windows)))]
const fn total_memory() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;

    // spec: S-54 UNIT
    #[test]
    fn what_the_hud_is_drawn_with_is_told() {
        let told = |name: &str, found| {
            let mut findings = Findings::of(Area::Machine);
            hud_font(&mut findings, &Hud { font_name: name.into(), ..Hud::default() }, found);
            (findings.list[0].status, findings.list[0].found.clone())
        };
        let stands_in = |name: &str| format!("{name:?} is not installed; the built-in sans-serif stands in");
        assert_eq!(told("Segoe UI", None), (Status::Ok, stands_in("Segoe UI")));
        assert_eq!(told("Mine", None), (Status::Warn, stands_in("Mine")));
        let found = fonts::Found { path: "/fonts/mine.ttf".into(), index: 0, weight: 700 };
        assert_eq!(told("Mine", Some(found)), (Status::Ok, "Mine: /fonts/mine.ttf, weight 700".to_owned()));
    }

    // spec: S-06 UNIT
    #[test]
    fn memory_is_measured_against_8_and_16() {
        let status = |gib: u64, model_is_here| {
            let mut findings = Findings::of(Area::Machine);
            memory(&mut findings, Some(gib << 30), model_is_here);
            findings.list[0].status
        };
        assert_eq!(status(4, false), Status::Warn);
        assert_eq!(status(8, false), Status::Ok);
        assert_eq!(status(8, true), Status::Warn);
        assert_eq!(status(16, true), Status::Ok);
        #[cfg(any(target_os = "linux", windows))]
        assert!(total_memory().is_some_and(|b| b > 1 << 28));
    }
}
