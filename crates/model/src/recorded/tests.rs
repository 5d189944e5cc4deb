use super::*;
use handsight_base::flow::prompt::{Picture, Sampling};
use handsight_base::port::model::{Message, Part, Role};
use handsight_base::space::{FrameId, FrameRect, PictureGeometry, Size};
use handsight_base::stop::StopReason;
use serde_json::json;

fn request(system: &str, pixels: &[u8]) -> ModelRequest {
    let size = Size::new(1, 1);
    let geometry = PictureGeometry { frame: FrameId(1), pane: FrameRect::new(0, 0, 1, 1), size };
    let picture = Picture { bytes: pixels.into(), media_type: "image/png", geometry };
    ModelRequest {
        system: system.into(),
        messages: vec![Message { role: Role::User, parts: vec![Part::Picture(picture)], raw: None }],
        tools: vec![],
        native: Vec::new(),
        sampling: Sampling { temperature: Some(0.7), top_p: None, max_tokens: Some(9) },
        form: None,
    }
}

fn exchange(request: &ModelRequest, options: &WireOptions<'_>, status: u16, said: &str) -> Exchange {
    let response = json!({"choices": [{"message": {"content": said}}]}).to_string();
    let request = String::from_utf8((chat::WIRE.encode)(request, options)).unwrap();
    Exchange { request, status, response, ..Exchange::default() }
}

fn of(requests: &[ModelRequest]) -> Recorded {
    let options = WireOptions { tool_choice: Some(ToolChoice::Auto), ..WireOptions::new("qwen") };
    let calls: Vec<Exchange> = requests
        .iter()
        .enumerate()
        .map(|(i, r)| exchange(r, &options, 200, &format!("answer {i}")))
        .collect();
    Recorded::new("examples/first-run", Box::new(calls))
}

#[tokio::test]
async fn the_same_run_plays_without_a_difference_and_ends() {
    let asked = [request("s", b"a"), request("s", b"b")];
    let model = of(&asked);
    assert_eq!(model.name(), "recorded/examples/first-run");
    let stop = Stop::new();
    for (i, r) in asked.iter().enumerate() {
        let reply = model.ask(r, &stop).await.unwrap();
        assert_eq!(reply.text, format!("answer {i}"));
        assert_eq!(reply.exchange.status, 200);
    }
    assert_eq!(model.first_difference(), None);
    let end = model.ask(&asked[0], &stop).await.unwrap_err();
    assert_eq!(end, ModelError::RecordingEnds { played: 2 });
    stop.set(StopReason::Person);
    assert_eq!(model.ask(&asked[0], &stop).await.unwrap_err(), ModelError::Stopped);
}

#[tokio::test]
async fn the_first_difference_is_kept_and_the_replay_goes_on() {
    let model = of(&[request("s", b"a"), request("the task", b"b"), request("s", b"c")]);
    let stop = Stop::new();
    model.ask(&request("s", b"a"), &stop).await.unwrap();
    assert_eq!(model.first_difference(), None);
    model.ask(&request("the tusk", b"b"), &stop).await.unwrap();
    let last = model.ask(&request("s", b"other"), &stop).await.unwrap();
    assert_eq!(last.text, "answer 2");
    let d = model.first_difference().unwrap();
    assert_eq!((d.call, d.place.as_str()), (2, "messages[0].content[character 5]"));
    assert_eq!((d.recorded.as_str(), d.now.as_str()), ("\"the task\"", "\"the tusk\""));
}

#[tokio::test]
async fn pictures_are_compared_by_their_bytes_whichever_way_they_were_kept() {
    let asked = request("s", b"a");
    let mut kept = exchange(&asked, &WireOptions::new("m"), 200, "x");
    kept.request = pictures_by_hash(&kept.request);
    assert!(kept.request.contains(&format!("data:image/png;base64,frame:{}", blake3::hash(b"a"))));
    let stop = Stop::new();
    let model = Recorded::new("r", Box::new(vec![kept.clone()]));
    model.ask(&asked, &stop).await.unwrap();
    assert_eq!(model.first_difference(), None);
    let model = Recorded::new("r", Box::new(vec![kept]));
    model.ask(&request("s", b"b"), &stop).await.unwrap();
    let d = model.first_difference().unwrap();
    assert!(d.place.starts_with("messages[1].content[0].image_url.url"), "{d}");
}

