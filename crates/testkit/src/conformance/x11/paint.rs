//! Pictures of the witness: the pattern as a window's background, which the server keeps, and a pointer of its own.

use crate::witness_protocol::{CURSOR_HOT, CURSOR_SIDE};
use handsight_base::space::Size;
use x11rb::connection::Connection;
use x11rb::protocol::render::{ConnectionExt as _, CreatePictureAux, PictType};
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, CreateGCAux, Cursor, ImageFormat, PixmapWrapper, Window,
};
use x11rb::rust_connection::RustConnection;

/// Bytes of one request.
const CHUNK: usize = 128 * 1024;

/// Makes the pattern of `seed` the background of a window of `size`.
pub(super) fn pattern(conn: &RustConnection, window: Window, size: Size, seed: u32) {
    let (width, height) = (size.width as u16, size.height as u16);
    let pixmap = PixmapWrapper::create_pixmap(conn, 24, window, width, height).expect("a pixmap");
    let gc = conn.generate_id().expect("an id");
    conn.create_gc(gc, pixmap.pixmap(), &CreateGCAux::new()).expect("sent");
    let rows = (CHUNK / (usize::from(width) * 4)).max(1) as u32;
    for top in (0..size.height).step_by(rows as usize) {
        let count = rows.min(size.height - top);
        let mut data = Vec::with_capacity((count * size.width * 4) as usize);
        for y in top..top + count {
            for x in 0..size.width {
                let [b, g, r] = crate::witness_protocol::pattern(seed, x, y);
                data.extend([b, g, r, 0]);
            }
        }
        let (top, count) = (top as i16, count as u16);
        let format = ImageFormat::Z_PIXMAP;
        conn.put_image(format, pixmap.pixmap(), gc, width, count, 0, top, 0, 24, &data).expect("sent");
    }
    let aux = ChangeWindowAttributesAux::new().background_pixmap(pixmap.pixmap());
    conn.change_window_attributes(window, &aux).expect("sent");
    conn.free_gc(gc).expect("sent");
}

/// A red square with a white hot spot, by RENDER, which takes coloured shapes.
pub(super) fn cursor(conn: &RustConnection, root: Window) -> Cursor {
    let formats = conn.render_query_pict_formats().expect("sent").reply().expect("RENDER").formats;
    let argb = formats.iter().find(|f| {
        f.type_ == PictType::DIRECT && f.depth == 32 && f.direct.alpha_mask == 255 && f.direct.red_shift == 16
    });
    let side = CURSOR_SIDE as u16;
    let pixmap = PixmapWrapper::create_pixmap(conn, 32, root, side, side).expect("a pixmap");
    let gc = conn.generate_id().expect("an id");
    conn.create_gc(gc, pixmap.pixmap(), &CreateGCAux::new()).expect("sent");
    let data: Vec<u8> = (0..CURSOR_SIDE as i32)
        .flat_map(|y| (0..CURSOR_SIDE as i32).map(move |x| (x, y)))
        .flat_map(|(x, y)| {
            if (x, y) == (CURSOR_HOT.x, CURSOR_HOT.y) { [255, 255, 255, 255] } else { [0, 0, 255, 255] }
        })
        .collect();
    conn.put_image(ImageFormat::Z_PIXMAP, pixmap.pixmap(), gc, side, side, 0, 0, 0, 32, &data).expect("sent");
    let picture = conn.generate_id().expect("an id");
    let argb = argb.expect("an ARGB format").id;
    conn.render_create_picture(picture, pixmap.pixmap(), argb, &CreatePictureAux::new()).expect("sent");
    let cursor = conn.generate_id().expect("an id");
    let (x, y) = (CURSOR_HOT.x as u16, CURSOR_HOT.y as u16);
    conn.render_create_cursor(cursor, picture, x, y).expect("sent");
    conn.free_gc(gc).expect("sent");
    cursor
}
