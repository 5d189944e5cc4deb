//! Pictures of a run as they lie in the report: small enough for a page that holds many.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handsight_base::flow::format::PictureFormat;
use handsight_base::space::Size;
use handsight_pixel::picture::{PictureEncoder, PictureError, Written, decode};
use handsight_pixel::rgb::Rgb24;
use handsight_pixel::scale::{ScaleError, Smooth, SmoothScaler};

/// Of a JPEG on the page: letters stay legible.
const QUALITY: u8 = 80;

/// Why a picture is not on the page.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    #[error(transparent)]
    Picture(#[from] PictureError),
    #[error(transparent)]
    Scale(#[from] ScaleError),
}

/// A PNG, WebP or JPEG as a JPEG that is at most `width` pixels wide.
pub fn small(bytes: &[u8], width: u32) -> Result<Vec<u8>, LookError> {
    let pixels = decode(bytes)?;
    let from = pixels.size();
    let to = if from.width <= width {
        from
    } else {
        let height = u64::from(from.height) * u64::from(width) / u64::from(from.width);
        Size::new(width, u32::try_from(height).unwrap_or(u32::MAX).max(1))
    };
    let mut scaled = Rgb24::default();
    SmoothScaler::new().scale(pixels.view(), to, Smooth::Lanczos, &mut scaled)?;
    let written = Written { format: PictureFormat::Jpeg, quality: QUALITY };
    Ok(PictureEncoder::new().encode(&scaled, written)?)
}

/// A JPEG inside of the page.
pub(super) fn data_url(jpeg: &[u8]) -> String {
    format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handsight_pixel::png::PngEncoder;

    #[test]
    fn a_picture_is_made_no_larger_and_keeps_its_shape() {
        let png = |size| PngEncoder::new().encode(&Rgb24::new(size)).unwrap();
        let size = |bytes: &[u8]| decode(bytes).unwrap().size();
        assert_eq!(size(&small(&png(Size::new(1536, 864)), 960).unwrap()), Size::new(960, 540));
        assert_eq!(size(&small(&png(Size::new(300, 200)), 960).unwrap()), Size::new(300, 200));
        assert!(small(b"no picture", 960).is_err());
        assert!(data_url(&[0xff, 0xd8, 0xff]).ends_with("base64,/9j/"));
    }
}
