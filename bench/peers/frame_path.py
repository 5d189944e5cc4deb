"""The frame path as it is usually written in Python: mss, Pillow, base64, pyautogui.

    frame_path.py LEVEL X Y

Says `ready`, then walks the path once for each line of input and says `done`. LEVEL is the PNG compression level (6 is
Pillow's default), X and Y say where to click. Where there is a choice the faster one is taken: nearest-neighbour scaling,
no pointer in the picture, no pause after the click.
"""

import base64
import contextlib
import io
import sys


def main():
    level, x, y = (int(a) for a in sys.argv[1:4])
    try:
        # python-xlib prints a warning where the display asks for no cookie.
        with contextlib.redirect_stdout(sys.stderr):
            import mss
            import pyautogui
            from PIL import Image
    except ImportError:
        print("missing: pip install mss Pillow pyautogui", flush=True)
        return
    pyautogui.PAUSE = 0
    pyautogui.FAILSAFE = False
    with mss.mss() as screen:
        print("ready", flush=True)
        for n, _ in enumerate(sys.stdin):
            shot = screen.grab(screen.monitors[0])
            picture = Image.frombytes("RGB", shot.size, shot.bgra, "raw", "BGRX")
            picture = picture.resize((1536, 864), Image.Resampling.NEAREST)
            png = io.BytesIO()
            picture.save(png, "PNG", compress_level=level)
            base64.b64encode(png.getvalue())
            pyautogui.click(x + n % 2, y)
            print("done", flush=True)


main()