#[tokio::test]
async fn a_recorded_refusal_is_played_as_one() {
    let asked = request("s", b"a");
    let refused = exchange(&asked, &WireOptions::new("m"), 429, "slow down");
    let model = Recorded::new("r", Box::new(vec![refused]));
    let e = model.ask(&asked, &Stop::new()).await.unwrap_err();
    assert!(matches!(e, ModelError::Http { status: 429, .. }), "{e}");
}

#[test]
fn every_kind_of_difference_has_a_place() {
    for (a, b, place, recorded, now) in [
        (json!({"a": 1}), json!({"a": 2}), "a", "1", "2"),
        (json!({"a": 1}), json!({}), "a", "1", "nothing"),
        (json!({}), json!({"b": true}), "b", "nothing", "true"),
        (json!({"a": [1, 2]}), json!({"a": [1]}), "a[1]", "2", "nothing"),
        (json!({"a": [{"b": 1}]}), json!({"a": [{"b": "1"}]}), "a[0].b", "1", "\"1\""),
        (json!([]), json!({}), "", "[]", "{}"),
    ] {
        let found = first_difference(&a, &b).unwrap();
        assert_eq!(found, (place.into(), recorded.into(), now.into()), "{a} {b}");
    }
    let long = json!({"a": "x".repeat(500)});
    assert_eq!(first_difference(&long, &long), None);
    assert!(first_difference(&long, &json!({})).unwrap().1.len() < 100);
}

#[tokio::test]
async fn a_call_to_a_model_of_the_program_itself_wants_the_same_picture_again_and_is_compared_with_nothing() {
    let response = r#"{"choices": [{"message": {"content": "It is done."}}]}"#;
    let exchange = |request: &str| Exchange {
        request: request.into(),
        status: 200,
        response: response.into(),
        ..Exchange::default()
    };
    let of = |recorded: &str| Recorded::new("run", Box::new(vec![exchange(recorded)]));
    for (recorded, own_pixels) in [(Exchange::OWN_PIXELS, true), ("{}", false), ("", false)] {
        let model = of(recorded);
        assert_eq!(model.picture_limits().own_pixels, own_pixels, "{recorded}");
        let reply = model.ask(&request("anything", b"\x89PNG"), &Stop::new()).await.unwrap();
        assert_eq!(reply.text, "It is done.");
        assert_eq!(model.first_difference().is_none(), own_pixels, "{recorded}");
        assert!(!model.picture_limits().own_pixels, "the recording is at its end");
    }
}

#[tokio::test]
async fn a_picture_left_open_is_made_as_it_was_recorded_and_a_jpeg_need_only_be_one() {
    let seen = |media_type: &'static str, bytes: &[u8]| {
        let mut request = request("image/gif is a word here", bytes);
        if let Part::Picture(picture) = &mut request.messages[0].parts[0] {
            picture.media_type = media_type;
        }
        request
    };
    let webp =
        b"RIFF....WEBPVP8L and as many bytes as a picture without a URL needs to be seen as one".as_slice();
    let jpeg =
        b"\xff\xd8\xff and as many bytes as a picture without a URL needs to be seen as one....".as_slice();
    let again = [jpeg, b" a little other"].concat();
    for wire in [chat::WIRE, messages::WIRE, responses::WIRE, gemini::WIRE] {
        let recorded = [seen("image/webp", webp), seen("image/jpeg", jpeg), seen("image/webp", webp)];
        let options = WireOptions::new("m");
        let calls: Vec<Exchange> = recorded
            .iter()
            .map(|r| Exchange {
                request: String::from_utf8(wire.body(r, &options)).unwrap(),
                ..Exchange::default()
            })
            .collect();
        let model = Recorded::new("run", Box::new(calls));
        let stop = Stop::new();
        // What came back then is no matter here.
        let ask = async |request| drop(model.ask(&request, &stop).await);
        assert_eq!(model.picture_limits().formats, Some(vec![PictureFormat::Webp]), "{}", wire.name);
        ask(seen("image/webp", webp)).await;
        assert_eq!(model.picture_limits().formats, Some(vec![PictureFormat::Jpeg]));
        ask(seen("image/jpeg", &again)).await;
        assert_eq!(model.first_difference(), None, "{}", wire.name);
        // Lossless means the same.
        ask(seen("image/webp", &[webp, b"!"].concat())).await;
        assert_eq!(model.first_difference().map(|d| d.call), Some(3), "{}", wire.name);
        assert_eq!(model.picture_limits().formats, None, "the recording is at its end");
    }
}
