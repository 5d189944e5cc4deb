//! Panes, marks and carets of a drawn dialog.

use crate::draw::Screen;
use handsight_base::space::{FrameRect, Size};
use handsight_reflex::eye;

#[test]
fn a_dialog_is_seen() {
    let mut screen = Screen::new(Size::new(1280, 720), 0x0030_5070);
    screen.frame(300, 200, 400, 240, 0x0010_1010, 0x00f3_f4f7);
    screen.text("Night light", 356, 250, 14, false, 0x001a_1c21);
    screen.frame(330, 236, 18, 18, 0x000f_6cbd, 0x000f_6cbd);
    screen.fill(336, 245, 4, 4, 0x00ff_ffff);
    screen.text("Sounds", 356, 290, 14, false, 0x001a_1c21);
    screen.frame(330, 276, 18, 18, 0x005d_6472, 0x00ff_ffff);
    screen.fill(330, 320, 200, 30, 0x000f_6cbd);
    screen.fill(332, 322, 196, 26, 0x00ff_ffff);
    let pen = screen.text("name", 338, 340, 14, false, 0x001a_1c21);
    screen.fill(pen, 326, 2, 18, 0x000f_6cbd);
    screen.frame(560, 390, 100, 30, 0x00b6_bcc8, 0x00fd_fdfe);
    screen.text("Save", 594, 410, 14, false, 0x001a_1c21);
    let scene = eye::look(&screen.png(Size::new(1536, 864))).unwrap();
    let texts: Vec<&str> = scene.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, ["Night light", "Sounds", "name", "Save"]);
    let marks: Vec<(bool, &str)> = scene.marks.iter().map(|m| (m.on, texts[m.label])).collect();
    assert_eq!(marks, [(true, "Night light"), (false, "Sounds")]);
    assert_eq!(scene.carets, [FrameRect::new(pen, 326, 2, 18)]);
    let pane = |area: FrameRect| scene.panes.iter().find(|pane| pane.area == area);
    assert_eq!(pane(FrameRect::new(301, 201, 398, 238)).unwrap().border, Some((0x0010_1010, 1)));
    assert_eq!(pane(FrameRect::new(332, 322, 196, 26)).unwrap().border, Some((0x000f_6cbd, 2)), "focus");
    assert_eq!(pane(FrameRect::new(561, 391, 98, 28)).unwrap().border, Some((0x00b6_bcc8, 1)));
}

#[test]
fn a_grey_picture_shows_nothing() {
    let scene = eye::look(&Screen::new(Size::new(1536, 864), 0x0080_8080).png(Size::new(1536, 864))).unwrap();
    assert_eq!((scene.lines.len(), scene.marks.len(), scene.carets.len(), scene.hud), (0, 0, 0, None));
}

#[test]
fn what_is_no_picture_is_refused() {
    assert!(eye::look(b"GIF89a").is_err());
    assert!(eye::look(&[]).is_err());
}
