#!/usr/bin/python3
"""A program of 2000 nodes that say what they are: a window of buttons, fields and check boxes (GTK 3)."""
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk

COLUMNS, NODES = 40, int(sys.argv[1]) if len(sys.argv) > 1 else 2000

window = Gtk.Window(title="Tree")
window.connect("destroy", Gtk.main_quit)
style = Gtk.CssProvider()
style.load_from_data(b"button, entry, checkbutton { padding: 0; min-height: 8px; min-width: 8px; font-size: 5px; }")
Gtk.StyleContext.add_provider_for_screen(window.get_screen(), style, 600)
grid = Gtk.Grid()
for n in range(NODES):
    kinds = [lambda: Gtk.Button(label=f"b{n}"), lambda: Gtk.CheckButton(label=f"c{n}"), lambda: Gtk.Entry(width_chars=2, max_width_chars=2)]
    grid.attach(kinds[n % 3](), n % COLUMNS, n // COLUMNS, 1, 1)
window.add(grid)
window.show_all()
Gtk.main()
