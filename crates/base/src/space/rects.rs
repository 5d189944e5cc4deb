//! The same conversions for rectangles. They are made of those for points, so that a box lies where its corners lie.

use super::{
    At, FrameGeometry, FramePx, FrameRect, PictureGeometry, PicturePx, Rect, ScreenPx, ScreenRect, Size,
};

impl FrameGeometry {
    /// The pixels of this frame that show a rectangle of the screen, cut to the frame; `None` if it shows none of it.
    pub fn frame_rect(&self, r: ScreenRect) -> Option<FrameRect> {
        let seen = r.intersect(&self.screen_rect(self.whole()))?;
        let last = |from: i32, end: i64| i32::try_from(end - 1).map_or(from, |end| end.max(from));
        let far = ScreenPx::new(last(seen.origin.x, seen.right()), last(seen.origin.y, seen.bottom()));
        // A unit's own pixels reach half a unit further on each side than the pixel of its middle.
        let low = |v: i32, origin: i32| (f64::from(v - origin) * self.scale).floor() as i32;
        let high = |v: i32, origin: i32| (f64::from(v - origin + 1) * self.scale).ceil() as i32;
        let (left, top) = (low(seen.origin.x, self.origin.x), low(seen.origin.y, self.origin.y));
        let (right, bottom) = (high(far.x, self.origin.x), high(far.y, self.origin.y));
        let size = Size::new(u32::try_from(right - left).ok()?, u32::try_from(bottom - top).ok()?);
        FrameRect { origin: FramePx::new(left, top), size }.intersect(&self.whole())
    }
}

impl PictureGeometry {
    /// The pixels of the picture that show a rectangle of its frame, cut to the pane; `None` if it shows none of it.
    pub fn picture_rect(&self, r: FrameRect) -> Option<Rect<PicturePx>> {
        let seen = r.intersect(&self.pane)?;
        let at = |x: i64, y: i64| {
            let point = FramePx::new(i32::try_from(x).ok()?, i32::try_from(y).ok()?);
            self.picture_from_frame(At { point, frame: self.frame }).ok()
        };
        let near = at(i64::from(seen.origin.x), i64::from(seen.origin.y))?;
        let far = at(seen.right() - 1, seen.bottom() - 1)?;
        let size = Size::new((far.x - near.x) as u32 + 1, (far.y - near.y) as u32 + 1);
        Some(Rect { origin: near, size })
    }
}
