//! When a screen counts as calm: enough looks in a row that hardly differ, or the limit.
//!
//! The detector is a state machine without a clock: the caller captures, waits and says how long it has waited. The first look
//! only primes the comparison.

use crate::change::Look;
use handsight_base::flow::frame::PixelView;
use handsight_base::space::{FrameRect, Size};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The size a frame is thought of as reduced to.
    pub sample: Size,
    /// Comparisons in a row that must be stable.
    pub required_stable: u32,
    /// A comparison is stable at or under this share of changed points.
    pub change_ratio_threshold: f64,
    pub max: Duration,
}

impl Default for Settings {
    /// Those of `stateless` (S-41 to S-45).
    fn default() -> Self {
        Self {
            sample: Size::new(256, 144),
            required_stable: 2,
            change_ratio_threshold: 0.006,
            max: Duration::from_millis(2500),
        }
    }
}

/// What a look means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Look again after the interval.
    Continue,
    Settled,
    /// The limit has passed while the screen still moved. No error.
    TimedOut,
}

#[derive(Debug)]
pub struct Detector {
    settings: Settings,
    last: Option<Look>,
    stable: u32,
}

impl Detector {
    pub const fn new(settings: Settings) -> Self {
        Self { settings, last: None, stable: 0 }
    }

    /// Takes the next look. `waited` counts from the beginning of settling.
    pub fn sample(&mut self, view: PixelView<'_>, mask: &[FrameRect], waited: Duration) -> Step {
        let look = Look::take(view, self.settings.sample, mask);
        if let Some(last) = &self.last {
            let calm = look.changed_since(last).ratio() <= self.settings.change_ratio_threshold;
            self.stable = if calm { self.stable + 1 } else { 0 };
        }
        self.last = Some(look);
        if self.stable >= self.settings.required_stable {
            Step::Settled
        } else if waited >= self.settings.max {
            Step::TimedOut
        } else {
            Step::Continue
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_base::flow::frame::Pixels;
    use std::sync::Arc;

    const SIZE: Size = Size::new(256, 144);

    /// A frame in which the first `n` compared points have a colour of their own.
    fn frame(n: usize, colour: u8) -> Pixels {
        let mut bytes = vec![0; SIZE.area() as usize * 4];
        for point in 0..n {
            bytes[point * 16 * 4] = colour;
        }
        Pixels::new(Arc::new(bytes), SIZE, SIZE.width as usize * 4).unwrap()
    }

    fn steps(frames: &[Pixels], interval_millis: u64) -> Vec<Step> {
        let mut detector = Detector::new(Settings::default());
        let waited = |n: usize| Duration::from_millis(n as u64 * interval_millis);
        frames.iter().enumerate().map(|(n, f)| detector.sample(f.view(), &[], waited(n))).collect()
    }

    // spec: S-43 UNIT
    #[test]
    fn thirteen_changed_points_are_stable_and_fourteen_are_not() {
        use Step::{Continue, Settled};
        assert_eq!(steps(&[frame(0, 0), frame(13, 9), frame(13, 7)], 100), [Continue, Continue, Settled]);
        assert_eq!(steps(&[frame(0, 0), frame(14, 9), frame(14, 7)], 100), [Continue; 3]);
        // One unstable comparison starts the count again.
        let frames = [frame(0, 0), frame(0, 0), frame(14, 9), frame(14, 9), frame(14, 9)];
        assert_eq!(steps(&frames, 100), [Continue, Continue, Continue, Continue, Settled]);
    }

    // spec: S-44 UNIT
    #[test]
    fn two_stable_comparisons_after_the_animation_stops() {
        let mut frames: Vec<Pixels> = (0..5).map(|n| frame(200, n)).collect();
        frames.extend((0..4).map(|_| frame(200, 4)));
        let steps = steps(&frames, 100);
        let settled = steps.iter().position(|s| *s == Step::Settled);
        assert_eq!(settled, Some(6), "the last change is between looks 3 and 4; two comparisons later");
    }

    // spec: S-45 UNIT
    #[test]
    fn an_endless_animation_ends_at_the_limit() {
        let frames: Vec<Pixels> = (0..40).map(|n| frame(200, n)).collect();
        let steps = steps(&frames, 100);
        assert_eq!(steps.iter().position(|s| *s == Step::TimedOut), Some(25), "2.5 s at 0.1 s a look");
    }
}
