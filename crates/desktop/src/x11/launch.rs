//! Starting programs: argument by argument, without a shell, detached from us.
//!
//! A launched program has a process group of its own, so Ctrl-C in our terminal does not reach it, and it lives on when we
//! end. It gets this display and none of the secrets the app names. This module refuses to interpret a command line.

use handsight_base::port::desktop::DesktopError;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

/// Where a Wayland session would draw a program away from the X display.
const WAYLAND: [&str; 2] = ["WAYLAND_DISPLAY", "WAYLAND_SOCKET"];

/// Starts `argv` on `display` without the environment variables in `withheld`, and returns its process id.
pub(crate) fn launch(argv: &[String], display: &str, withheld: &[String]) -> Result<u32, DesktopError> {
    let (program, args) = argv
        .split_first()
        .filter(|(program, _)| !program.is_empty())
        .ok_or_else(|| DesktopError::Launch { program: String::new(), why: "no program was named".into() })?;
    let failed = |why: String| DesktopError::Launch { program: program.clone(), why };
    let mut command = Command::new(program);
    command
        .args(args)
        .env("DISPLAY", display)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    for name in WAYLAND.into_iter().chain(withheld.iter().map(String::as_str)) {
        command.env_remove(name);
    }
    let mut child = command.spawn().map_err(|e| failed(e.to_string()))?;
    let pid = child.id();
    // Somebody has to take its exit status, or it stays in the process table; the thread ends with the program.
    let reaper = std::thread::Builder::new().name("launched".into()).stack_size(64 * 1024);
    let reaped = reaper.spawn(move || child.wait());
    if let Err(error) = reaped {
        tracing::debug!("process {pid} stays in the process table after its end: {error}");
    }
    Ok(pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_started_is_named() {
        for (argv, said) in [
            (vec![], "no program was named"),
            (vec![String::new()], "no program was named"),
            (vec!["/no/such/program".to_owned()], "/no/such/program"),
        ] {
            let error = launch(&argv, ":0", &[]).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_program_gets_its_arguments_as_they_are_and_no_secret() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        // PATH stands in for a secret: it is set wherever tests run, and `sh` is named by its path.
        let script =
            r#"printf '%s\n' "$1" "$DISPLAY" "${CARGO_MANIFEST_DIR-none}" > "$0.part"; mv "$0.part" "$0""#;
        let argv = ["/bin/sh", "-c", script, out.to_str().unwrap(), "a b; $(false) \"c\""];
        let argv: Vec<String> = argv.map(str::to_owned).into();
        let pid = launch(&argv, ":77", &["CARGO_MANIFEST_DIR".to_owned()]).unwrap();
        assert!(pid > 1);
        let deadline = std::time::Duration::from_secs(20);
        handsight_testkit::wait::until("the program wrote its file", deadline, || out.exists().then_some(()));
        let said = std::fs::read_to_string(out).unwrap();
        assert_eq!(said, "a b; $(false) \"c\"\n:77\nnone\n");
    }
}
