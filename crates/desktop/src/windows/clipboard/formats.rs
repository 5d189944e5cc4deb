//! Clipboard formats: their names, which of them are bytes, and which Windows makes of others.

use super::memory;
use windows::Win32::Foundation::HANDLE;
use windows::Win32::Graphics::Gdi::{
    DeleteEnhMetaFile, GetEnhMetaFileBits, HENHMETAFILE, SetEnhMetaFileBits,
};
use windows::Win32::System::DataExchange::{
    GetClipboardData, GetClipboardFormatNameW, RegisterClipboardFormatW, SetClipboardData,
};
use windows::core::{HSTRING, PCWSTR};

use crate::windows::system::why;

pub(super) const TEXT: &str = "CF_UNICODETEXT";
pub(super) const CF_UNICODETEXT: u32 = 13;
const CF_ENHMETAFILE: u32 = 14;
const CF_LOCALE: u32 = 16;

/// Formats without a registered name.
const NAMES: [(u32, &str); 22] = [
    (1, "CF_TEXT"),
    (2, "CF_BITMAP"),
    (3, "CF_METAFILEPICT"),
    (4, "CF_SYLK"),
    (5, "CF_DIF"),
    (6, "CF_TIFF"),
    (7, "CF_OEMTEXT"),
    (8, "CF_DIB"),
    (9, "CF_PALETTE"),
    (10, "CF_PENDATA"),
    (11, "CF_RIFF"),
    (12, "CF_WAVE"),
    (CF_UNICODETEXT, TEXT),
    (CF_ENHMETAFILE, "CF_ENHMETAFILE"),
    (15, "CF_HDROP"),
    (CF_LOCALE, "CF_LOCALE"),
    (17, "CF_DIBV5"),
    (0x80, "CF_OWNERDISPLAY"),
    (0x81, "CF_DSPTEXT"),
    (0x82, "CF_DSPBITMAP"),
    (0x83, "CF_DSPMETAFILEPICT"),
    (0x8e, "CF_DSPENHMETAFILE"),
];

/// What a format holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bytes,
    MetaFile,
    /// Windows makes it of another format that is there.
    Made,
    /// A handle that means nothing outside its owner.
    Private,
}

/// What `format` holds, beside the others that are there.
pub(super) fn kind(format: u32, there: &[u32]) -> Kind {
    let has = |formats: &[u32]| formats.iter().any(|f| there.contains(f));
    match format {
        // Text in the old encodings and a bitmap as a handle. If only they are there, Windows shows what it makes of them.
        1 | 7 if has(&[CF_UNICODETEXT]) => Kind::Made,
        2 | 9 if has(&[8, 17]) => Kind::Made,
        3 if has(&[CF_ENHMETAFILE]) => Kind::Made,
        CF_ENHMETAFILE => Kind::MetaFile,
        2 | 3 | 9 | 0x80 | 0x82 | 0x83 | 0x8e | 0x200..=0x3ff => Kind::Private,
        _ => Kind::Bytes,
    }
}

/// The name of a format as [`put`] takes it.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn name(format: u32) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(number, _)| *number == format) {
        return (*name).to_owned();
    }
    let mut name = [0; 256];
    // SAFETY: the length is taken from the slice.
    let length = unsafe { GetClipboardFormatNameW(format, &mut name) };
    match usize::try_from(length) {
        Ok(length @ 1..) => String::from_utf16_lossy(&name[..length]),
        _ => format!("#{format}"),
    }
}

/// The number of a format by its name. Names of text on other systems are Unicode text.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn number(name: &str) -> Option<u32> {
    if is_foreign_text(name) {
        return Some(CF_UNICODETEXT);
    }
    if let Some((number, _)) = NAMES.iter().find(|(_, n)| *n == name) {
        return Some(*number);
    }
    if let Some(number) = name.strip_prefix('#') {
        return number.parse().ok();
    }
    let name = HSTRING::from(name);
    // SAFETY: the text ends with a zero.
    Some(unsafe { RegisterClipboardFormatW(PCWSTR(name.as_ptr())) }).filter(|number| *number != 0)
}

