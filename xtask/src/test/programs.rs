//! The programs the tests use but the workspace does not bring.

use std::collections::BTreeSet;

use super::Count;

/// Program and the Debian package that has it.
const PROGRAMS: &[(&str, &str)] = &[
    ("Xvfb", "xvfb"),
    ("openbox", "openbox"),
    ("mousepad", "mousepad"),
    ("xterm", "xterm"),
    ("galculator", "galculator"),
    ("zenity", "zenity"),
    ("xdotool", "xdotool"),
    ("xclip", "xclip"),
    ("xrandr", "x11-xserver-utils"),
    ("picom", "picom"),
    ("xcompmgr", "xcompmgr"),
    ("strace", "strace"),
    ("dbus-run-session", "dbus"),
    ("Xtigervnc", "tigervnc-standalone-server"),
    ("tigervncpasswd", "tigervnc-tools"),
    ("x11vnc", "x11vnc"),
    ("wine", "wine wine64"),
    ("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"),
];

/// Names what is missing with its apt line. In CI each is a failure; elsewhere the tests that need it say so.
pub(super) fn report(ci: bool) -> Count {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has = |program: &str| std::env::split_paths(&path).any(|dir| dir.join(program).is_file());
    let missing: Vec<_> = PROGRAMS.iter().filter(|(program, _)| !has(program)).collect();
    if missing.is_empty() {
        return Count::default();
    }
    for (program, package) in &missing {
        println!("missing: {program}   apt-get install {package}");
    }
    let packages: BTreeSet<&str> = missing.iter().map(|(_, package)| *package).collect();
    println!("all of them: apt-get install {}", packages.into_iter().collect::<Vec<_>>().join(" "));
    if ci { Count { failed: missing.len(), ..Count::default() } } else { Count::default() }
}
