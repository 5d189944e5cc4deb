//! The policy on a real X server: real programs are started or not, real windows get input or do not, a real listener is called or not.

use crate::assist_rig::{go, plan, told};
use crate::rig::{PATIENCE, Rig};
use handsight_testkit::chat::Server;
use handsight_testkit::need::need;
use handsight_testkit::program::Program;
use handsight_testkit::wait::until;
use serde_json::json;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const ARGS: [&str; 11] = [
    "do it",
    "--profile",
    "assist",
    "--model",
    "custom/test-model",
    "--set",
    "settle.enabled=false",
    "--set",
    "act.step_delay_s=0",
    "--set",
    "act.recheck=false",
];

/// Programs of ours first on the path: each leaves a mark with its arguments. The folder of the marks.
fn spies(rig: &Rig, names: &[&str]) -> (PathBuf, String) {
    let (bin, marks) = (rig.handsight.home().join("spies"), rig.handsight.home().join("marks"));
    std::fs::create_dir(&bin).unwrap();
    std::fs::create_dir(&marks).unwrap();
    for name in names {
        let call = "for a in \"$@\"; do a=${a#*://}; case \"$a\" in *@*) a=${a##*@};; esac; a=${a%%/*}; \
                    case \"$a\" in *:*) (exec 3<>\"/dev/tcp/${a%:*}/${a##*:}\") ;; esac; done";
        let text = format!(
            "#!/bin/bash\n{call}\nprintf '%s\\n' \"$*\" > {}/$$.part; mv {0}/$$.part {0}/{name}.$$\n",
            marks.display()
        );
        let path = bin.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", bin.display());
    (marks, path)
}

fn marks(folder: &Path) -> Vec<String> {
    let left = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut left: Vec<String> = left
        .filter_map(|n| n.split_once('.').map(|(n, end)| (n.to_owned(), end.to_owned())))
        .filter(|(_, end)| end != "part")
        .map(|(name, _)| name)
        .collect();
    left.sort();
    left
}

/// spec R16: a real spawn spy. Nothing but what is named is started, and no host but a named one is called.
#[test]
fn nothing_is_started_or_called_but_what_is_named() {
    let Some(rig) = Rig::new() else { return };
    let (marked, path) = spies(&rig, &["pad", "spy", "browser"]);
    let (good, evil) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let port = |l: &TcpListener| l.local_addr().unwrap().port();
    let called = |l: &TcpListener| {
        l.set_nonblocking(true).unwrap();
        std::iter::from_fn(|| l.accept().ok()).count()
    };
    let launch = |command: String| plan(&[go("launch", json!({"command": command}))]);
    let (g, e) = (port(&good), port(&evil));
    let home = rig.handsight.home().display().to_string();
    let attacks = [
        "spy".to_owned(),
        format!("sh -c {home}/spies/spy"),
        "env spy".to_owned(),
        format!("{home}/spies/pad"),
        "pad --exec=spy".to_owned(),
        format!("browser http://127.0.0.1:{g}@127.0.0.1:{e}/"),
        format!("browser http://localhost:{e}/"),
        format!("browser 127.0.0.1:{e}"),
    ];
    let run = |replies: Vec<_>, policy: &[&str]| {
        let server = Server::scripted(replies);
        let set: Vec<&str> = policy.iter().flat_map(|p| ["--set", p]).collect();
        let mut command = rig.command(&server, &[&ARGS[..], &set].concat());
        command.env("PATH", &path);
        (crate::handsight::run(command, PATIENCE), server)
    };
    let hosts = format!("policy.hosts=[\"127.0.0.1:{g}\"]");
    let named = ["policy.launch=[\"pad\", \"browser\", \"sh\", \"env\"]", &hosts, "policy.max_refusals=99"];
    let mut replies: Vec<_> = attacks.iter().cloned().map(launch).collect();
    replies.push(launch(format!("browser http://127.0.0.1:{g}/page")));
    replies.push(launch("pad notes.txt".into()));
    replies.push(crate::assist_rig::done("ok"));
    let (said, server) = run(replies, &named);
    said.ended(0);
    until("both programs have run", PATIENCE, || (marks(&marked).len() >= 2).then_some(()));
    assert_eq!(marks(&marked), ["browser", "pad"]);
    assert_eq!((called(&good), called(&evil)), (1, 0));
    assert!(told(&server.requests()[1]).contains("not among the programs that may be started"));
    // The control: with every program and host, and the commands named, the same does its harm.
    let open = format!("policy.launch=[\"*\", \"sh -c {home}/spies/spy\", \"env spy\"]");
    let mut replies: Vec<_> = attacks.into_iter().map(launch).collect();
    replies.push(crate::assist_rig::done("ok"));
    run(replies, &[&open]).0.ended(0);
    until("all programs have run", PATIENCE, || (marks(&marked).len() >= 10).then_some(()));
    let (spies, calls) = (marks(&marked).iter().filter(|m| *m == "spy").count(), called(&evil));
    assert_eq!((spies, calls), (3, 3), "{:?}", marks(&marked));
}

/// spec R13: only the window that is named gets input, whoever lies above it; a decoy, an independent X client, gets nothing.
#[test]
fn a_decoy_window_gets_nothing_and_the_named_one_all() {
    let Some(rig) = Rig::new().filter(|_| need("zenity", "zenity")) else { return };
    let Some(_manager) = rig.x.openbox() else { return };
    for guarded in [true, false] {
        let mut zenity = rig.x.command("zenity");
        zenity.args(["--entry", "--title", "Entry", "--text", "x"]).stdout(Stdio::piped());
        let mut zenity = Program::start(&mut zenity);
        let mut witness = rig.witness();
        let entry = until("the dialog is there", PATIENCE, || witness.find("Entry").filter(|w| w.mapped));
        // Above the middle of the dialog, unmanaged; its title says what it is not.
        let (x, y) = (entry.x + 40, entry.y + 10);
        let decoy = witness.open(x as i16 - 10, y as i16 - 10, 30, 30);
        witness.focus(entry.id);
        witness.forget();
        let mouse = |x: i32, y: i32| go("mouse", json!({"x": x, "y": y}));
        let server = Server::scripted([
            plan(&[mouse(x, y)]),
            plan(&[go("mouse", json!({"x": 1270, "y": 700}))]),
            plan(&[
                go("focus_window", json!({"title": "Entry"})),
                go("write", json!({"text": "dear diary"})),
                go("press", json!({"key": "enter"})),
            ]),
            crate::assist_rig::done("ok"),
        ]);
        let set = if guarded { "policy.windows=[{class=\"zenity\"}]" } else { "policy.windows=[]" };
        rig.run(&server, &[&ARGS[..], &["--set", set]].concat()).ended(0);
        let mut said = String::new();
        BufReader::new(zenity.child().stdout.take().unwrap()).read_line(&mut said).unwrap();
        assert_eq!(said.trim_end(), "dear diary", "guarded: {guarded}");
        zenity.wait(PATIENCE);
        assert_eq!(witness.presses().is_empty(), guarded, "{:?} {decoy}", witness.events());
        witness.assert_quiet();
    }
}
