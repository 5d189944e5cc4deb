//! Small pictures drawn from shapes, so that they are sharp at every scale.

use super::layout::rect;
use crate::engine::scene::{Layer, Shape};
use handsight_base::space::ScreenRect;
use handsight_pixel::canvas::Color;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Icon {
    App,
    Book,
    Calculator,
    Document,
    Drive,
    Editor,
    Error,
    Folder,
    Form,
    Info,
    Music,
    New,
    Note,
    Open,
    Question,
    Run,
    Save,
    Settings,
    Start,
    Up,
    Warning,
}

const WHITE: Color = Color::opaque(255, 255, 255);

/// Draws an icon into `area`, which should be square.
pub fn draw(layer: &mut Layer, icon: Icon, area: ScreenRect, clip: ScreenRect, ink: Color) {
    let side = area.size.width.min(area.size.height) as i32;
    let mut pen = Pen { layer, area, clip, side };
    let c = Color::from_rgb;
    match icon {
        Icon::Folder => {
            pen.round(4, 16, 44, 30, 6, c(0x00D9_9A2B));
            pen.round(4, 26, 92, 60, 8, c(0x00F2_B94B));
            pen.round(4, 36, 92, 50, 8, c(0x00FF_CE6B));
        }
        Icon::Document | Icon::New => pen.page(c(0x007D_8BA3), icon == Icon::New),
        Icon::Editor => {
            pen.page(c(0x0038_6FC4), false);
            pen.stroke(&[(46, 82), (88, 34)], 14, c(0x00F0_A030));
            pen.stroke(&[(42, 86), (48, 80)], 10, c(0x0040_3020));
        }
        Icon::Calculator => {
            pen.round(12, 4, 76, 92, 10, c(0x003C_4657));
            pen.round(22, 14, 56, 20, 4, c(0x00BF_E3C8));
            for (i, (x, y)) in
                [(22, 44), (43, 44), (64, 44), (22, 62), (43, 62), (64, 62), (22, 80), (43, 80)]
                    .into_iter()
                    .enumerate()
            {
                pen.round(x, y - 2, 15, 12, 3, if i == 2 { c(0x00F0_9A3E) } else { c(0x00E4_E8EE) });
            }
            pen.round(64, 78, 15, 12, 3, c(0x00F0_9A3E));
        }
        Icon::Settings => {
            for leg in [[(50, 6), (50, 94)], [(6, 50), (94, 50)], [(19, 19), (81, 81)], [(19, 81), (81, 19)]]
            {
                pen.stroke(&leg, 18, c(0x0070_7C8F));
            }
            pen.round(18, 18, 64, 64, 32, c(0x0070_7C8F));
            pen.round(36, 36, 28, 28, 14, WHITE);
        }
        Icon::Drive => {
            pen.round(6, 30, 88, 42, 8, c(0x0080_8A9A));
            pen.round(6, 30, 88, 22, 8, c(0x00A6_B0BF));
            pen.round(74, 58, 10, 8, 4, c(0x0060_E080));
        }
        Icon::Save => {
            pen.round(8, 8, 84, 84, 8, c(0x0038_6FC4));
            pen.round(26, 8, 48, 32, 2, c(0x00DD_E6F3));
            pen.round(56, 13, 12, 22, 2, c(0x0038_6FC4));
            pen.round(22, 52, 56, 40, 3, WHITE);
        }
        Icon::Open => {
            pen.round(4, 16, 44, 30, 6, c(0x00D9_9A2B));
            pen.polygon(&[(4, 86), (20, 40), (98, 40), (84, 86)], c(0x00FF_CE6B));
        }
        Icon::Info => pen.sign(c(0x002F_74D0), &[(50, 44), (50, 74)], (50, 26)),
        Icon::Question => {
            pen.round(4, 4, 92, 92, 46, c(0x002F_74D0));
            pen.stroke(
                &[(36, 38), (40, 28), (50, 24), (60, 28), (64, 38), (58, 48), (50, 54), (50, 62)],
                10,
                WHITE,
            );
            pen.round(45, 72, 11, 11, 5, WHITE);
        }
        Icon::Warning => {
            pen.polygon(&[(50, 4), (98, 94), (2, 94)], c(0x00E9_A51B));
            pen.stroke(&[(50, 38), (50, 64)], 10, c(0x0030_2400));
            pen.round(45, 74, 11, 11, 5, c(0x0030_2400));
        }
        Icon::Error => {
            pen.round(4, 4, 92, 92, 46, c(0x00CF_3640));
            pen.stroke(&[(33, 33), (67, 67)], 10, WHITE);
            pen.stroke(&[(67, 33), (33, 67)], 10, WHITE);
        }
        Icon::Run => {
            pen.round(4, 12, 92, 76, 8, c(0x0030_3848));
            pen.stroke(&[(20, 36), (38, 50), (20, 64)], 8, c(0x0080_E0A0));
            pen.stroke(&[(48, 66), (74, 66)], 8, WHITE);
        }
        Icon::Start => {
            for (x, y) in [(8, 8), (54, 8), (8, 54), (54, 54)] {
                pen.round(x, y, 38, 38, 8, ink);
            }
        }
        Icon::Up => {
            pen.stroke(&[(50, 88), (50, 16)], 12, ink);
            pen.stroke(&[(22, 44), (50, 16), (78, 44)], 12, ink);
        }
        Icon::Book => {
            pen.round(10, 6, 80, 88, 8, c(0x008E_3B46));
            pen.round(22, 6, 68, 88, 6, c(0x00B2_4A58));
            pen.round(34, 24, 44, 8, 3, WHITE);
            pen.round(34, 40, 30, 6, 3, c(0x00F0_C8CE));
        }
        Icon::Form => {
            pen.round(10, 8, 80, 88, 8, c(0x0062_7A5C));
            pen.round(18, 18, 64, 72, 4, WHITE);
            pen.round(34, 2, 32, 16, 5, c(0x00C9_CFD8));
            for y in [32, 52, 72] {
                pen.stroke(&[(26, y + 4), (30, y + 8), (38, y - 2)], 6, c(0x002E_8B57));
                pen.round(46, i32::from(y), 28, 7, 2, c(0x009A_A6B5));
            }
        }
        Icon::Music => {
            pen.round(4, 4, 92, 92, 16, c(0x006B_4FBB));
            pen.stroke(&[(40, 72), (40, 26), (74, 20), (74, 64)], 9, WHITE);
            pen.round(22, 62, 22, 18, 9, WHITE);
            pen.round(56, 54, 22, 18, 9, WHITE);
        }
        Icon::Note => {
            pen.round(6, 6, 88, 88, 4, c(0x00F7_DC6F));
            pen.round(6, 6, 88, 16, 4, c(0x00E5_B93C));
            for y in [36, 52, 68] {
                pen.round(20, y, if y == 68 { 34 } else { 58 }, 6, 2, c(0x008A_6D1B));
            }
        }
        Icon::App => {
            pen.round(6, 10, 88, 80, 8, c(0x0054_8AD8));
            pen.round(6, 10, 88, 20, 8, c(0x002F_5FA8));
            pen.round(14, 38, 72, 44, 4, WHITE);
        }
    }
}

