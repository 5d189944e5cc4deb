//! The same run over every wire, and one model asked for real.

use crate::handsight::Handsight;
use crate::one_run;
use handsight_testkit::chat::{Api, Reply, Rules, Server};
use serde_json::Value;

/// A provider of the person's own that speaks an API.
fn provider(handsight: &Handsight, api: Api, streaming: &str) -> String {
    let text = format!(
        "about = \"a\"\nwire = \"{}\"\ndialect = \"tools\"\nstreaming = \"{streaming}\"\ncaching = true\n\
         [[model]]\nnames = [\"*\"]\nthinking = \"adaptive\"\n",
        api.wire()
    );
    let name = format!("{}-{streaming}", api.wire());
    handsight.config(&format!("providers/{name}.toml"), &text);
    name
}

#[test]
fn one_script_gives_one_log_over_every_wire_whole_and_streamed() {
    let log = one_run::simulated();
    let handsight = Handsight::new();
    let desktop = format!("world:desk,seed=3,size={}x{}", one_run::SIZE.0, one_run::SIZE.1);
    for api in Api::ALL {
        for streaming in ["off", "on"] {
            let server = one_run::server_of(api);
            let name = provider(&handsight, api, streaming);
            let (url, model) = (server.base_url(), format!("{name}/test-model"));
            let args = [
                "run",
                "do it all",
                "--desktop",
                &desktop,
                "--model",
                &model,
                "--base-url",
                &url,
                "--out",
                &name,
            ];
            handsight.run(&args).ended(0);
            assert_eq!(one_run::log(&handsight.home().join(&name)), log, "{name}");
            assert_eq!(server.requests().len(), 9, "{name}");
            drop(server);
            // Nobody is asked any more: what was recorded is enough, and the same requests are made again.
            let (recorded, again) = (format!("recorded/{name}"), format!("{name}-again"));
            let args = ["run", "do it all", "--desktop", &desktop, "--model", &recorded, "--out", &again];
            let said = handsight.run(&args);
            said.ended(0);
            assert_eq!(one_run::log(&handsight.home().join(&again)), log, "{name}");
            assert!(!said.stderr.contains("differs from the recording"), "{name}: {}", said.stderr);
        }
    }
}

#[test]
fn one_model_is_asked_for_real_over_every_wire() {
    let handsight = Handsight::new();
    for api in Api::ALL {
        let call = Reply::call("report_colour", serde_json::json!({"colour": "red"}));
        for (takes_pictures, code) in [(true, 0), (false, 6)] {
            let rules = Rules { api, takes_pictures, ..Rules::default() };
            let reply = call.clone();
            let server = Server::with(rules, move |_| reply.clone());
            let name = format!("{}/test-model", provider(&handsight, api, "off"));
            let url = server.base_url();
            let said = handsight.run(&["models", "test", &name, "--base-url", &url, "--json"]);
            said.ended(code);
            let found: Value = serde_json::from_str(said.stdout.lines().last().unwrap()).unwrap();
            let status = |check: &str| {
                let all = found["findings"].as_array().unwrap();
                all.iter().find(|f| f["check"] == check).unwrap()["status"].clone()
            };
            assert_eq!(status("image_url"), if takes_pictures { "ok" } else { "fail" }, "{api:?}: {found}");
            assert_eq!(
                [status("answers"), status("has_model"), status("tools")],
                ["ok"; 3],
                "{api:?}: {found}"
            );
        }
    }
    handsight.run(&["models", "test", "nobody/x/y"]).ended(6);
}
