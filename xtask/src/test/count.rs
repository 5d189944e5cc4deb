//! Counts of tests, read from what libtest prints and from nextest's JUnit file.
//!
//! A test that lacks a program passes for its runner, but prints `SKIPPED <test>: needs ...`; it is counted as
//! skipped. A failed test is failed whatever it printed. One that passed at its second attempt only has passed, and is named.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    /// How many of those that passed needed a second attempt.
    pub(crate) again: usize,
}

impl Count {
    const NONE: Self = Self { passed: 0, failed: 0, skipped: 0, again: 0 };
    pub(crate) const PASSED: Self = Self { passed: 1, ..Self::NONE };
    pub(crate) const FAILED: Self = Self { failed: 1, ..Self::NONE };
    pub(crate) const SKIPPED: Self = Self { skipped: 1, ..Self::NONE };
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.again += other.again;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

const SKIPPED: &str = "SKIPPED ";

/// Reads libtest's output line by line (run with `--show-output`): counts, and says which lines a person wants.
#[derive(Default)]
pub(super) struct Libtest {
    count: Count,
    /// What follows `SKIPPED ` up to the colon, in the current binary.
    skipped: BTreeSet<String>,
    in_successes: bool,
}

impl Libtest {
    /// True when the line is worth showing: not the name or output of a test that passed.
    pub(super) fn line(&mut self, line: &str) -> bool {
        if let Some(result) = line.strip_prefix("test result: ") {
            self.in_successes = false;
            self.close_binary(result);
            return !result.contains(" 0 passed; 0 failed; 0 ignored;");
        }
        match line {
            "successes:" => self.in_successes = true,
            "failures:" => self.in_successes = false,
            _ => {}
        }
        if self.in_successes {
            if let Some(skipped) = line.strip_prefix(SKIPPED) {
                let test = skipped.split(':').next().unwrap_or(skipped);
                return self.skipped.insert(test.to_owned());
            }
            return false;
        }
        let passed = line.starts_with("test ") && line.ends_with(" ... ok");
        let header = line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test"));
        !(passed || header || line.is_empty())
    }

    fn close_binary(&mut self, result: &str) {
        let number = |what: &str| {
            let before = result.split(';').find_map(|part| part.trim_end().strip_suffix(what))?;
            before.split_whitespace().next_back()?.parse::<usize>().ok()
        };
        let passed = number(" passed").unwrap_or(0);
        let skipped = self.skipped.len().min(passed);
        self.skipped.clear();
        self.count += Count {
            passed: passed - skipped,
            failed: number(" failed").unwrap_or(0),
            skipped: skipped + number(" ignored").unwrap_or(0),
            again: 0,
        };
    }

    /// The count, given whether the runner itself succeeded: a crash leaves no result line but is a failure.
    pub(super) fn finish(self, success: bool) -> Count {
        blame(self.count, success)
    }
}

/// What the JUnit file of a nextest run says (with the output of passing tests stored).
#[derive(Debug, Default, PartialEq)]
pub(super) struct Report<'a> {
    pub(super) count: Count,
    /// The line with which each skipped test said why.
    pub(super) skips: Vec<&'a str>,
    /// The longest tests with their seconds, the longest first.
    pub(super) slowest: Vec<(f64, &'a str)>,
    /// Those that passed at their second attempt only.
    pub(super) again: Vec<&'a str>,
}

const SLOWEST: usize = 5;

/// Reads it, given whether the runner itself succeeded.
pub(super) fn junit(xml: &str, success: bool) -> Report<'_> {
    let mut report = Report::default();
    // Text in the file is escaped, so a tag found is a tag.
    for case in xml.split("<testcase ").skip(1) {
        let case = case.split("</testcase>").next().unwrap_or(case);
        let attribute = |name: &str| {
            let tag = case.split('>').next()?;
            tag.split_once(&format!("{name}=\""))?.1.split('"').next()
        };
        let name = attribute("name").unwrap_or("?");
        if case.contains("<failure") || case.contains("<error") {
            report.count += Count::FAILED;
        } else if let Some(skip) = case.split(['\n', '<', '>']).find(|line| line.starts_with(SKIPPED)) {
            report.count += Count::SKIPPED;
            report.skips.push(skip);
        } else {
            report.count += Count::PASSED;
            if case.contains("<flaky") {
                report.count.again += 1;
                report.again.push(name);
            }
        }
        let seconds = attribute(" time").and_then(|seconds| seconds.parse().ok()).unwrap_or(0.0);
        report.slowest.push((seconds, name));
    }
    report.slowest.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    report.slowest.truncate(SLOWEST);
    report.count = blame(report.count, success);
    report
}

