use super::*;
use crate::score::tests::evaluation;

fn look(_: &Attempt) -> Look {
    Look { objective: Some("Write <i>this</i>".into()), last: Some(vec![0xff, 0xd8]), sheet: None }
}

#[test]
fn the_page_stands_alone_and_shows_each_failure() {
    let evaluation = evaluation(2, |job| match (job.player, job.seed) {
        (Player::Oracle, _) | (Player::Model, 1) => Verdict::Passed,
        (Player::Model, _) if job.case.id == "compute" => Verdict::Void,
        _ => Verdict::Failed,
    });
    let page = html(&evaluation, look);
    for resource in ["http:", "https:", "src=\"/", "src=\"./", "<link", "<script", "url(", "@import"] {
        assert!(!page.contains(resource), "{resource} is in the page");
    }
    for part in [
        "<h1>mine: stateless with vendor/model</h1>",
        "pass@1 75.0 %, pass@2 100.0 %",
        "<td class=\"n\">2 of 3</td>",
        "the file &lt;b&gt;&quot;note&quot;&lt;/b&gt; is missing",
        "<a href=\"./model/write-note-2\">write-note</a> <small>level 2, seed 2, failed</small>",
        "<a href=\"./model/compute-2\">compute</a> <small>level 2, seed 2, void</small>",
        "data:image/jpeg;base64,/9g=",
        "<p>Write &lt;i&gt;this&lt;/i&gt;</p>",
        "<td><a href=\"#write-note-2\">write-note</a></td>",
        "<section id=\"write-note-2\">",
    ] {
        assert!(page.contains(part), "{part:?} is missing in:\n{page}");
    }
    assert_eq!(page.matches("<img").count(), 2, "one for each that did not pass");
    assert!(!page.contains("measures nothing") && !page.contains("It was stopped"));
    let marks = |class: &str| page.matches(&format!("<a class=\"{class}\"")).count();
    assert_eq!((marks("passed"), marks("failed"), marks("void"), marks("expected")), (2, 1, 1, 12));
    // Every tag that is opened is closed.
    for tag in ["div", "table", "section", "details", "tr", "td", "a", "span"] {
        let opened = page.matches(&format!("<{tag} ")).count() + page.matches(&format!("<{tag}>")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn a_broken_suite_says_so_first() {
    let page = html(&evaluation(1, |_| Verdict::Failed), look);
    let (broken, success) = (page.find("measures nothing").unwrap(), page.find("<h2>Success").unwrap());
    assert!(broken < success);
    assert!(page.contains("the oracle does not win it: the file &lt;b&gt;"), "{page}");
    // Controls that do as they must are told from those that do not.
    assert_eq!(page.matches("<a class=\"expected\"").count(), 4, "no-op and random of two cases");
    let mut stopped = evaluation(1, |_| Verdict::Failed);
    stopped.planned += 3;
    assert!(html(&stopped, look).contains("It was stopped: 3 of 11 runs were not played."));
}