fn is_foreign_text(name: &str) -> bool {
    ["text/plain", "text/plain;charset=utf-8", "UTF8_STRING"].contains(&name)
}

/// The bytes of a format on the open clipboard.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn bytes(format: u32, kind: Kind) -> Option<Vec<u8>> {
    // SAFETY: the clipboard is open, so what it returns lives; a metafile is asked for its length first.
    unsafe {
        let handle = GetClipboardData(format).ok()?;
        if kind != Kind::MetaFile {
            return memory::copy(handle);
        }
        let file = HENHMETAFILE(handle.0);
        let mut bytes = vec![0; GetEnhMetaFileBits(file, None) as usize];
        let read = GetEnhMetaFileBits(file, Some(&mut bytes)) as usize;
        (read > 0 && read == bytes.len()).then_some(bytes)
    }
}

/// Puts a format on the open clipboard.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn put(name: &str, bytes: &[u8]) -> Result<(), String> {
    let format = number(name).ok_or_else(|| format!("there is no format {name:?}"))?;
    let failed = |error: windows::core::Error| format!("{name} cannot be put on it: {}", why(&error));
    if format == CF_ENHMETAFILE {
        // SAFETY: the bytes are copied; the clipboard takes the handle unless it fails.
        unsafe {
            let file = SetEnhMetaFileBits(bytes);
            return SetClipboardData(format, Some(HANDLE(file.0))).map(drop).map_err(|error| {
                let _deleted = DeleteEnhMetaFile(Some(file));
                failed(error)
            });
        }
    }
    let foreign = is_foreign_text(name).then(|| to_utf16(&String::from_utf8_lossy(bytes)));
    memory::give(format, foreign.as_deref().unwrap_or(bytes)).map_err(failed)
}

/// Text as Windows has it on the clipboard: UTF-16 with a zero at its end, lines ended by two characters.
pub(super) fn to_utf16(text: &str) -> Vec<u8> {
    let mut units = Vec::with_capacity(text.len() + 1);
    let mut before = '\0';
    for c in text.chars() {
        if c == '\n' && before != '\r' {
            units.push(u16::from(b'\r'));
        }
        units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        before = c;
    }
    units.push(0);
    units.into_iter().flat_map(u16::to_le_bytes).collect()
}

/// The number of a format by its name, for the keeper's promises.
pub(super) fn number_of(name: &str) -> Result<u32, String> {
    number(name).ok_or_else(|| format!("there is no format {name:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_windows_makes_of_others_is_left_to_it() {
        assert_eq!(kind(1, &[CF_UNICODETEXT, 1, 7, CF_LOCALE]), Kind::Made);
        assert_eq!(kind(1, &[1]), Kind::Bytes);
        assert_eq!(kind(2, &[2, 8, 17]), Kind::Made);
        assert_eq!(kind(2, &[2]), Kind::Private);
        assert_eq!(kind(0x200, &[0x200]), Kind::Private);
        assert_eq!(kind(0xc001, &[0xc001]), Kind::Bytes);
    }

    #[test]
    fn names_lead_back_to_their_numbers() {
        for (format, name) in NAMES {
            assert_eq!((super::name(format).as_str(), number(name)), (name, Some(format)));
        }
        let html = number("HTML Format").unwrap();
        assert_eq!((name(html).as_str(), number("HTML Format")), ("HTML Format", Some(html)));
        assert_eq!(number("text/plain;charset=utf-8"), Some(CF_UNICODETEXT));
    }

    #[test]
    fn lines_of_text_end_as_windows_ends_them() {
        let units: Vec<u16> =
            to_utf16("a\nb\r\n😀").chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        assert_eq!(String::from_utf16(&units).unwrap(), "a\r\nb\r\n😀\0");
    }
}