struct Pen<'a> {
    layer: &'a mut Layer,
    area: ScreenRect,
    clip: ScreenRect,
    side: i32,
}

impl Pen<'_> {
    /// In 100ths of the icon.
    fn round(&mut self, x: i32, y: i32, w: i32, h: i32, radius: i32, fill: Color) {
        let at = |v: i32| (v * self.side + 50) / 100;
        let origin = self.area.origin;
        let (left, top) = (at(x), at(y));
        let area = rect(origin.x + left, origin.y + top, (at(x + w) - left).max(1), (at(y + h) - top).max(1));
        let radius = at(radius) as u16;
        self.layer.clipped(area, self.clip, Shape::Round { radius, fill, border: None, line: 0 });
    }

    fn stroke(&mut self, corners: &[(i16, i16)], width: i32, color: Color) {
        let width = (width * self.side / 10).max(10) as u16;
        let shape = Shape::Stroke { corners: corners.to_vec(), width, color };
        self.layer.clipped(self.area, self.clip, shape);
    }

    fn polygon(&mut self, corners: &[(i16, i16)], color: Color) {
        self.layer.clipped(self.area, self.clip, Shape::Polygon { corners: corners.to_vec(), color });
    }

    fn page(&mut self, lines: Color, plus: bool) {
        self.round(14, 2, 72, 96, 8, Color::from_rgb(0x0098_A4B8));
        self.round(18, 6, 64, 88, 5, WHITE);
        if plus {
            self.stroke(&[(50, 32), (50, 70)], 9, Color::from_rgb(0x002E_8B57));
            self.stroke(&[(31, 51), (69, 51)], 9, Color::from_rgb(0x002E_8B57));
        } else {
            for y in [22, 38, 54, 70] {
                self.round(28, y, if y == 70 { 26 } else { 44 }, 7, 2, lines);
            }
        }
    }

    fn sign(&mut self, color: Color, stem: &[(i16, i16)], dot: (i32, i32)) {
        self.round(4, 4, 92, 92, 46, color);
        self.stroke(stem, 10, WHITE);
        self.round(dot.0 - 6, dot.1 - 6, 12, 12, 6, WHITE);
    }
}
