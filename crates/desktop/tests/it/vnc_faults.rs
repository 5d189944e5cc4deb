//! Servers that refuse, ask for more, go away, come back, or take one viewer only: each is told with place and remedy.

use crate::hands_rig::{click, inject, turn};
use crate::rig::{all, work};
use crate::vnc_rig::{assert_sees_the_truth, eyes_only, hands, paint, target, target_at, with_hands};
use handsight_base::gate::Work;
use handsight_base::port::desktop::{Desktop as _, DesktopError};
use handsight_base::stop::Stop;
use handsight_desktop::vnc::{Target, TlsMode, VncConnector, VncDesktop};
use handsight_testkit::program::signal_pid;
use handsight_testkit::vnc_server::{Kind, VncServer, certificate, free_port};
use handsight_testkit::wait::{PATIENCE, until};
use handsight_testkit::witness::Witness;
use rustix::process::Signal;
use std::time::{Duration, Instant};

#[track_caller]
fn refused(target: Target) -> (String, String) {
    match VncDesktop::connect(eyes_only(target)) {
        Ok(desktop) => panic!("{desktop:?} let us in"),
        Err(DesktopError::Unusable { why, remedy }) => (why, remedy),
        Err(other) => panic!("not what a person can act on: {other}"),
    }
}

#[test]
fn a_wrong_password_and_none_are_told_without_the_password() {
    for kind in Kind::ALL {
        let Some(server) = VncServer::start(kind) else { return };
        let mut wrong = target(&server);
        wrong.password = Some("hunter2".to_owned());
        let (why, remedy) = refused(wrong);
        assert!(why.contains(&server.address()) && why.contains("does not take the password"), "{why}");
        assert!(!format!("{why} {remedy}").contains("hunter2"));
        let mut none = target(&server);
        none.password = None;
        let (why, remedy) = refused(none);
        assert!(
            why.contains("asks for a password") && remedy.contains("HANDSIGHT_VNC_PASSWORD"),
            "{why}. {remedy}"
        );
        // The right one is still let in.
        VncDesktop::connect(eyes_only(target(&server))).unwrap();
    }
}

#[test]
fn a_server_that_lost_patience_says_so() {
    let Some(server) = VncServer::start(Kind::Tiger) else { return };
    let mut told = String::new();
    for _ in 0..8 {
        let mut wrong = target(&server);
        wrong.password = Some("wrong".to_owned());
        told = refused(wrong).0;
        if told.contains("turns us away") {
            break;
        }
    }
    assert!(told.contains("turns us away") && told.contains("Too many"), "{told}");
}

#[test]
fn nobody_there_and_somebody_else_there_are_told() {
    let (why, remedy) = refused(target_at(&format!("127.0.0.1:{}", free_port())));
    assert!(why.contains("nobody listens") && remedy.contains("vnc:HOST"), "{why}. {remedy}");
    let (why, _) = refused(target_at("no-such-host.invalid:5900"));
    assert!(why.contains("cannot be found"), "{why}");
    let web = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = web.local_addr().unwrap().to_string();
    let speaker = std::thread::Builder::new().name("web".to_owned()).spawn(move || {
        let (mut stream, _) = web.accept().unwrap();
        std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    });
    let (why, _) = refused(target_at(&address));
    assert!(why.contains("is none") && why.contains("HTTP/1.1"), "{why}");
    speaker.unwrap().join().unwrap();
}

#[test]
fn certificates_are_believed_by_file_and_by_fingerprint_and_not_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let Some((key, pem)) = certificate(folder.path()) else { return };
    let (key, pem) = (key.display().to_string(), pem.display().to_string());
    for kinds in ["X509Vnc", "X509Vnc,VncAuth", "X509None"] {
        let options = ["-SecurityTypes", kinds, "-X509Cert", &pem, "-X509Key", &key, "-AlwaysShared"];
        let Some(server) = VncServer::with(Kind::Tiger, 640, 480, &options) else { return };
        let witness = Witness::connect(server.x.display());
        paint(&witness, (20, 20), (300, 200), 9);
        let mut by_file = target(&server);
        by_file.ca = Some(pem.clone());
        let mut desktop = VncDesktop::connect(eyes_only(by_file.clone())).expect(kinds);
        assert_sees_the_truth(&mut desktop, &witness, kinds);

        let mut blind = target(&server);
        blind.tls = TlsMode::Required;
        let (why, remedy) = refused(blind.clone());
        assert!(why.contains("not believed") && remedy.contains("vnc_ca"), "{why}. {remedy}");
        // What it says is what makes it believed.
        let at = why.find("sha256:").expect("the fingerprint is told");
        blind.ca = Some(why[at..at + 71].to_owned());
        VncDesktop::connect(eyes_only(blind.clone())).expect("the fingerprint is right");
        blind.ca = Some(format!("sha256:{}", "0".repeat(64)));
        refused(blind);
        let other = tempfile::tempdir().unwrap();
        let (_, other_pem) = certificate(other.path()).unwrap();
        by_file.ca = Some(other_pem.display().to_string());
        refused(by_file);
    }
}

