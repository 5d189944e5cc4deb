//! Colours and measures: light and dark, an accent, the size of letters.

use crate::engine::scene::Font;
use handsight_pixel::canvas::Color;

/// Accent colours by name; settings keep the name.
pub const ACCENTS: &[(&str, u32)] = &[
    ("Blue", 0x000F_6CBD),
    ("Teal", 0x000B_7A75),
    ("Violet", 0x006B_4FBB),
    ("Orange", 0x00B4_511D),
    ("Green", 0x002E_7D32),
    ("Crimson", 0x00B0_253F),
];

/// What everything is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    pub dark: bool,
    /// Size of ordinary letters, 13 to 16.
    pub size: u16,
    pub accent: Color,
    /// Letters on the accent colour.
    pub on_accent: Color,
    pub window: Color,
    pub paper: Color,
    pub bar: Color,
    pub control: Color,
    pub hover: Color,
    pub pressed: Color,
    pub border: Color,
    pub line: Color,
    pub text: Color,
    pub dim: Color,
    pub disabled: Color,
    pub title: Color,
    pub title_inactive: Color,
    pub selection: Color,
    pub shadow: Color,
    pub taskbar: Color,
    pub wallpaper: [Color; 2],
}

impl Theme {
    pub fn new(dark: bool, accent: &str, size: u16) -> Self {
        let rgb = ACCENTS.iter().find(|(name, _)| *name == accent).unwrap_or(&ACCENTS[0]).1;
        let base = Color::from_rgb(rgb);
        let c = Color::from_rgb;
        let white = c(0x00FF_FFFF);
        if dark {
            Self {
                dark,
                size,
                accent: mix(base, white, 28),
                on_accent: c(0x0010_1014),
                window: c(0x0025_262B),
                paper: c(0x001B_1C20),
                bar: c(0x002D_2E34),
                control: c(0x0037_3941),
                hover: c(0x0042_454F),
                pressed: c(0x002E_3037),
                border: c(0x0055_5964),
                line: c(0x003B_3D45),
                text: c(0x00EC_EDF0),
                dim: c(0x00A3_A7B2),
                disabled: c(0x006E_727C),
                title: c(0x0033_353C),
                title_inactive: c(0x0028_292E),
                selection: mix(base, c(0x001B_1C20), 35),
                shadow: Color { alpha: 120, ..Color::opaque(0, 0, 0) },
                taskbar: c(0x0017_181C),
                wallpaper: [mix(base, c(0x000A_0C12), 72), mix(base, c(0x0005_0609), 88)],
            }
        } else {
            Self {
                dark,
                size,
                accent: base,
                on_accent: white,
                window: c(0x00F3_F4F7),
                paper: white,
                bar: c(0x00E9_EBF0),
                control: c(0x00FD_FDFE),
                hover: c(0x00E6_EBF4),
                pressed: c(0x00D3_DBE8),
                border: c(0x00B6_BCC8),
                line: c(0x00D5_D9E1),
                text: c(0x001A_1C21),
                dim: c(0x005D_6472),
                disabled: c(0x009B_A1AD),
                title: white,
                title_inactive: c(0x00E7_E9EE),
                selection: mix(base, white, 72),
                shadow: Color { alpha: 80, ..Color::opaque(10, 14, 26) },
                taskbar: c(0x00E3_E7EE),
                wallpaper: [mix(base, white, 55), mix(base, c(0x0020_2A3C), 35)],
            }
        }
    }

    pub const fn font(&self) -> Font {
        Font::regular(self.size)
    }

    pub const fn bold(&self) -> Font {
        Font::bold(self.size)
    }

    /// Height of buttons and fields.
    pub const fn control_height(&self) -> i32 {
        self.size as i32 * 2 + 2
    }

    /// Height of a row in a list or menu.
    pub const fn row_height(&self) -> i32 {
        self.size as i32 * 7 / 4 + 1
    }

    pub const fn title_height(&self) -> i32 {
        self.size as i32 * 2 + 4
    }

    /// Width of a scroll bar.
    pub const fn bar_width(&self) -> i32 {
        14
    }
}

/// `percent` of the way from one colour to another.
pub fn mix(from: Color, to: Color, percent: u32) -> Color {
    let channel = |a: u8, b: u8| ((u32::from(a) * (100 - percent) + u32::from(b) * percent + 50) / 100) as u8;
    Color::opaque(channel(from.red, to.red), channel(from.green, to.green), channel(from.blue, to.blue))
}
