//! Views that show what they should and not a byte more.

use super::*;

/// Every byte says where it is: 100 rows-tens and column in the blue byte, the row in green, the column in red.
fn picture(width: u32, height: u32, stride: usize) -> Vec<u8> {
    let mut data = vec![0xEE; stride * height as usize];
    for y in 0..height as usize {
        for x in 0..width as usize {
            data[y * stride + 4 * x..][..4].copy_from_slice(&[7, y as u8, x as u8, 0]);
        }
    }
    data
}

#[test]
fn a_view_needs_all_its_bytes_and_no_more() {
    let size = Size::new(3, 2);
    for (bytes, stride, fits) in [
        (24, 12, true),
        (23, 12, false),
        // The last row needs no padding behind it.
        (28, 16, true),
        (27, 16, false),
        (1_000, 11, false),
        (1_000, 0, false),
        (1_000, usize::MAX, false),
    ] {
        let data = vec![0; bytes];
        assert_eq!(PixelView::new(&data, size, stride).is_some(), fits, "{bytes} bytes, stride {stride}");
        let memory = Arc::new(data);
        assert_eq!(Pixels::new(memory, size, stride).is_some(), fits, "{bytes} bytes, stride {stride}");
    }
    assert!(PixelView::new(&[], Size::new(u32::MAX, u32::MAX), u32::MAX as usize * 4).is_none());
    for empty in [Size::new(0, 2), Size::new(3, 0), Size::default()] {
        let view = PixelView::new(&[], empty, 0).or(PixelView::new(&[], empty, 12));
        assert_eq!(view.map(|v| v.size()), Some(empty), "{empty} has no pixels and needs no bytes");
    }
}

#[test]
fn a_stride_is_stepped_over() {
    let data = picture(5, 4, 32);
    let view = PixelView::new(&data, Size::new(5, 4), 32).unwrap();
    assert_eq!((view.stride(), view.row(3).len()), (32, 20));
    assert_eq!(view.row(2)[4 * 4..], [7, 2, 4, 0]);
    for (column, row) in [(0, 0), (4, 3), (2, 1)] {
        assert_eq!(view.bgr(column, row), Some([7, row as u8, column as u8]));
    }
    for (column, row) in [(5, 0), (0, 4), (u32::MAX, u32::MAX)] {
        assert_eq!(view.bgr(column, row), None);
    }
    assert_eq!(format!("{view:?}"), "PixelView(5x4, stride 32)");
}

#[test]
fn a_crop_is_the_same_memory_seen_through_a_smaller_hole() {
    let data = picture(8, 6, 40);
    let whole = PixelView::new(&data, Size::new(8, 6), 40).unwrap();
    let crop = whole.crop(3, 2, Size::new(4, 3)).unwrap();
    assert_eq!((crop.size(), crop.stride()), (Size::new(4, 3), 40));
    for (column, row) in [(0, 0), (3, 2), (1, 1)] {
        assert_eq!(crop.bgr(column, row), whole.bgr(column + 3, row + 2));
    }
    assert_eq!(crop.bgr(4, 0), None, "the neighbour on the right is not shown");
    assert_eq!(crop.bgr(0, 3), None, "nor the row below");
    assert_eq!(crop.row(1), &whole.row(3)[12..28]);
    assert!(std::ptr::eq(crop.row(0).as_ptr(), &raw const whole.row(2)[12]), "no copy");
    // A crop of a crop counts from the crop.
    assert_eq!(crop.crop(1, 1, Size::new(2, 2)).unwrap().bgr(1, 1), whole.bgr(5, 4));
    // To the last pixel, though nothing follows it in memory.
    let last = PixelView::new(&data[..40 * 5 + 32], Size::new(8, 6), 40).unwrap();
    assert_eq!(last.crop(7, 5, Size::new(1, 1)).unwrap().bgr(0, 0), Some([7, 5, 7]));
    for (column, row, width, height) in [
        (5, 0, 4, 1),
        (0, 5, 1, 2),
        (8, 0, 1, 1),
        (0, 0, 0, 1),
        (0, 0, 1, 0),
        (u32::MAX, 0, 2, 1),
        (0, 1, 1, u32::MAX),
    ] {
        let size = Size::new(width, height);
        assert!(whole.crop(column, row, size).is_none(), "{size} at {column}, {row}");
    }
}

#[test]
#[should_panic(expected = "row 3 of a picture of 4x3")]
fn a_row_below_the_last_is_no_row_of_the_neighbour() {
    let data = picture(8, 6, 40);
    let whole = PixelView::new(&data, Size::new(8, 6), 40).unwrap();
    whole.crop(3, 2, Size::new(4, 3)).unwrap().row(3);
}

#[test]
fn pixels_are_shared_and_not_copied() {
    let pixels = Pixels::solid(Size::new(3, 2), [1, 2, 3]);
    let clone = pixels.clone();
    assert!(std::ptr::eq(pixels.view().data(), clone.view().data()));
    assert_eq!((clone.size(), clone.view().bgr(2, 1)), (Size::new(3, 2), Some([1, 2, 3])));
    assert_eq!(Pixels::solid(Size::default(), [0; 3]).view().data().len(), 0);
}

#[test]
fn a_frame_hash_is_64_digits_there_and_back() {
    // The published BLAKE3 test vector of the empty input.
    let hex = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    let hash = FrameHash::of(b"");
    assert_eq!(hash.to_hex(), hex);
    assert_eq!(FrameHash::from_hex(hex), Some(hash));
    assert_eq!(format!("{hash:?}"), hex[..16]);
    assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{hex}\""));
    assert_eq!(serde_json::from_str::<FrameHash>(&format!("\"{hex}\"")).unwrap(), hash);
    assert_ne!(FrameHash::of(b"a"), hash);
    for bad in [&hex[..63], &format!("{hex}0"), "", &hex.replace('a', "g"), &hex.replacen("af", "é", 1)] {
        assert_eq!(FrameHash::from_hex(bad), None, "{bad}");
        let error = serde_json::from_value::<FrameHash>(bad.into()).unwrap_err().to_string();
        assert_eq!(error, "a frame hash is 64 hexadecimal digits");
    }
}
