# What the accessibility library itself says of every program on the bus: its things that are shown, one JSON object a line.
# It knows nothing of handsight: another client (libatspi), another language, no cache of ours.
import json

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi

PASSIVE = ("filler", "panel", "unknown", "application")


def walk(thing, program, depth):
    if thing is None or depth > 40:
        return
    states = thing.get_state_set()
    if depth > 1 and not states.contains(Atspi.StateType.SHOWING):
        return
    role = thing.get_role_name()
    if depth > 0 and role not in PASSIVE:
        try:
            at = thing.get_extents(Atspi.CoordType.SCREEN)
        except Exception:
            at = None
        if at is not None and at.width > 2 and at.height > 2:
            print(json.dumps({
                "program": program,
                "role": role,
                "name": thing.get_name() or "",
                "box": [at.x, at.y, at.width, at.height],
                "sensitive": states.contains(Atspi.StateType.SENSITIVE),
                "editable": states.contains(Atspi.StateType.EDITABLE),
            }))
    for n in range(min(thing.get_child_count(), 400)):
        walk(thing.get_child_at_index(n), program, depth + 1)


Atspi.init()
desktop = Atspi.get_desktop(0)
for n in range(desktop.get_child_count()):
    program = desktop.get_child_at_index(n)
    if program is not None:
        walk(program, program.get_name() or "", 0)
