//! The suite of Windows programs, played by `handsight.exe` in Wine: its solutions win every case, as an oracle's and as plans that a
//! strict model server sends to `assist`; who does nothing or anything wins none. Where windows are is told by an independent Win32
//! program, and what became of them by files and the registry. Four of the seven cases are played; `HANDSIGHT_LONG=1` plays all.

use crate::solutions::{self, Seen, Solver};
use crate::wine_rig::{WineRig, find};
use handsight_testkit::need::long;
use handsight_testkit::wine::DPI;
use std::process::Stdio;
use std::sync::Arc;

#[test]
fn solutions_win_in_windows_programs_and_doing_nothing_or_anything_does_not() {
    let Some(rig) = WineRig::new(DPI) else { return };
    let wine = Arc::clone(&rig.wine);
    let seen = move |title: &str| {
        let window = find(&wine, |w| w.title.contains(title))?;
        Some(Seen { client: window.client, focused: window.foreground })
    };
    let home = |id: &str| format!("C:\\eval\\stage\\{id}-1-model\\home");
    let solver = Solver::new("wine-apps", home, Box::new(seen));
    let command = |args: &[&str]| rig.wine.handsight(&[args, &["--desktop", "windows"]].concat());
    let (tasks, of) =
        if long() { ("*", 7) } else { ("notepad-save-as,dialog-abort,registry-export,winemine-expert", 4) };
    let said = solutions::eval(command, "wine-apps", tasks, "C:\\eval", solver);
    let told = solutions::assert_proven(&said, of);
    println!("{} s of the model's runs", told["wall_s"]);
    // What the last of them left is seen from here too, and nothing else is left.
    let mut query = rig.wine.command("reg");
    let key = r"HKCU\Software\Microsoft\WinMine";
    let said = query.args(["query", key, "/v", "Difficulty"]).stdout(Stdio::piped()).output().unwrap();
    assert!(String::from_utf8_lossy(&said.stdout).contains("0x2"), "{said:?}");
    let left: Vec<_> = rig.wine.windows().into_iter().filter(|w| w["visible"] == true).collect();
    assert!(left.is_empty(), "{left:?}");
    let stage = rig.wine.drive_c().join("eval/stage");
    assert!(std::fs::read_dir(stage).unwrap().next().is_none(), "homes are left");
}
