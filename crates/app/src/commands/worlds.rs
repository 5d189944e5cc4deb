//! `worlds list`: the simulated desktops and what there is to do in them.

use crate::exit::Exit;
use crate::say;
use handsight_worlds::WORLDS;
use serde_json::json;

pub(crate) fn list(as_json: bool) -> anyhow::Result<Exit> {
    if as_json {
        let worlds: Vec<_> = WORLDS
            .iter()
            .map(|world| {
                let tasks: Vec<_> = (world.tasks)()
                    .iter()
                    .map(|t| json!({ "name": t.name, "about": t.about, "level": t.level, "tools": t.tools }))
                    .collect();
                json!({ "name": world.name, "about": world.about, "tasks": tasks })
            })
            .collect();
        say::json(&json!({ "worlds": worlds }));
        return Ok(Exit::Done);
    }
    for world in WORLDS {
        say::result(&format!("{}: {}", world.name, world.about));
        for task in (world.tasks)() {
            let tools = task.tools.join(", ");
            say::result(&format!("  {:<20} level {}  {} ({tools})", task.name, task.level, task.about));
        }
    }
    say::note("Watch one: handsight demo --task NAME --seed N");
    Ok(Exit::Done)
}
