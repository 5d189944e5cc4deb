//! Which programs a model may start: those that the person named, and with which arguments.
//!
//! An entry of `policy.launch` is a name (the program of that name that the system finds, or one of that name in a folder of the system), a
//! path (itself), or a whole command whose words have to be equal (`*` is one word without a dash before it). What runs or starts what its
//! arguments say (a shell, an interpreter, `env`, `rundll32`) is started bare, or by a whole command that is named, and by nothing else: not
//! even where every program may be started.

use super::programs::{Program, runs_when_opened};
use crate::profile::Policy;
use handsight_base::flow::action::Action;
use handsight_base::gate::{Objection, Proposal, Rule, Scene};

pub(super) struct Launches {
    any: bool,
    /// Programs by name or path.
    programs: Vec<Program>,
    commands: Vec<Vec<String>>,
}

impl Launches {
    pub(super) fn of(policy: &Policy) -> Self {
        let single = policy.launch.iter().filter_map(|entry| match words(entry).as_slice() {
            [one] if one != "*" => Program::read(one).ok(),
            _ => None,
        });
        Self {
            any: policy.launch.iter().any(|l| l == "*"),
            programs: single.collect(),
            commands: commands(policy),
        }
    }

    fn judge(&self, argv: &[String]) -> Result<(), String> {
        let Some((word, arguments)) = argv.split_first() else { return Err("no program is named".into()) };
        if argv.iter().any(|word| word.chars().any(char::is_control)) {
            return Err("its command holds a control character".into());
        }
        if self.commands.iter().any(|command| is_command(command, argv)) {
            return Ok(());
        }
        let short: String = word.chars().take(120).collect();
        let program = Program::read(word).map_err(|why| format!("{short:?} is not to be started: {why}"))?;
        if !self.any && !self.programs.iter().any(|named| stands_for(named, &program)) {
            let mut named: Vec<String> = self.programs.iter().map(|p| p.whole.clone()).collect();
            named.extend(self.commands.iter().map(|c| c.join(" ")));
            let named = if named.is_empty() { "none is".to_owned() } else { named.join(", ") };
            return Err(format!("{short:?} is not among the programs that may be started ({named})"));
        }
        if arguments.is_empty() {
            return Ok(());
        }
        if program.runs_arguments() {
            return Err(format!(
                "{short:?} runs what its arguments say: it is started without any, or by a whole command that is named"
            ));
        }
        if self.any {
            return Ok(());
        }
        if program.opens()
            && let Some(why) = arguments.iter().find_map(|a| runs_when_opened(a))
        {
            return Err(format!("{short:?} may be started, but not with this: {why}"));
        }
        let switch = |a: &&String| {
            // `/p` is a switch of Windows, whoever the program is; a longer one may be a path elsewhere.
            let switch = a.starts_with('/') && (program.windows || cfg!(windows) || a.len() <= 2);
            a.starts_with('-') || a.contains('"') || switch
        };
        match arguments.iter().find(switch) {
            Some(option) => Err(format!(
                "{short:?} may be started, but not with {option:?}: options are passed on in whole commands that are named"
            )),
            None => Ok(()),
        }
    }
}

impl Rule for Launches {
    fn name(&self) -> &'static str {
        "launch"
    }

    fn check(&self, proposal: Proposal<'_>, _: &Scene<'_>) -> Result<(), Objection> {
        let Proposal::Action(Action::Launch { argv }) = proposal else { return Ok(()) };
        Ok(self.judge(argv)?)
    }
}

/// The entries of several words.
pub(super) fn commands(policy: &Policy) -> Vec<Vec<String>> {
    policy.launch.iter().map(|entry| words(entry)).filter(|words| words.len() > 1).collect()
}

/// Whether an entry stands for what is to be started.
fn stands_for(named: &Program, program: &Program) -> bool {
    let alike = |a: &str, b: &str| {
        let windows = named.windows || program.windows || cfg!(windows);
        if windows {
            a.replace('/', "\\").to_lowercase() == b.replace('/', "\\").to_lowercase()
        } else {
            a == b
        }
    };
    if named.is_path {
        return program.is_path && alike(&named.whole, &program.whole);
    }
    if program.is_path && !program.is_of_the_system() {
        return false;
    }
    // `notepad` is what the system makes of it, `notepad.exe`.
    let exe = |name: &str| name.to_lowercase().strip_suffix(".exe").map(str::to_owned);
    alike(&named.file, &program.file)
        || exe(&program.file).is_some_and(|stem| alike(&named.file, &stem))
        || exe(&named.file).is_some_and(|stem| alike(&stem, &program.file))
}

fn is_command(command: &[String], argv: &[String]) -> bool {
    let fits = |(i, (wanted, given)): (usize, (&String, &String))| {
        let open = wanted == "*" && i > 0;
        if open {
            !given.is_empty() && !given.starts_with('-') && !given.contains('"')
        } else {
            wanted == given
        }
    };
    command.len() == argv.len() && command.iter().zip(argv).enumerate().all(fits)
}

/// An entry as words: those with blanks stand in quotes, single or double.
pub(super) fn words(entry: &str) -> Vec<String> {
    let (mut words, mut word, mut begun, mut quote) = (Vec::new(), String::new(), false, None);
    for c in entry.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.push(c),
            None if matches!(c, '"' | '\'') => (begun, quote) = (true, Some(c)),
            None if c.is_whitespace() => {
                if begun || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            None => word.push(c),
        }
    }
    if begun || !word.is_empty() {
        words.push(word);
    }
    words
}
