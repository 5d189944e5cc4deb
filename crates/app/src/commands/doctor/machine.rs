//! Processor, memory and fonts (S-06).

use super::finding::{Area, Finding, Findings};
use crate::environment::Environment;
use crate::fonts;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

pub(super) fn check(environment: &Environment, model_is_here: bool) -> Vec<Finding> {
    let mut findings = Findings::of(Area::Machine);
    vectors(&mut findings);
    memory(&mut findings, total_memory(), model_is_here);
    for (script, file) in fonts::find(&fonts::folders(environment)) {
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
                format!("apt-get install {}", script.package),
            ),
        }
    }
    findings.list
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

#[cfg(not(target_os = "linux"))]
const fn total_memory() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;

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
        #[cfg(target_os = "linux")]
        assert!(total_memory().is_some_and(|b| b > 1 << 28));
    }
}
