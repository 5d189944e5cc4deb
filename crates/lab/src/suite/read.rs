//! From the text of a suite to its cases. Whatever is wrong is told with its place; nothing is ignored or guessed.

use super::{Case, Glob, Limits, Program, ProgramsStart, Start, Suite, TOOLS, WorldStart};
use crate::check::{Check, Claim, Subject};
use crate::control::script::{Deed, Place, Step};
use handsight_agent::profile::{Misread, line_at, misread, nearest};
use handsight_worlds::task::TaskInfo;
use serde::Deserialize;
use toml::Spanned;

/// What is wrong with a suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{from}, line {line}: {what}{}", .nearest.as_ref().map(|n| format!(". Did you mean `{n}`?")).unwrap_or_default())]
pub struct SuiteError {
    /// The file.
    pub from: String,
    /// From 1.
    pub line: usize,
    pub what: String,
    /// The word that was probably meant.
    pub nearest: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteText {
    #[serde(default)]
    about: String,
    #[serde(default)]
    limits: LimitsText,
    #[serde(default)]
    world: Vec<Spanned<WorldText>>,
    #[serde(default)]
    case: Vec<Spanned<CaseText>>,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(deny_unknown_fields)]
struct LimitsText {
    turns: Option<u64>,
    seconds: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldText {
    world: Spanned<String>,
    /// Patterns; all tasks if there are none.
    #[serde(default)]
    tasks: Vec<Spanned<String>>,
    suffix: Option<Spanned<String>>,
    size: Option<Spanned<String>>,
    scale: Option<Spanned<f64>>,
    displays: Option<Spanned<u8>>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    limits: LimitsText,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseText {
    id: Spanned<String>,
    level: Spanned<u8>,
    #[serde(default)]
    tags: Vec<String>,
    tools: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    limits: LimitsText,
    objective: Spanned<String>,
    #[serde(default)]
    file: Vec<FileText>,
    #[serde(default)]
    before: Vec<Spanned<Vec<String>>>,
    #[serde(default)]
    program: Vec<Spanned<ProgramText>>,
    #[serde(default)]
    check: Vec<Spanned<CheckText>>,
    #[serde(default)]
    solution: Vec<Spanned<StepText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    path: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramText {
    name: String,
    run: Vec<String>,
    window: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckText {
    file: Option<String>,
    clipboard: Option<bool>,
    window: Option<String>,
    program: Option<String>,
    run: Option<Vec<String>>,
    exists: Option<bool>,
    has: Option<String>,
    equals: Option<String>,
    ended: Option<i32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepText {
    window: Option<String>,
    click: Option<[i32; 2]>,
    double_click: Option<[i32; 2]>,
    right_click: Option<[i32; 2]>,
    drag: Option<[[i32; 2]; 2]>,
    #[serde(rename = "type")]
    text: Option<String>,
    key: Option<String>,
    scroll: Option<i32>,
    gone: Option<String>,
}

/// Where a complaint is about.
struct Source<'a> {
    from: &'a str,
    text: &'a str,
}

impl Source<'_> {
    fn bad<T>(&self, at: &Spanned<T>, what: impl Into<String>) -> SuiteError {
        self.meant(at, what, None)
    }

    fn meant<T>(&self, at: &Spanned<T>, what: impl Into<String>, nearest: Option<String>) -> SuiteError {
        let line = line_at(self.text, at.span().start);
        SuiteError { from: self.from.to_owned(), line, what: what.into(), nearest }
    }
}

/// Reads a suite; `from` is its file, for complaints.
pub fn read(name: &str, from: &str, text: &str) -> Result<Suite, SuiteError> {
    let source = Source { from, text };
    let suite: SuiteText = toml::from_str(text).map_err(|error| {
        let Misread { line, what, nearest } = misread(text, 0, &error);
        SuiteError { from: from.to_owned(), line, what, nearest }
    })?;
    let limits = suite.limits.over(Limits::default());
    let mut cases: Vec<Case> = Vec::new();
    let mut add = |at: usize, case: Case| {
        let taken = cases.iter().any(|other| other.id == case.id);
        let (line, what) = (line_at(text, at), format!("there are two cases {:?}", case.id));
        if taken {
            return Err(SuiteError { from: from.to_owned(), line, what, nearest: None });
        }
        cases.push(case);
        Ok(())
    };
    for world in &suite.world {
        for case in tasks_of(&source, world.get_ref(), limits)? {
            add(world.span().start, case)?;
        }
    }
    for case in &suite.case {
        add(case.get_ref().id.span().start, programs_of(&source, case, limits)?)?;
    }
    if cases.is_empty() {
        let what = "the suite has no case: it takes [[world]] or [[case]]".to_owned();
        return Err(SuiteError { from: from.to_owned(), line: 1, what, nearest: None });
    }
    Ok(Suite { name: name.to_owned(), about: suite.about, cases })
}

impl LimitsText {
    fn over(self, base: Limits) -> Limits {
        Limits { turns: self.turns.unwrap_or(base.turns), seconds: self.seconds.unwrap_or(base.seconds) }
    }
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

const ID: &str = "made of lower-case letters, digits and -";

fn tasks_of(source: &Source<'_>, text: &WorldText, limits: Limits) -> Result<Vec<Case>, SuiteError> {
    let name = text.world.get_ref();
    let Some(kind) = handsight_worlds::find(name) else {
        let there = || handsight_worlds::WORLDS.iter().map(|kind| kind.name);
        let list: Vec<&str> = there().collect();
        let what = format!("there is no world {name:?}; there are: {}", list.join(", "));
        return Err(source.meant(&text.world, what, nearest(name, there())));
    };
    if let Some(suffix) = text.suffix.as_ref().filter(|s| !is_id(s.get_ref())) {
        return Err(source.bad(suffix, format!("a suffix is {ID}")));
    }
    if let Some(scale) = text.scale.as_ref().filter(|s| !(1.0..=3.0).contains(s.get_ref())) {
        return Err(source.bad(scale, "a scale is a number from 1 to 3"));
    }
    if let Some(displays) = text.displays.as_ref().filter(|n| !(1..=2).contains(n.get_ref())) {
        return Err(source.bad(displays, "there can be 1 or 2 displays"));
    }
    let all = (kind.tasks)();
    for pattern in &text.tasks {
        if !all.iter().any(|task| Glob::new(pattern.get_ref()).fits(task.name)) {
            let what = format!("the world {name} has no task {:?}", pattern.get_ref());
            let nearest = nearest(pattern.get_ref(), all.iter().map(|task| task.name));
            return Err(source.meant(&text.tasks[0], what, nearest));
        }
    }
    let scale = text.scale.as_ref().map_or(1.0, |s| *s.get_ref());
    let displays = text.displays.as_ref().map_or(1, |n| *n.get_ref());
    let wanted = |task: &&TaskInfo| {
        // Whoever has two displays, or so many pixels, anyway gains nothing by being given them.
        let same = displays > 1 && task.displays >= displays || scale > 1.0 && task.scale() >= scale;
        let named = text.tasks.iter().any(|p| Glob::new(p.get_ref()).fits(task.name));
        (text.tasks.is_empty() || named) && !same
    };
    let case = |task: &TaskInfo| {
        let (scale, displays) = (scale.max(task.scale()), displays.max(task.displays));
        let shown = [
            ("plain", scale <= 1.0 && displays == 1),
            ("sharp", scale > 1.0 && scale < 2.0),
            ("double", scale >= 2.0),
            ("beside", displays > 1),
        ];
        let shown = shown.iter().filter(|(_, is)| *is).map(|(tag, _)| (*tag).to_owned());
        Case {
            id: match &text.suffix {
                Some(suffix) => format!("{}-{}", task.name, suffix.get_ref()),
                None => task.name.to_owned(),
            },
            level: task.level,
            tags: text.tags.iter().cloned().chain(shown).collect(),
            tools: task.tools.iter().map(|t| (*t).to_owned()).collect(),
            limits: text.limits.over(limits),
            start: Start::World(WorldStart {
                world: name.clone(),
                task: task.name.to_owned(),
                size: text.size.as_ref().map_or_else(|| "1280x720".to_owned(), |s| s.get_ref().clone()),
                scale,
                displays,
            }),
        }
    };
    Ok(all.iter().filter(wanted).map(case).collect())
}

fn programs_of(source: &Source<'_>, at: &Spanned<CaseText>, limits: Limits) -> Result<Case, SuiteError> {
    let text = at.get_ref();
    if !is_id(text.id.get_ref()) {
        return Err(source.bad(&text.id, format!("an id is {ID}")));
    }
    if !(1..=3).contains(text.level.get_ref()) {
        return Err(source.bad(&text.level, "a level is 1, 2 or 3"));
    }
    if text.objective.get_ref().trim().is_empty() {
        return Err(source.bad(&text.objective, "the objective is empty"));
    }
    let missing = |what: &str| Err(source.bad(&text.id, format!("{:?} has no {what}", text.id.get_ref())));
    if text.check.is_empty() {
        return missing("[[case.check]]: nobody could tell whether it was done");
    }
    if text.solution.is_empty() {
        return missing("solution: nobody could tell whether it can be done");
    }
    if let Some(nothing) = text.before.iter().find(|argv| argv.get_ref().is_empty()) {
        return Err(source.bad(nothing, "there is nothing to run"));
    }
    let mut programs: Vec<Program> = Vec::new();
    for program in &text.program {
        let ProgramText { name, run, window } = program.get_ref();
        if run.is_empty() {
            return Err(source.bad(program, format!("the program {name:?} has nothing to run")));
        }
        if programs.iter().any(|other| other.name == *name) {
            return Err(source.bad(program, format!("there are two programs {name:?}")));
        }
        programs.push(Program { name: name.clone(), run: run.clone(), window: window.clone() });
    }
    let checks = text.check.iter().map(|check| check_of(source, check, &programs));
    let checks = checks.collect::<Result<Vec<_>, _>>()?;
    let solution = text.solution.iter().map(|step| step_of(source, step)).collect::<Result<Vec<_>, _>>()?;
    let tools = match &text.tools {
        Some(tools) => tools_of(source, tools)?,
        None => {
            let mut used: Vec<&str> = Vec::new();
            for tool in solution.iter().filter_map(Step::tool) {
                if !used.contains(&tool) {
                    used.push(tool);
                }
            }
            used.into_iter().map(str::to_owned).collect()
        }
    };
    Ok(Case {
        id: text.id.get_ref().clone(),
        level: *text.level.get_ref(),
        tags: text.tags.clone(),
        tools,
        limits: text.limits.over(limits),
        start: Start::Programs(ProgramsStart {
            objective: text.objective.get_ref().clone(),
            files: text.file.iter().map(|f| (f.path.clone(), f.text.clone())).collect(),
            before: text.before.iter().map(|argv| argv.get_ref().clone()).collect(),
            programs,
            checks,
            solution,
        }),
    })
}

/// What the author says that it takes: his solution may be one of several.
fn tools_of(source: &Source<'_>, at: &Spanned<Vec<String>>) -> Result<Vec<String>, SuiteError> {
    match at.get_ref().iter().find(|tool| !TOOLS.contains(&tool.as_str())) {
        None => Ok(at.get_ref().clone()),
        Some(tool) => {
            let what = format!("there is no tool {tool:?}; there are: {}", TOOLS.join(", "));
            Err(source.meant(at, what, nearest(tool, TOOLS.iter().copied())))
        }
    }
}

fn check_of(source: &Source<'_>, at: &Spanned<CheckText>, programs: &[Program]) -> Result<Check, SuiteError> {
    let CheckText { file, clipboard, window, program, run, exists, has, equals, ended } = at.get_ref();
    let subjects: Vec<Subject> = [
        file.clone().map(Subject::File),
        clipboard.filter(|is| *is).map(|_| Subject::Clipboard),
        window.clone().map(Subject::Window),
        program.clone().map(Subject::Program),
        run.clone().map(Subject::Run),
    ]
    .into_iter()
    .flatten()
    .collect();
    let [subject] = subjects.as_slice() else {
        return Err(source.bad(at, "a check is about one of file, clipboard, window, program and run"));
    };
    if let Subject::Program(name) = subject
        && !programs.iter().any(|program| program.name == *name)
    {
        let nearest = nearest(name, programs.iter().map(|program| program.name.as_str()));
        return Err(source.meant(at, format!("the case starts no program {name:?}"), nearest));
    }
    if matches!(subject, Subject::Run(argv) if argv.is_empty()) {
        return Err(source.bad(at, "there is nothing to run"));
    }
    let claims: Vec<Claim> = [
        exists.map(Claim::Exists),
        has.clone().map(Claim::Has),
        equals.clone().map(Claim::Equals),
        ended.map(Claim::Ended),
    ]
    .into_iter()
    .flatten()
    .collect();
    let fits = |claim: &Claim| match claim {
        Claim::Exists(_) => matches!(subject, Subject::File(_) | Subject::Window(_)),
        Claim::Has(_) | Claim::Equals(_) => !matches!(subject, Subject::Window(_)),
        Claim::Ended(_) => matches!(subject, Subject::Program(_) | Subject::Run(_)),
    };
    if claims.is_empty() || !claims.iter().all(fits) {
        let takes = match subject {
            Subject::File(_) => "exists, has and equals",
            Subject::Clipboard => "has and equals",
            Subject::Window(_) => "exists",
            Subject::Program(_) | Subject::Run(_) => "ended, has and equals",
        };
        return Err(source.bad(at, format!("a check of a {} takes {takes}", subject.word())));
    }
    Ok(Check { of: subject.clone(), claims })
}

fn step_of(source: &Source<'_>, at: &Spanned<StepText>) -> Result<Step, SuiteError> {
    let StepText { window, click, double_click, right_click, drag, text, key, scroll, gone } = at.get_ref();
    let place = |[dx, dy]: [i32; 2]| Place { dx, dy };
    let chord = key.as_deref().map(str::parse).transpose();
    let chord = chord.map_err(|e: handsight_base::key::KeyError| source.bad(at, e.to_string()))?;
    let deeds: Vec<Deed> = [
        click.map(|p| Deed::Click(place(p))),
        double_click.map(|p| Deed::DoubleClick(place(p))),
        right_click.map(|p| Deed::RightClick(place(p))),
        drag.map(|[from, to]| Deed::Drag(place(from), place(to))),
        text.clone().map(Deed::Type),
        chord.map(Deed::Key),
        scroll.map(Deed::Scroll),
        gone.clone().map(Deed::AwaitGone),
    ]
    .into_iter()
    .flatten()
    .collect();
    let deed = match (deeds.as_slice(), window) {
        ([deed], _) => deed.clone(),
        ([], Some(_)) => Deed::Await,
        _ => {
            let what = "a step is one of click, double_click, right_click, drag, type, key, scroll and gone, \
                        or a window to wait for";
            return Err(source.bad(at, what));
        }
    };
    let placed = matches!(deed, Deed::Click(_) | Deed::DoubleClick(_) | Deed::RightClick(_) | Deed::Drag(..));
    if placed && window.is_none() {
        return Err(source.bad(at, "a place is one in a window: name it with `window`"));
    }
    Ok(Step { window: window.clone(), deed })
}

#[cfg(test)]
mod tests;
