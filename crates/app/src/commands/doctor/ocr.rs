//! What reads text off the screen: engine, version, languages.

use super::finding::{Area, Finding, Findings};
use handsight_agent::profile::Profile;
use handsight_vision::text::{self, About, Engine, OcrError, Reader, Settings};

pub(super) async fn check(profile: &Profile, withheld: Vec<String>) -> Vec<Finding> {
    let ocr = &profile.perceive.ocr;
    let wanted = profile.perceive.names(text::NAME).then(|| ocr.settings()).flatten();
    let settings = Settings { withheld, ..wanted.clone().unwrap_or_default() };
    let there = Reader::new(settings).about().await;
    let mut findings = Findings::of(Area::Machine);
    told(&mut findings, there, wanted.map(|settings| settings.language));
    findings.list
}

/// `wanted` is the language of a profile that reads; what nobody asked for is nothing to warn of.
fn told(findings: &mut Findings, there: Result<(Engine, About), OcrError>, wanted: Option<String>) {
    let (engine, About { version, languages }) = match there {
        Ok(there) => there,
        Err(error) if wanted.is_none() => {
            return findings
                .ok("ocr", format!("{error} (only `ocr` and perceive.perceivers = [\"ocr\"] need it)"));
        }
        Err(OcrError::Missing { engine, remedy }) => {
            return findings.warn("ocr", format!("{engine} is not installed: no text is read"), remedy);
        }
        Err(error) => return findings.warn("ocr", error.to_string(), "Run `tesseract --version` by hand."),
    };
    let found = format!("{} {version}: {}", engine.name(), languages.join(", "));
    let lacks = wanted.iter().flat_map(|wanted| wanted.split('+')).find(|part| {
        // Windows has tags for what tesseract has names for; its own reader finds out.
        engine == Engine::Tesseract && !languages.iter().any(|language| language == part)
    });
    match lacks {
        None => findings.ok("ocr", found),
        Some(part) => {
            let package = part.replace('_', "-");
            findings.warn(
                "ocr",
                format!("{found}; no {part}"),
                format!("apt-get install tesseract-ocr-{package}"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;

    #[test]
    fn what_is_missing_is_a_warning_only_where_it_is_wanted() {
        let told = |there, wanted: Option<&str>| {
            let mut findings = Findings::of(Area::Machine);
            told(&mut findings, there, wanted.map(str::to_owned));
            let Finding { status, found, remedy, .. } = findings.list.remove(0);
            (status, found, remedy)
        };
        let missing =
            || OcrError::Missing { engine: "tesseract", remedy: "apt-get install tesseract-ocr".into() };
        assert_eq!(told(Err(missing()), None).0, Status::Ok);
        let (status, _, remedy) = told(Err(missing()), Some("eng"));
        assert_eq!((status, remedy.as_str()), (Status::Warn, "apt-get install tesseract-ocr"));
        let there = || About { version: "5.3.0".into(), languages: vec!["eng".into(), "deu".into()] };
        let (status, found, _) = told(Ok((Engine::Tesseract, there())), Some("eng+deu"));
        assert_eq!((status, found.as_str()), (Status::Ok, "tesseract 5.3.0: eng, deu"));
        let (status, _, remedy) = told(Ok((Engine::Tesseract, there())), Some("eng+chi_sim"));
        assert_eq!((status, remedy.as_str()), (Status::Warn, "apt-get install tesseract-ocr-chi-sim"));
    }
}
