//! A server that nobody here wrote counts a request beforehand, and finds the same when it is asked.

use super::*;
use handsight_testkit::vendors;

#[tokio::test]
async fn what_is_counted_beforehand_is_what_a_real_server_then_finds() {
    let Some(vendors) = vendors::need() else { return };
    let server = vendors.llama_server();
    let text = "about = \"llama.cpp\"\nwire = \"messages\"\ndialect = \"tools\"\ntool_choice = \"required\"\ncounts = true\n";
    let mut providers = Providers::builtin().unwrap();
    providers.add("own.toml", text).unwrap();
    let model = Remote::new(Setup {
        provider: providers.get("own").unwrap(),
        model: "no-wit",
        base_url: Some(&format!("{}/v1", server.url)),
        key: None,
        deadlines: Deadlines::default(),
        proxy: None,
        clock: Arc::new(RealClock::new()),
    })
    .unwrap();
    let stop = Stop::new();
    let mut counts = Vec::new();
    for words in ["Press OK.", "Press the button at the end of the second row, then wait. Añ€😀"] {
        let mut request = small();
        request.messages[0].parts.push(Part::Text(words.into()));
        request.sampling.max_tokens = Some(16);
        let counted = model.count(&request, &stop).await;
        let found = model.ask(&request, &stop).await.unwrap().usage.input_tokens;
        assert!(counted.is_some() && counted == found, "{counted:?} counted, {found:?} found");
        counts.extend(counted);
    }
    println!("{counts:?} tokens, counted and found");
    assert!(counts[0] < counts[1], "{counts:?}");
}
