//! Whether the screen has come to rest: the verdict over a row of looks.
//!
//! The caller takes the looks and keeps the interval between them (S-46); this module only judges. It does not ask what
//! moved, and a screen that never rests is no error (S-45).

use crate::change::{self, Sample};
use handsight_base::flow::frame::PixelView;
use handsight_base::space::{FrameRect, Size};
use std::time::Duration;

/// When a screen counts as at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Size that a look is reduced to.
    pub sample: Size,
    /// Largest part of the points that may change from one look to the next, 0 to 1. Raising it tolerates motion.
    pub change_ratio_threshold: f64,
    /// So many calm comparisons in a row are rest.
    pub required_stable: u32,
    /// The wait ends here, rest or not.
    pub max: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            sample: change::SAMPLE,
            change_ratio_threshold: 0.006,
            required_stable: 2,
            max: Duration::from_millis(2500),
        }
    }
}

/// What to do after a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Look again after the interval.
    Continue,
    Settled,
    TimedOut,
}

/// Judges the looks of one wait.
#[derive(Debug)]
pub struct Detector {
    settings: Settings,
    last: Option<Sample>,
    stable: u32,
    ratio: Option<f64>,
}

impl Detector {
    pub const fn new(settings: Settings) -> Self {
        Self { settings, last: None, stable: 0, ratio: None }
    }

    /// One look, `waited` after the wait began. The first one only primes the comparison. What changes inside the
    /// rectangles of `mask` does not count: our own HUD is no motion of the screen.
    ///
    /// A look that completes the rest settles the wait even if it comes late.
    pub fn sample(&mut self, view: PixelView<'_>, mask: &[FrameRect], waited: Duration) -> Step {
        let now = Sample::of(view, self.settings.sample);
        self.ratio = self.last.as_ref().map(|last| now.changed(last, mask));
        self.last = Some(now);
        match self.ratio {
            Some(ratio) if ratio <= self.settings.change_ratio_threshold => self.stable += 1,
            _ => self.stable = 0,
        }
        if self.stable >= self.settings.required_stable {
            Step::Settled
        } else if waited >= self.settings.max {
            Step::TimedOut
        } else {
            Step::Continue
        }
    }

    /// Changed part between the last two looks; `None` before the second.
    pub const fn ratio(&self) -> Option<f64> {
        self.ratio
    }

    /// Calm comparisons in a row so far.
    pub const fn stable(&self) -> u32 {
        self.stable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::frame::Pixels;
    use std::sync::Arc;

    const SIZE: Size = change::SAMPLE;
    const INTERVAL: Duration = Duration::from_millis(100);

    /// A frame in which the first `points` compared points have the value `level`.
    fn frame(points: usize, level: u8) -> Pixels {
        let mut bytes = [9, 9, 9, 0].repeat(SIZE.area() as usize);
        for point in 0..points {
            bytes[point * 16 * 4] = level;
        }
        Pixels::new(Arc::new(bytes), SIZE, SIZE.width as usize * 4).expect("four bytes a pixel")
    }

    /// Feeds one look an interval; returns the steps up to the first that ends the wait.
    fn run(settings: Settings, looks: impl Iterator<Item = Pixels>) -> Vec<Step> {
        let mut detector = Detector::new(settings);
        let mut steps = Vec::new();
        for (i, look) in (0..).zip(looks) {
            let step = detector.sample(look.view(), &[], INTERVAL * i);
            steps.push(step);
            if step != Step::Continue {
                break;
            }
        }
        steps
    }

    // spec: S-43 UNIT
    #[test]
    fn thirteen_changed_points_are_stable_and_fourteen_are_not() {
        for (points, stable) in [(0, 1), (13, 1), (14, 0)] {
            let mut detector = Detector::new(Settings::default());
            detector.sample(frame(0, 0).view(), &[], Duration::ZERO);
            detector.sample(frame(points, 200).view(), &[], INTERVAL);
            assert_eq!(detector.stable(), stable, "{points} points");
            assert_eq!(detector.ratio(), Some(points as f64 / 2304.0));
        }
    }

    // spec: S-43 UNIT
    #[test]
    fn motion_sets_the_count_back_to_zero() {
        let mut detector = Detector::new(Settings { required_stable: 3, ..Settings::default() });
        let mut count = |points, level| {
            detector.sample(frame(points, level).view(), &[], INTERVAL);
            detector.stable()
        };
        assert_eq!([count(0, 0), count(0, 0), count(13, 1), count(14, 2), count(14, 2)], [0, 1, 2, 0, 1]);
    }

    // spec: S-41 S-44 UNIT
    #[test]
    fn a_resting_screen_settles_at_the_third_look() {
        let still = std::iter::repeat_with(|| frame(0, 0));
        assert_eq!(run(Settings::default(), still), [Step::Continue, Step::Continue, Step::Settled]);
        assert_eq!(
            (Settings::default().sample, Settings::default().required_stable),
            (Size::new(256, 144), 2)
        );
    }

    // spec: S-44 UNIT
    #[test]
    fn it_settles_two_comparisons_after_the_motion_stops() {
        let looks = (0..20u8).map(|i| frame(500, i.min(6)));
        let steps = run(Settings::default(), looks);
        // Looks 0 to 6 differ from each other; 7 and 8 equal 6.
        assert_eq!((steps.len(), steps.last()), (9, Some(&Step::Settled)));
    }

    // spec: S-45 UNIT
    #[test]
    fn endless_motion_times_out_at_the_limit() {
        let looks = (0..).map(|i: u32| frame(500, i as u8));
        let steps = run(Settings::default(), looks);
        assert_eq!((steps.len(), steps.last()), (26, Some(&Step::TimedOut)), "the look at 2.5 s ends it");
    }

    #[test]
    fn rest_at_the_very_limit_is_rest() {
        let settings = Settings { max: INTERVAL * 2, ..Settings::default() };
        let still = std::iter::repeat_with(|| frame(0, 0));
        assert_eq!(run(settings, still).last(), Some(&Step::Settled));
    }

    #[test]
    fn motion_under_the_mask_is_no_motion() {
        let mut detector = Detector::new(Settings::default());
        let mask = [FrameRect::new(0, 0, 256, 40)];
        let steps: Vec<Step> =
            (0..3).map(|i| detector.sample(frame(500, i).view(), &mask, INTERVAL)).collect();
        assert_eq!(steps.last(), Some(&Step::Settled));
    }

    #[test]
    fn a_new_resolution_is_motion() {
        let small = Pixels::solid(Size::new(64, 64), [9, 9, 9]);
        let mut detector = Detector::new(Settings::default());
        let mut sample = |pixels: &Pixels| {
            detector.sample(pixels.view(), &[], INTERVAL);
            detector.stable()
        };
        assert_eq!(
            [sample(&frame(0, 0)), sample(&frame(0, 0)), sample(&small), sample(&small)],
            [0, 1, 0, 1]
        );
    }
}
