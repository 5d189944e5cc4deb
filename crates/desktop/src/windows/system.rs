//! What every call to Windows shares: text, error codes, and which Windows this is.
//!
//! This module refuses to decide what an error means; that is told where the call was made.

use std::fmt;
use windows::Wdk::System::SystemServices::RtlGetVersion;
use windows::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
use windows::Win32::System::SystemInformation::OSVERSIONINFOW;
use windows::core::{s, w};

/// The number of a failed call, as Windows gives it.
pub(crate) fn code(error: &windows::core::Error) -> i64 {
    let hresult = error.code().0 as u32;
    // `HRESULT_FROM_WIN32`: people look for the number without its wrapping.
    if hresult & 0xffff_0000 == 0x8007_0000 { i64::from(hresult & 0xffff) } else { i64::from(hresult) }
}

/// What a failed call said of itself, with its number.
pub(crate) fn why(error: &windows::core::Error) -> String {
    let message = error.message();
    match message.trim() {
        "" => format!("error {}", code(error)),
        message => format!("{message} (error {})", code(error)),
    }
}

/// Text as Windows takes it: UTF-16 with a zero at its end.
pub(crate) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

/// Text up to its zero, or all of it. Halves of surrogate pairs become replacement characters.
pub(crate) fn text(wide: &[u16]) -> String {
    let end = wide.iter().position(|c| *c == 0).unwrap_or(wide.len());
    String::from_utf16_lossy(&wide[..end])
}

/// Which Windows this is; a compatibility setting of the program does not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub build: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Windows 11 calls itself 10.0 too.
        match (self.major, self.build) {
            (10, 22000..) => f.write_str("Windows 11")?,
            (10, _) => f.write_str("Windows 10")?,
            _ => f.write_str("an old Windows")?,
        }
        write!(f, " ({}.{}, build {})", self.major, self.minor, self.build)
    }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
pub fn version() -> Version {
    let mut info = OSVERSIONINFOW {
        dwOSVersionInfoSize: size_of::<OSVERSIONINFOW>() as u32,
        ..OSVERSIONINFOW::default()
    };
    // SAFETY: `info` says how large it is. The call cannot fail.
    let _success = unsafe { RtlGetVersion(&raw mut info) };
    Version { major: info.dwMajorVersion, minor: info.dwMinorVersion, build: info.dwBuildNumber }
}

/// True if this is Wine, which says so by a function no Windows has.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(crate) fn is_wine() -> bool {
    // SAFETY: the library is part of every program and stays loaded; nothing is called in it.
    unsafe {
        GetModuleHandleW(w!("ntdll.dll"))
            .is_ok_and(|ntdll| GetProcAddress(ntdll, s!("wine_get_version")).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_as_it_went_in() {
        for said in ["", "plain", "äöü €", "𝒳 🎉"] {
            assert_eq!(text(&wide(said)), said);
        }
        assert_eq!(text(&[b'a'.into(), b'b'.into()]), "ab");
        assert_eq!(text(&[0xd800, b'b'.into(), 0]), "\u{fffd}b");
    }

    #[test]
    fn windows_11_is_called_so() {
        let name = |build| Version { major: 10, minor: 0, build }.to_string();
        assert_eq!(name(22000), "Windows 11 (10.0, build 22000)");
        assert_eq!(name(19045), "Windows 10 (10.0, build 19045)");
        let seven = Version { major: 6, minor: 1, build: 7601 };
        assert_eq!(seven.to_string(), "an old Windows (6.1, build 7601)");
    }
}
