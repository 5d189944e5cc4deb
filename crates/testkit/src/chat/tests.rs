use super::*;
use std::io::Read as _;

/// Speaks HTTP by hand, so that a request can be wrong in any way.
fn ask(server: &Server, head: &str, body: &str) -> String {
    let mut connection = TcpStream::connect(server.address()).unwrap();
    let host = server.address();
    let length = body.len();
    write!(
        connection,
        "{head}\r\nhost: {host}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .unwrap();
    connection.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    let _reset_is_an_answer_too = connection.read_to_string(&mut answer);
    answer
}

const POST: &str = "POST /v1/chat/completions HTTP/1.1\r\naccept: application/json\r\nuser-agent: handsight/0\r\n\
                    content-type: application/json";
const GOOD: &str = r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#;

#[test]
fn a_good_request_is_answered_and_kept() {
    let server = Server::scripted([Reply::text("hi"), Reply::text("there")]);
    let answer = ask(&server, POST, GOOD);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""content":"hi""#), "{answer}");
    assert!(ask(&server, POST, GOOD).contains("there"));
    let requests = server.wait_for(2);
    assert_eq!((requests[1].n, requests[1].body.as_slice()), (2, GOOD.as_bytes()));
    assert_eq!(requests[0].header("user-agent"), Some("handsight/0"));
}

#[test]
fn a_bad_request_is_refused_and_complained_about() {
    for (head, body, what) in [
        (POST, "{", "no JSON"),
        (POST, r#"{"model":"m","model":"m","messages":[{"role":"user","content":"x"}]}"#, "stands twice"),
        (&POST.replace("chat", "chats"), GOOD, "no call of this API"),
        (&POST.replace("POST", "PUT"), GOOD, "no call of this API"),
        (&POST.replace("application/json\r\nuser", "text/html\r\nuser"), GOOD, "accept"),
        (&POST.replace("type: application/json", "type: text/plain"), GOOD, "content-type"),
        (&POST.replace("handsight", "curl"), GOOD, "user-agent"),
        (&format!("{POST}\r\nauthorization: Bearer x"), GOOD, "credentials"),
        (&format!("{POST}\r\ncookie: a=b"), GOOD, "cookie"),
    ] {
        let server = Server::scripted([Reply::text("hi")]);
        let answer = ask(&server, head, body);
        assert!(answer.starts_with("HTTP/1.1 40"), "{what}: {answer}");
        let complaints = server.take_complaints();
        assert!(complaints.iter().any(|c| c.contains(what)), "{complaints:?}");
    }
}

#[test]
fn a_complaint_nobody_took_fails_the_test() {
    let server = Server::scripted([]);
    ask(&server, POST, GOOD);
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(server))).unwrap_err();
    let words = failed.downcast_ref::<String>().unwrap();
    assert!(words.contains("call 1 came after the end of the script"), "{words}");
}

#[test]
fn a_key_must_be_the_right_one() {
    let rules = Rules { key: Some("k".into()), ..Rules::default() };
    let server = Server::scripted_with(rules, [Reply::text("hi")]);
    assert!(ask(&server, POST, GOOD).starts_with("HTTP/1.1 401"));
    let right = format!("{POST}\r\nauthorization: Bearer k");
    assert!(ask(&server, &right, GOOD).starts_with("HTTP/1.1 200"));
}

#[test]
fn each_way_of_breaking_really_breaks() {
    let whole = Reply::text("hi").http_len("m");
    let server = Server::scripted([
        Reply::text("hi").cut(whole, End::Close),
        Reply::text("hi").cut(20, End::Close),
        Reply::Nothing(End::Close),
        Reply::text("hi").cut(10, End::Reset),
        Reply::text("hi").later(Duration::from_millis(50)),
    ]);
    assert!(ask(&server, POST, GOOD).contains("\"hi\""));
    assert_eq!(ask(&server, POST, GOOD).len(), 20);
    assert_eq!(ask(&server, POST, GOOD), "");
    assert!(ask(&server, POST, GOOD).len() <= 10);
    // This caller closed its half of the connection, so it counts as gone before the time is up.
    assert_eq!(ask(&server, POST, GOOD), "");
    server.wait_for_leave();
}
