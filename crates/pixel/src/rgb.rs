//! The picture that leaves the machine: eight bits of red, green and blue a pixel.
//!
//! The rows lie as PNG wants them, each led by one byte that names the row's filter (0 = none), so that the scaler
//! writes once and the encoder reads in place. This module refuses an alpha channel: a screen has none.

use handsight_base::space::Size;

/// `height` rows of one zero byte and `3 * width` bytes of red, green, blue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rgb24 {
    size: Size,
    data: Vec<u8>,
}

impl Rgb24 {
    /// All black.
    pub fn new(size: Size) -> Self {
        let mut rgb = Self::default();
        rgb.reshape(size);
        rgb
    }

    /// From `3 * width * height` bytes without gaps, or `None` if there are more or fewer.
    pub fn from_packed(size: Size, packed: &[u8]) -> Option<Self> {
        if packed.len() as u64 != size.area() * 3 {
            return None;
        }
        let mut rgb = Self::new(size);
        if !size.is_empty() {
            for (row, from) in rgb.rows_mut().zip(packed.chunks_exact(size.width as usize * 3)) {
                row.copy_from_slice(from);
            }
        }
        Some(rgb)
    }

    /// Gives the buffer another shape, and keeps its memory. What it shows afterwards is undefined.
    pub fn reshape(&mut self, size: Size) {
        if self.size == size {
            return;
        }
        self.size = size;
        self.data.clear();
        self.data.resize(self.stride() * size.height as usize, 0);
    }

    pub const fn size(&self) -> Size {
        self.size
    }

    /// Bytes from one row to the next: `3 * width + 1`.
    pub const fn stride(&self) -> usize {
        self.size.width as usize * 3 + 1
    }

    /// The `3 * width` bytes of one row. Panics if `row` is not below the height, like a slice.
    pub fn row(&self, row: u32) -> &[u8] {
        &self.filtered_row(row)[1..]
    }

    /// The same, to write to.
    pub fn row_mut(&mut self, row: u32) -> &mut [u8] {
        let stride = self.stride();
        let start = row as usize * stride;
        &mut self.data[start + 1..start + stride]
    }

    /// All rows from the top, `3 * width` bytes each, to write to.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let stride = self.stride();
        self.data.chunks_exact_mut(stride).map(|row| &mut row[1..])
    }

    /// Makes a row equal to the one above it. Panics for row 0.
    pub(crate) fn repeat_row_above(&mut self, row: u32) {
        let stride = self.stride();
        let start = row as usize * stride;
        self.data.copy_within(start - stride..start, start);
    }

    /// Red, green and blue of one pixel, or `None` outside.
    pub fn rgb(&self, column: u32, row: u32) -> Option<[u8; 3]> {
        if column >= self.size.width || row >= self.size.height {
            return None;
        }
        let at = column as usize * 3;
        self.row(row).get(at..at + 3)?.try_into().ok()
    }

    /// The pixels without the leading bytes: `3 * width * height` bytes.
    pub fn to_packed(&self) -> Vec<u8> {
        let mut packed = Vec::new();
        self.pack_into(&mut packed);
        packed
    }

    /// The same, written over what `packed` holds.
    pub(crate) fn pack_into(&self, packed: &mut Vec<u8>) {
        packed.clear();
        packed.reserve(self.size.area() as usize * 3);
        for row in 0..self.size.height {
            packed.extend_from_slice(self.row(row));
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.data.len()
    }

    /// One row with its leading filter byte.
    pub(crate) fn filtered_row(&self, row: u32) -> &[u8] {
        self.filtered_rows(row, row + 1)
    }

    /// The rows `from..to` with their leading filter bytes, in one piece.
    pub(crate) fn filtered_rows(&self, from: u32, to: u32) -> &[u8] {
        let stride = self.stride();
        &self.data[from as usize * stride..to as usize * stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_and_unpacks() {
        let bytes: Vec<u8> = (0..24).collect();
        let rgb = Rgb24::from_packed(Size::new(4, 2), &bytes).expect("24 bytes are 4x2 pixels");
        assert_eq!(rgb.to_packed(), bytes);
        assert_eq!(rgb.rgb(1, 1), Some([15, 16, 17]));
        assert_eq!((rgb.rgb(4, 0), rgb.rgb(0, 2)), (None, None));
        assert_eq!(rgb.filtered_rows(1, 2)[..4], [0, 12, 13, 14]);
        assert_eq!(Rgb24::from_packed(Size::new(4, 2), &bytes[1..]), None);
        assert_eq!(Rgb24::from_packed(Size::new(0, 7), &[]).map(|r| r.to_packed()), Some(vec![]));
    }
}
