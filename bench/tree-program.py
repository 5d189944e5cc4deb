#!/usr/bin/python3
"""A program of NODES nodes that say what they are, SHOWN of them on the page in front: buttons, fields and check boxes (GTK 3).

They lie in rows of 40; with FLAT in the environment they are all children of one grid, for which GTK needs time with the square of
their number.
"""
import os
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk

COLUMNS, NODES = 40, int(sys.argv[1]) if len(sys.argv) > 1 else 2000
SHOWN = int(sys.argv[2]) if len(sys.argv) > 2 else NODES

window = Gtk.Window(title="Tree")
window.connect("destroy", Gtk.main_quit)
style = Gtk.CssProvider()
style.load_from_data(b"button, entry, checkbutton { padding: 0; min-height: 8px; min-width: 8px; font-size: 5px; }")
Gtk.StyleContext.add_provider_for_screen(window.get_screen(), style, 600)
grids = [Gtk.Grid(), Gtk.Grid()]
rows = {}
for n in range(NODES):
    kinds = [lambda: Gtk.Button(label=f"b{n}"), lambda: Gtk.CheckButton(label=f"c{n}"), lambda: Gtk.Entry(width_chars=2, max_width_chars=2)]
    behind, place = (0, n) if n < SHOWN else (1, n - SHOWN)
    column, row = place % COLUMNS, place // COLUMNS
    if "FLAT" in os.environ:
        grids[behind].attach(kinds[n % 3](), column, row, 1, 1)
        continue
    if (behind, row) not in rows:
        rows[behind, row] = Gtk.Box()
        grids[behind].attach(rows[behind, row], 0, row, 1, 1)
    rows[behind, row].pack_start(kinds[n % 3](), True, True, 0)
if SHOWN == NODES:
    window.add(grids[0])
else:
    pages = Gtk.Notebook()
    for grid in grids:
        pages.append_page(grid)
    window.add(pages)
window.show_all()
Gtk.main()
