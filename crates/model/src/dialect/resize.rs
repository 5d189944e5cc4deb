//! The sizes that pictures are brought to before a model sees them.
//!
//! A model that gives points in pixels means those of the picture *after* its own processor has resized it. So a picture is made
//! in a size that the processor leaves as it is, and where that was not possible (a byte limit) the points are read in the size
//! that it makes of it. Nothing here touches a pixel.

use handsight_base::space::Size;

/// A processor's rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Resize {
    /// `smart_resize` of Qwen2-VL and all who took it over: both sides multiples of `factor`, the area between two bounds.
    /// Halves go to the even multiple, as in Python's `round` (qwen-vl-utils `vision_process.py`; transformers
    /// `image_processing_qwen2_vl.py`).
    Smart { factor: u32, min_pixels: u64, max_pixels: u64 },
    /// The largest size of the same aspect, never larger than the picture, whose long edge is at most `edge` and which at most
    /// `tiles` squares of `tile` pixels cover (Anthropic: docs, "Coordinates and bounding boxes").
    Within { edge: u32, tile: u32, tiles: u64 },
}

/// Beyond this aspect `smart_resize` fails, and so would the request.
const RATIO: u32 = 200;

impl Resize {
    /// What the processor makes of a picture; `None` where it would refuse it.
    pub fn of(self, picture: Size) -> Option<Size> {
        if picture.is_empty() {
            return None;
        }
        match self {
            Self::Smart { factor, min_pixels, max_pixels } => smart(picture, factor, min_pixels, max_pixels),
            Self::Within { edge, tile, tiles } => Some(within(picture, edge, tile, tiles)),
        }
    }

    /// The size for a picture of `screen`, at most about `bounds`, that the processor leaves as it is; the screen's aspect as
    /// nearly as the rule allows.
    pub fn picture(self, screen: Size, bounds: Size) -> Option<Size> {
        if screen.is_empty() || bounds.is_empty() {
            return None;
        }
        let share = (f64::from(bounds.width) / f64::from(screen.width))
            .min(f64::from(bounds.height) / f64::from(screen.height))
            .min(1.0);
        self.of(scaled(screen, share))
    }

    /// For pages: `multiples of 28, 3136 to 12845056 pixels`.
    pub fn about(self) -> String {
        match self {
            Self::Smart { factor, min_pixels, max_pixels } => {
                format!("multiples of {factor}, {min_pixels} to {max_pixels} pixels")
            }
            Self::Within { edge, tile, tiles } => {
                format!("long edge at most {edge}, at most {tiles} tiles of {tile}x{tile}")
            }
        }
    }
}

fn scaled(size: Size, share: f64) -> Size {
    let side = |n: u32| ((f64::from(n) * share).round() as u32).max(1);
    Size::new(side(size.width), side(size.height))
}

fn smart(picture: Size, factor: u32, min_pixels: u64, max_pixels: u64) -> Option<Size> {
    let (w, h) = (f64::from(picture.width), f64::from(picture.height));
    if w.max(h) / w.min(h) > f64::from(RATIO) || factor == 0 {
        return None;
    }
    let f = f64::from(factor);
    let side = |multiples: f64| (multiples.max(1.0) * f) as u32;
    let near = Size::new(side((w / f).round_ties_even()), side((h / f).round_ties_even()));
    let area = picture.area() as f64;
    if near.area() > max_pixels {
        let beta = (area / max_pixels as f64).sqrt();
        return Some(Size::new(side((w / beta / f).floor()), side((h / beta / f).floor())));
    }
    if near.area() < min_pixels {
        let beta = (min_pixels as f64 / area).sqrt();
        return Some(Size::new(side((w * beta / f).ceil()), side((h * beta / f).ceil())));
    }
    Some(near)
}

fn within(picture: Size, edge: u32, tile: u32, tiles: u64) -> Size {
    let tile = tile.max(1);
    let fits = |s: Size| {
        let covered = u64::from(s.width.div_ceil(tile)) * u64::from(s.height.div_ceil(tile));
        s.width.max(s.height) <= edge && covered <= tiles
    };
    if fits(picture) {
        return picture;
    }
    let long = picture.width.max(picture.height);
    let of = |edge: u32| {
        let sized = scaled(picture, f64::from(edge) / f64::from(long));
        // The long edge is the given one, whatever the multiplication said.
        if picture.width >= picture.height {
            Size::new(edge, sized.height)
        } else {
            Size::new(sized.width, edge)
        }
    };
    // Tiles grow with the edge, so the largest edge that fits is found by halving.
    let (mut low, mut high) = (1, edge.min(long));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(of(middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    of(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QWEN25: Resize = Resize::Smart { factor: 28, min_pixels: 3136, max_pixels: 12_845_056 };

    /// Figures of the Python functions.
    #[test]
    fn sizes_are_those_of_the_processors() {
        let qwen3 = Resize::Smart { factor: 32, min_pixels: 3136, max_pixels: 12_845_056 };
        let small = Resize::Smart { factor: 28, min_pixels: 3136, max_pixels: 1_003_520 };
        for (rule, given, made) in [
            (QWEN25, (1920, 1080), (1932, 1092)),
            (QWEN25, (1280, 720), (1288, 728)),
            (QWEN25, (1366, 768), (1372, 756)),
            // 1302/28 = 46.5 and 1330/28 = 47.5 are halves: the even multiple.
            (QWEN25, (1302, 1330), (1288, 1344)),
            (QWEN25, (20, 20), (56, 56)),
            (qwen3, (1920, 1080), (1920, 1088)),
            (small, (1920, 1080), (1316, 728)),
        ] {
            let made = Size::new(made.0, made.1);
            assert_eq!(rule.of(Size::new(given.0, given.1)), Some(made), "{rule:?} {given:?}");
        }
        assert_eq!(QWEN25.of(Size::new(20_000, 99)), None, "an aspect over 200");
        assert_eq!(QWEN25.of(Size::new(0, 99)), None);
        let old = Resize::Within { edge: 1568, tile: 28, tiles: 1568 };
        assert_eq!(old.of(Size::new(1280, 720)), Some(Size::new(1280, 720)));
        let made = old.of(Size::new(1920, 1080)).unwrap();
        assert!(made.width <= 1568 && made.width.div_ceil(28) * made.height.div_ceil(28) <= 1568, "{made}");
    }

    proptest! {
        #[test]
        fn a_picture_made_for_a_rule_stays_as_it_is(w in 900u32..5000, h in 900u32..5000) {
            for rule in [QWEN25, Resize::Within { edge: 1568, tile: 28, tiles: 1568 }] {
                let made = rule.picture(Size::new(w, h), Size::new(1536, 864)).unwrap();
                prop_assert_eq!(rule.of(made), Some(made));
                let (given, got) = (f64::from(w) / f64::from(h), f64::from(made.width) / f64::from(made.height));
                prop_assert!((got / given - 1.0).abs() < 0.2, "{} {}", given, got);
            }
        }
    }
}