#[test]
fn anonymous_tls_and_no_encryption_are_refused_by_name() {
    let Some(server) = VncServer::with(Kind::Tiger, 320, 240, &["-SecurityTypes", "TLSNone,TLSVnc"]) else {
        return;
    };
    let (why, remedy) = refused(target(&server));
    assert!(why.contains("anonymous keys") && remedy.contains("X509Vnc"), "{why}. {remedy}");
    let Some(server) = VncServer::start(Kind::Tiger) else { return };
    let mut certain = target(&server);
    certain.tls = TlsMode::Required;
    let (why, remedy) = refused(certain);
    assert!(why.contains("no encryption") && remedy.contains("ssh -L"), "{why}. {remedy}");
}

#[test]
fn a_server_without_security_lets_everybody_in() {
    let Some(server) = VncServer::with(Kind::Tiger, 320, 240, &["-SecurityTypes", "None"]) else { return };
    let mut nobody = target(&server);
    nobody.password = None;
    VncDesktop::connect(eyes_only(nobody)).unwrap();
    let Some(old) = VncServer::with(Kind::Tiger, 320, 240, &["-SecurityTypes", "VncAuth", "-Protocol3.3"])
    else {
        return;
    };
    VncDesktop::connect(eyes_only(target(&old))).expect("3.3 is spoken too");
}

#[test]
fn a_server_for_one_viewer_is_told_with_the_remedy() {
    for (kind, options) in
        [(Kind::X11vnc, vec!["-forever"]), (Kind::Tiger, vec!["-SecurityTypes", "VncAuth", "-NeverShared"])]
    {
        let Some(server) = VncServer::with(kind, 640, 480, &options) else { return };
        let refused = VncConnector::new(with_hands(&server)).connect().unwrap_err();
        let told = refused.to_string();
        assert!(matches!(refused, DesktopError::Unusable { .. }), "{kind:?}: {told}");
        assert!(told.contains("one viewer at a time") && told.contains("-shared"), "{kind:?}: {told}");
    }
}

#[test]
fn a_server_that_comes_back_is_found_again_and_the_hands_too() {
    for kind in Kind::ALL {
        let Some(mut server) = VncServer::start(kind) else { return };
        let connector = VncConnector::new(with_hands(&server));
        let mut desktop = connector.connect().unwrap();
        desktop.capture(&all()).unwrap();
        server.kill();
        let lost = until("the loss is noticed", PATIENCE, || desktop.capture(&all()).err());
        assert!(matches!(&lost, DesktopError::Lost { why } if why.contains(&server.address())), "{lost}");
        assert!(connector.connect().is_err(), "nobody is there");
        server.restart();
        let mut witness = Witness::connect(server.x.display());
        let mut desktop = until("it is found again", PATIENCE, || connector.connect().ok());
        witness.open(0, 0, 1280, 720);
        let Work::Input(input) = work(click(500, 300)) else { panic!("input") };
        let beating = turn(desktop.pulse().unwrap());
        desktop.inject(input, &Stop::new()).unwrap();
        drop(beating);
        witness.wait_until("the click is seen", PATIENCE, |w| w.pointer().x == 500 && w.pointer().y == 300);
    }
}

#[test]
fn a_server_that_hangs_is_given_up_in_time() {
    let Some(server) = VncServer::start(Kind::Tiger) else { return };
    let mut desktop = VncDesktop::connect(eyes_only(target(&server))).unwrap();
    desktop.capture(&all()).unwrap();
    signal_pid(server.pid(), Signal::STOP);
    let began = Instant::now();
    let error = desktop.capture(&all()).unwrap_err();
    let took = began.elapsed();
    signal_pid(server.pid(), Signal::CONT);
    assert!(matches!(error, DesktopError::Lost { .. }), "{error}");
    assert!(took < Duration::from_secs(4), "{took:?}");
    let mut hands = hands(&server);
    inject(&mut hands, click(5, 5));
}
