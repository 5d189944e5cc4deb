//! The page's style, and the two ways in which a text may stand in it.

/// Text for the body or for an attribute in double quotes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Controls are no characters of HTML; marks that turn the direction of writing could hide what stands there.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A path below the page's folder as a link, whatever its characters: never one that leads elsewhere.
pub(super) fn link(path: &str) -> String {
    let mut out = String::from("./");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

pub(super) const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #c4362b; --void: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --good: #4ac26b; --bad: #ff7b72; --void: #e3b341; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 0 0 .3rem; overflow-wrap: anywhere; } .sub, small { opacity: .7; font-weight: normal; }
p { margin: .2rem 0 .6rem; overflow-wrap: anywhere; white-space: pre-wrap; }
.wide { overflow-x: auto; } table { border-collapse: collapse; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { max-width: 40rem; overflow-wrap: anywhere; } td:first-child { min-width: 8rem; }
td.n { font-variant-numeric: tabular-nums; white-space: nowrap; } .figures th { font-weight: normal; opacity: .7; white-space: nowrap; } .figures { margin-top: 1rem; }
.bar { position: relative; display: inline-block; width: 14rem; height: .8rem; background: var(--line); margin-right: .6rem; }
.bar i { position: absolute; left: 0; top: 0; bottom: 0; background: var(--good); }
.bar u { position: absolute; top: .3rem; height: .2rem; background: currentColor; opacity: .55; }
td:has(> .passed, > .failed, > .void, > .expected) { min-width: 5rem; } td:has(> .bar), .share { white-space: nowrap; } .share { font-variant-numeric: tabular-nums; }
a.passed, a.failed, a.void, a.expected { display: inline-block; width: 1.2rem; text-align: center; text-decoration: none; font-weight: bold; }
.passed { color: var(--good); } .failed { color: var(--bad); } .void, .stopped { color: var(--void); } a.expected { color: inherit; opacity: .45; }
section { border: 1px solid var(--line); border-radius: .4rem; padding: .8rem 1rem; margin: 1rem 0; } section:target { border-color: currentColor; }
.broken { border-color: var(--bad); } .broken h2 { color: var(--bad); margin-top: 0; }
img { max-width: 100%; border: 1px solid var(--line); margin-top: .4rem; } summary { cursor: pointer; }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_a_tag_or_ends_an_attribute() {
        assert_eq!(
            escape("<script>alert(\"x\" & 'y')</script>"),
            "&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;"
        );
        assert_eq!(escape("a\u{0}b\u{202e}c\nd"), "a\u{fffd}b\u{fffd}c\nd");
        assert_eq!(escape("Zwölf × 12 😀"), "Zwölf × 12 😀");
    }

    #[test]
    fn a_link_leads_below_the_page_only() {
        assert_eq!(link("model/write-note-1"), "./model/write-note-1");
        assert_eq!(link("javascript:alert(1)"), "./javascript%3Aalert%281%29");
        assert_eq!(link("//host/x\" onclick=\"y"), ".///host/x%22%20onclick%3D%22y");
        assert_eq!(link("ü?#"), "./%C3%BC%3F%23");
    }
}
