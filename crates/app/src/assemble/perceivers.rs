//! What reads the frames of a run before its model sees them: the perceivers that the profile names.

use handsight_agent::profile::Profile;
use handsight_base::port::perceiver::Perceiver;
use handsight_vision::text::{self, Ocr, Settings};

/// In the profile's order. Programs that a perceiver starts do not get the variables in `withheld`.
pub(crate) fn of(profile: &Profile, withheld: &[String]) -> Vec<Box<dyn Perceiver>> {
    let names = profile.perceive.perceivers.iter();
    names.filter_map(|name| one(name, profile, withheld)).collect()
}

/// `None` if it is switched off. Names that there are not were refused with the profile.
fn one(name: &str, profile: &Profile, withheld: &[String]) -> Option<Box<dyn Perceiver>> {
    match name {
        text::NAME => {
            let settings = profile.perceive.ocr.settings()?;
            Some(Box::new(Ocr::new(Settings { withheld: withheld.to_vec(), ..settings })))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_vision::PERCEIVERS;

    #[test]
    fn every_perceiver_can_be_named_and_none_is_unless_it_is() {
        let mut profile = Profile::resolve("stateless", &[]).unwrap();
        assert!(of(&profile, &[]).is_empty());
        profile.perceive.perceivers = PERCEIVERS.iter().map(|p| p.name.to_owned()).collect();
        let made: Vec<&str> = of(&profile, &[]).iter().map(|p| p.name()).collect();
        assert_eq!(made, PERCEIVERS.iter().map(|p| p.name).collect::<Vec<_>>());
        profile.perceive.ocr.engine = handsight_agent::profile::Reads::Off;
        assert!(of(&profile, &[]).is_empty());
    }
}