fn blame(mut count: Count, success: bool) -> Count {
    if !success && count.failed == 0 {
        count.failed = 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(output: &str, success: bool) -> (Count, Vec<&str>) {
        let mut libtest = Libtest::default();
        let shown = output.lines().filter(|line| libtest.line(line)).collect();
        (libtest.finish(success), shown)
    }

    const OUTPUT: &str = "
running 5 tests
test a::one ... ok
test a::two ... ok
test a::three ... ok
test a::four ... FAILED
test a::five ... ignored

successes:

---- a::one stdout ----
noise
SKIPPED a::one: needs Xvfb (apt-get install xvfb)
SKIPPED a::one: needs Xvfb (apt-get install xvfb)

---- a::two stdout ----
 SKIPPED not at the line's start

successes:
    a::one
    a::two
    a::three

failures:

---- a::four stdout ----
SKIPPED a::four: but it failed
thread panicked

failures:
    a::four

test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s
";

    #[test]
    fn libtest_results_are_summed_and_skips_are_no_passes() {
        let (count, shown) = read(OUTPUT, false);
        assert_eq!(count, Count { passed: 2, failed: 1, skipped: 2, again: 0 });
        assert!(shown.contains(&"test a::four ... FAILED") && shown.contains(&"thread panicked"));
        assert!(shown.contains(&"SKIPPED a::one: needs Xvfb (apt-get install xvfb)"));
        assert!(!shown.iter().any(|line| line.contains("noise") || line.contains("a::three ... ok")));
    }

    #[test]
    fn a_runner_that_died_without_a_result_is_a_failure() {
        assert_eq!(read("running 3 tests\ntest a ... ok\n", false).0, Count::FAILED);
        assert_eq!(read("", true).0, Count::default());
        assert_eq!(junit("", false).count, Count::FAILED);
    }

    const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="4" failures="1" errors="0">
    <testsuite name="a::it" tests="4">
        <testcase name="xvfb::one" classname="a::it" time="0.004">
            <system-out>running 1 test
SKIPPED xvfb::one: needs Xvfb (apt-get install xvfb)
test result: ok. 1 passed; 0 failed</system-out>
            <system-err></system-err>
        </testcase>
        <testcase name="xvfb::two" classname="a::it" time="0.004">
        </testcase>
        <testcase name="xvfb::three" classname="a::it" time="0.004">
            <failure message="panicked" type="test failure">SKIPPED but failed</failure>
        </testcase>
        <testcase name="xvfb::four" classname="a::it" time="0.004">
            <system-out>SKIPPED xvfb::four: needs strace (apt-get install strace)
&lt;failure</system-out>
        </testcase>
        <testcase name="xvfb::five" classname="a::it" time="1.250">
            <flakyFailure timestamp="2026-01-01T00:00:00.000+00:00" time="0.9" message="panicked" type="test failure">once</flakyFailure>
        </testcase>
    </testsuite>
</testsuites>"#;

    #[test]
    fn junit_cases_are_counted() {
        let report = junit(XML, false);
        assert_eq!(report.count, Count { passed: 2, failed: 1, skipped: 2, again: 1 });
        assert_eq!(report.skips[0], "SKIPPED xvfb::one: needs Xvfb (apt-get install xvfb)");
        assert_eq!(report.again, ["xvfb::five"]);
        assert_eq!(report.slowest[0], (1.25, "xvfb::five"));
    }

    #[test]
    fn the_last_line_is_plain() {
        assert_eq!(
            Count { passed: 3, failed: 0, skipped: 1, again: 1 }.to_string(),
            "3 passed, 0 failed, 1 skipped"
        );
    }
}
