//! Which programs a model may start: those that the person named.

use handsight_base::flow::action::Action;
use handsight_base::gate::{Proposal, Rule, Scene};

pub(super) struct Launches {
    allowed: Vec<String>,
}

impl Launches {
    pub(super) fn new(allowed: &[String]) -> Self {
        Self { allowed: allowed.to_vec() }
    }

    /// A name stands for the program wherever it lies; a path for itself.
    fn allows(&self, program: &str) -> bool {
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        self.allowed.iter().any(|allowed| {
            allowed == "*"
                || allowed == program
                || allowed == name
                || name.strip_suffix(".exe") == Some(allowed)
        })
    }
}

impl Rule for Launches {
    fn name(&self) -> &'static str {
        "launch"
    }

    fn check(&self, proposal: Proposal<'_>, _: &Scene<'_>) -> Result<(), String> {
        let Proposal::Action(Action::Launch { argv }) = proposal else { return Ok(()) };
        let program = argv.first().map_or("", String::as_str);
        if self.allows(program) {
            return Ok(());
        }
        let named = if self.allowed.is_empty() { "none is".to_owned() } else { self.allowed.join(", ") };
        Err(format!("{program:?} is not among the programs that may be started ({named})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_started() {
        let allows = |allowed: &[&str], program: &str| {
            let allowed: Vec<String> = allowed.iter().map(|a| (*a).to_owned()).collect();
            Launches::new(&allowed).allows(program)
        };
        assert!(allows(&["*"], "anything"));
        assert!(!allows(&[], "xterm") && !allows(&["mousepad"], "xterm"));
        assert!(allows(&["xterm"], "xterm") && allows(&["xterm"], "/usr/bin/xterm"));
        assert!(allows(&["notepad"], "notepad.exe") && allows(&["notepad"], "C:\\Windows\\notepad.exe"));
        assert!(!allows(&["/usr/bin/xterm"], "xterm"), "a path stands for itself");
        assert!(!allows(&["xterm"], "xterm-evil"));
    }
}
