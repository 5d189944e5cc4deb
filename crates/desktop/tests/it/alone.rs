//! A test in a process of its own, where nobody else opens files or windows.

/// Runs the test called `name` (`module::test`) in a process of its own, where nobody else opens files. True in that
/// process; false in the first one, once the other has passed.
#[track_caller]
pub(crate) fn alone(name: &str) -> bool {
    const MARK: &str = "HANDSIGHT_TEST_ALONE";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let me = std::env::current_exe().expect("the test binary");
    let mut command = std::process::Command::new(me);
    let ended = command.args(["--exact", name, "--test-threads", "1", "--nocapture"]).env(MARK, "1").output();
    let ended = ended.expect("the test binary starts");
    let said = String::from_utf8_lossy(&ended.stdout);
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && said.contains("1 passed"), "{name} alone: {said}{told}");
    false
}
