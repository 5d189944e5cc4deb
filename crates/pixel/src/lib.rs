//! Buffers and what is done to pixels: scaling, drawing, text, picture files.
//!
//! Everything here is a pure function of its arguments, so the same screen gives the same bytes. The crate refuses all
//! I/O (fonts come as bytes), never writes into a captured frame, and never holds a second copy of a whole frame: what
//! is drawn on top lives in a [`canvas::Canvas`] as large as itself and meets the frame when a picture is made, or is drawn
//! into the finished picture ([`annotate`]).
//!
//! ```text
//! PixelView --scale--> Rgb24 --blend Canvas, Canvas--> Rgb24 --annotate--> Rgb24 --picture--> bytes
//! ```

pub mod annotate;
pub mod blend;
pub mod canvas;
pub mod draw;
pub mod font;
pub mod hud;
pub mod legible;
pub mod picture;
pub mod png;
pub mod rgb;
pub mod scale;
pub mod sheet;
pub mod simd;
pub mod text;

#[cfg(test)]
mod random;
