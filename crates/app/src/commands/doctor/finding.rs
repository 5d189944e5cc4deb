//! A finding of `doctor`: what was looked at, how it stands, and what helps. Data first; text and JSON are views of it.

use crate::exit::Exit;
use crate::say;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Ok,
    /// A run works, but not as well as it could, or not in every case.
    Warn,
    /// A run cannot work.
    Fail,
}

/// What part of the machine a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Area {
    Machine,
    Settings,
    Storage,
    Desktop,
    Model,
}

impl Area {
    const fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Settings => "settings",
            Self::Storage => "storage",
            Self::Desktop => "desktop",
            Self::Model => "model",
        }
    }

    /// What a run would end with for the same reason.
    const fn exit(self) -> Exit {
        match self {
            Self::Machine | Self::Desktop => Exit::DesktopLost,
            Self::Settings => Exit::Usage,
            Self::Storage => Exit::Storage,
            Self::Model => Exit::Model,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) area: Area,
    /// A short name that stays the same, for scripts.
    pub(super) check: &'static str,
    pub(super) status: Status,
    pub(super) found: String,
    /// Empty where nothing is to be done.
    pub(super) remedy: String,
}

/// The findings of one area, in the order they were made.
#[derive(Debug)]
pub(super) struct Findings {
    area: Area,
    pub(super) list: Vec<Finding>,
}

impl Findings {
    pub(super) const fn of(area: Area) -> Self {
        Self { area, list: Vec::new() }
    }

    fn add(
        &mut self,
        check: &'static str,
        status: Status,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let (found, remedy) = (found.into(), remedy.into());
        self.list.push(Finding { area: self.area, check, status, found, remedy });
    }

    pub(super) fn ok(&mut self, check: &'static str, found: impl Into<String>) {
        self.add(check, Status::Ok, found, "");
    }

    pub(super) fn warn(&mut self, check: &'static str, found: impl Into<String>, remedy: impl Into<String>) {
        self.add(check, Status::Warn, found, remedy);
    }

    pub(super) fn fail(&mut self, check: &'static str, found: impl Into<String>, remedy: impl Into<String>) {
        self.add(check, Status::Fail, found, remedy);
    }

    /// Ok if it is so, else a warning.
    pub(super) fn expect(
        &mut self,
        check: &'static str,
        good: bool,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        if good {
            self.ok(check, found);
        } else {
            self.warn(check, found, remedy);
        }
    }
}

/// Writes the findings and gives the exit code: that of the first failure.
pub(super) fn report(findings: &[Finding], as_json: bool) -> Exit {
    if as_json {
        say::json(&document(findings));
    } else {
        for f in findings {
            let mark = match f.status {
                Status::Ok => "ok  ",
                Status::Warn => "warn",
                Status::Fail => "FAIL",
            };
            say::result(&format!("{mark}  {:<9} {:<18} {}", f.area.name(), f.check, f.found));
            if !f.remedy.is_empty() {
                say::result(&format!("      {}", f.remedy));
            }
        }
    }
    findings.iter().find(|f| f.status == Status::Fail).map_or(Exit::Done, |f| f.area.exit())
}

fn document(findings: &[Finding]) -> Value {
    let worst = findings.iter().map(|f| f.status).max().unwrap_or(Status::Ok);
    json!({ "worst": worst, "findings": findings })
}
