use super::*;
use crate::score::tests::evaluation;

fn look(_: &Attempt) -> Look {
    Look { last: Some(vec![0xff, 0xd8]), sheet: None }
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
    ] {
        assert!(page.contains(part), "{part:?} is missing in:\n{page}");
    }
    assert_eq!(page.matches("<img").count(), 2, "one for each that did not pass");
    assert!(!page.contains("measures nothing"));
    // Every tag that is opened is closed.
    for tag in ["table", "section", "details", "tr", "td", "a", "span"] {
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
}
