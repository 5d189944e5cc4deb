//! One captured picture. A frame is shared, never copied: it may be the very memory the X server wrote into.
//!
//! This module refuses to hand out mutable pixels. Whoever wants to draw draws into a buffer of its own, or
//! keeps what it draws as a small image with a bounding box that is blended on export.

use crate::space::{FrameGeometry, FrameId, Size};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Memory that holds pixels for as long as anyone looks at them: a pooled buffer, a shared-memory segment.
///
/// Four bytes a pixel in the order blue, green, red, undefined.
pub trait PixelMemory: Send + Sync {
    fn bytes(&self) -> &[u8];
}

impl PixelMemory for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// A borrowed BGRX picture: `size.height` rows of `stride` bytes, of which the first `4 * size.width` count.
/// The fourth byte of a pixel is undefined and is given a value only on export.
#[derive(Clone, Copy)]
pub struct PixelView<'a> {
    data: &'a [u8],
    size: Size,
    stride: usize,
}

impl<'a> PixelView<'a> {
    /// `None` if `data` is too short for the shape, or the stride is shorter than a row.
    pub fn new(data: &'a [u8], size: Size, stride: usize) -> Option<Self> {
        let row = size.width as usize * 4;
        let need = match (size.height as usize).checked_sub(1) {
            None => 0,
            Some(last) => stride.checked_mul(last)?.checked_add(row)?,
        };
        (stride >= row && data.len() >= need).then_some(Self { data, size, stride })
    }

    pub const fn size(&self) -> Size {
        self.size
    }

    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// The bytes from the first pixel on; rows are `stride` apart.
    pub const fn data(&self) -> &'a [u8] {
        self.data
    }

    /// One row of `4 * width` bytes. Panics if `row` is not below the height, like a slice.
    pub fn row(&self, row: u32) -> &'a [u8] {
        // A crop's bytes go on below its last row: without this it would show its neighbour.
        assert!(row < self.size.height, "row {row} of a picture of {}", self.size);
        let start = row as usize * self.stride;
        &self.data[start..start + self.size.width as usize * 4]
    }

    /// Blue, green and red of one pixel, or `None` outside.
    pub fn bgr(&self, column: u32, row: u32) -> Option<[u8; 3]> {
        if column >= self.size.width || row >= self.size.height {
            return None;
        }
        let i = row as usize * self.stride + column as usize * 4;
        Some([self.data[i], self.data[i + 1], self.data[i + 2]])
    }

    /// The part at `column, row` of the given size, or `None` if it does not lie inside. No copy.
    pub fn crop(&self, column: u32, row: u32, size: Size) -> Option<Self> {
        let fits = column.checked_add(size.width)? <= self.size.width
            && row.checked_add(size.height)? <= self.size.height;
        if !fits || size.is_empty() {
            return None;
        }
        let start = row as usize * self.stride + column as usize * 4;
        Self::new(&self.data[start..], size, self.stride)
    }
}

impl fmt::Debug for PixelView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PixelView({}, stride {})", self.size, self.stride)
    }
}

/// Shared BGRX pixels with their shape.
#[derive(Clone)]
pub struct Pixels {
    memory: Arc<dyn PixelMemory>,
    size: Size,
    stride: usize,
}

impl Pixels {
    /// `None` if the memory is too short for the shape.
    pub fn new(memory: Arc<dyn PixelMemory>, size: Size, stride: usize) -> Option<Self> {
        PixelView::new(memory.bytes(), size, stride)?;
        Some(Self { memory, size, stride })
    }

    /// One colour everywhere; for tests and for a desktop that has nothing to show.
    pub fn solid(size: Size, bgr: [u8; 3]) -> Self {
        let pixel = [bgr[0], bgr[1], bgr[2], 255];
        let memory = pixel.repeat(size.area() as usize);
        Self { memory: Arc::new(memory), size, stride: size.width as usize * 4 }
    }

    pub fn view(&self) -> PixelView<'_> {
        PixelView { data: self.memory.bytes(), size: self.size, stride: self.stride }
    }

    pub const fn size(&self) -> Size {
        self.size
    }
}

impl fmt::Debug for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

/// Which part of the desktop a frame shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// The display of this name.
    Display(String),
    /// The bounding box of all displays.
    AllDisplays,
    /// The client area of one window, by the backend's number for it.
    Window(u64),
}

/// Why a frame should be believed less than it looks (R12). A suspect frame is still a frame: the model and the
/// journal are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suspicion {
    /// Every sampled pixel is black: a locked screen, a protected window, a dead capture.
    Black,
    /// Every sampled pixel has one colour that is not black.
    OneColour,
    /// The backend could not show that the pixels are newer than the last frame's.
    Stale,
}

/// One captured picture.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its id, size and place on the screen.
    pub geometry: FrameGeometry,
    pub shown: Shown,
    /// Since the run began.
    pub at: Duration,
    pub pixels: Pixels,
    /// True if the pointer is blended in. A target that reports no pointer yields false.
    pub cursor: bool,
    pub suspicion: Option<Suspicion>,
}

impl Frame {
    pub const fn id(&self) -> FrameId {
        self.geometry.frame
    }

    pub const fn size(&self) -> Size {
        self.pixels.size()
    }

    pub fn view(&self) -> PixelView<'_> {
        self.pixels.view()
    }
}

/// BLAKE3 of the stored bytes of a picture: its name in the store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameHash(pub [u8; 32]);

impl FrameHash {
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// 64 lower-case hexadecimal digits.
    pub fn to_hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// `None` unless given exactly 64 hexadecimal digits.
    pub fn from_hex(hex: &str) -> Option<Self> {
        blake3::Hash::from_hex(hex).ok().map(|h| Self(*h.as_bytes()))
    }
}

impl fmt::Debug for FrameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", &self.to_hex()[..16])
    }
}

impl Serialize for FrameHash {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for FrameHash {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(d)?;
        Self::from_hex(&hex).ok_or_else(|| serde::de::Error::custom("a frame hash is 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests;
