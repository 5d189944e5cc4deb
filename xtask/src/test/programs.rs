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
    ("xsetroot", "x11-xserver-utils"),
    ("setxkbmap", "x11-xkb-utils"),
    ("wmctrl", "wmctrl"),
    ("import", "imagemagick"),
    ("openssl", "openssl"),
    ("python3", "python3"),
    ("picom", "picom"),
    ("xcompmgr", "xcompmgr"),
    ("strace", "strace"),
    ("dbus-run-session", "dbus"),
    ("dbus-daemon", "dbus"),
    ("dbus-send", "dbus"),
    ("/usr/libexec/at-spi-bus-launcher", "at-spi2-core"),
    ("/usr/lib/python3/dist-packages/gi/__init__.py", "python3-gi"),
    ("/usr/lib/x86_64-linux-gnu/girepository-1.0/Atspi-2.0.typelib", "gir1.2-atspi-2.0"),
    ("featherpad", "featherpad"),
    ("/usr/games/gnome-mines", "gnome-mines"),
    ("Xtigervnc", "tigervnc-standalone-server"),
    ("tigervncpasswd", "tigervnc-tools"),
    ("x11vnc", "x11vnc"),
    ("tesseract", "tesseract-ocr tesseract-ocr-eng"),
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

#[cfg(test)]
mod tests {
    use super::PROGRAMS;
    use crate::workspace::Workspace;

    /// A test on a clean machine fails for a program that nobody installed there.
    #[test]
    fn what_a_test_needs_is_looked_for_here_and_installed_in_ci() {
        // What each Debian has, and what no system has.
        let always = ["coreutils", "libc-bin", "dash", "no-such-package"];
        let workspace = Workspace::find().unwrap();
        let sources = workspace.sources(&["crates"]).unwrap();
        let calls = sources.iter().flat_map(|s| s.text.split("need(\"").skip(1).map(|call| (&s.path, call)));
        let mut seen = 0;
        for (path, call) in calls {
            let Some((program, rest)) = call.split_once("\", \"") else { continue };
            let Some((package, _)) = rest.split_once("\")") else { continue };
            if always.contains(&package) || program.contains('\n') {
                continue;
            }
            seen += 1;
            assert!(PROGRAMS.contains(&(program, package)), "{path} needs {program} of {package}");
        }
        assert!(seen > 20, "the calls are found: {seen}");
        let ci = workspace.read(".ci/run").unwrap();
        let installed: Vec<&str> =
            ci.split_once("PACKAGES=(").unwrap().1.split_once(')').unwrap().0.split_whitespace().collect();
        for package in PROGRAMS.iter().flat_map(|(_, packages)| packages.split(' ')) {
            assert!(installed.contains(&package), ".ci/run installs no {package}");
        }
    }
}
