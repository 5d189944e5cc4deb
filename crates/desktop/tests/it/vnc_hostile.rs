//! A server that means harm, or is broken: whatever it sends, the eyes end with a typed error, in time and in bounded memory.
//!
//! Good conversations are taken apart: 10 000 of them are bent at random places, cut or continued with noise. Some attacks have a
//! test of their own: huge screens, rectangles outside, streams without end, silence.

use crate::rig::all;
use crate::vnc_rig::{eyes_only, target_at};
use handsight_base::port::desktop::{Desktop as _, DesktopError};
use handsight_desktop::vnc::{Encoding, VncDesktop};
use handsight_testkit::need::long;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A server that says what it is told to say to each viewer, and closes.
struct Hostile {
    address: String,
    say: SyncSender<(Vec<u8>, bool)>,
    _thread: JoinHandle<()>,
}

impl Hostile {
    fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (say, said) = sync_channel::<(Vec<u8>, bool)>(1);
        let thread = std::thread::Builder::new().name("hostile".to_owned()).spawn(move || {
            while let Ok((bytes, stays)) = said.recv() {
                let Ok((mut stream, _)) = listener.accept() else { return };
                // The greeting; the rest when the viewer has asked, or does not.
                let greeting = bytes.len().min(GREETING);
                let _gone = stream.write_all(&bytes[..greeting]);
                if bytes.len() > greeting {
                    stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
                    let (mut asked, mut heard) = (0, [0; 4096]);
                    while asked < QUESTION {
                        match stream.read(&mut heard) {
                            Ok(n @ 1..) => asked += n,
                            Ok(0) | Err(_) => break,
                        }
                    }
                    let _gone = stream.write_all(&bytes[greeting..]);
                }
                stream.set_read_timeout(None).unwrap();
                if stays {
                    // Says nothing more, until the viewer has had enough.
                    let mut rest = [0; 4096];
                    while let Ok(1..) = stream.read(&mut rest) {}
                }
                let _gone = stream.shutdown(std::net::Shutdown::Write);
                let mut rest = [0; 4096];
                while let Ok(1..) = stream.read(&mut rest) {}
            }
        });
        Self { address, say, _thread: thread.unwrap() }
    }

    /// What comes of a viewer that is told `bytes`.
    fn meet(&self, bytes: Vec<u8>, stays: bool) -> Result<VncDesktop, DesktopError> {
        self.say.send((bytes, stays)).unwrap();
        let mut target = target_at(&self.address);
        target.encodings = Some(Encoding::ALL.to_vec());
        VncDesktop::connect(eyes_only(target))
    }
}

/// The bytes of [`hello`].
const GREETING: usize = 43;
/// What a viewer has said when it waits for a picture.
const QUESTION: usize = 110;

/// Version, no security, let in, a screen of this size called `x`.
fn hello(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = b"RFB 003.008\n".to_vec();
    bytes.extend([1, 1, 0, 0, 0, 0]);
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]);
    bytes.extend([0, 0, 0, 1, b'x']);
    bytes
}

/// Left, top, width, height, encoding and what follows.
type Rectangle = (u16, u16, u16, u16, i32, Vec<u8>);

fn update(rectangles: &[Rectangle]) -> Vec<u8> {
    let mut bytes = vec![0, 0];
    bytes.extend((rectangles.len() as u16).to_be_bytes());
    for (x, y, width, height, encoding, data) in rectangles {
        for number in [x, y, width, height] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(encoding.to_be_bytes());
        bytes.extend(data);
    }
    bytes
}

fn sized(data: Vec<u8>) -> Vec<u8> {
    [(data.len() as u32).to_be_bytes().to_vec(), data].concat()
}

fn packed(data: &[u8]) -> Vec<u8> {
    use flate2::{Compression, write::ZlibEncoder};
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(data).unwrap();
    packer.flush().unwrap();
    packer.get_ref().clone()
}

/// Whole conversations that use everything there is.
fn good() -> Vec<Vec<u8>> {
    let raw = |w: u16, h: u16| vec![7; usize::from(w) * usize::from(h) * 4];
    let zrle = sized(packed(&[&[1, 9, 8, 7][..], &[2, 1, 2, 3, 4, 5, 6], &[0xaa; 8 * 64]].concat()));
    let tight = [&[0x40, 1, 1, 1, 2, 3, 4, 5, 6][..], &[20], &packed(&[0x55; 64])[..20]].concat();
    let hextile = [&[2 | 4 | 8, 1, 2, 3, 0, 4, 5, 6, 0, 1, 0x11, 0x22][..], &[0; 64]].concat();
    let cursor = [raw(8, 8), vec![0xf0; 8]].concat();
    let clipboard = {
        let data = [&[0, 0, 0, 4][..], b"abc\0"].concat();
        let body = [&0x1000_0001_u32.to_be_bytes()[..], &packed(&data)].concat();
        [&[3, 0, 0, 0][..], &(-(body.len() as i32)).to_be_bytes(), &body].concat()
    };
    let start = [hello(128, 64), update(&[(0, 0, 128, 64, 0, raw(128, 64))])].concat();
    let parts = [
        update(&[(0, 0, 128, 64, 16, zrle)]),
        update(&[(10, 10, 64, 8, 7, tight), (0, 0, 64, 64, 7, vec![0x80, 1, 2, 3])]),
        update(&[(0, 0, 32, 32, 5, hextile)]),
        update(&[(1, 1, 50, 50, 1, vec![0, 5, 0, 6])]),
        update(&[(3, 4, 8, 8, -239, cursor), (5, 6, 0, 0, -232, vec![])]),
        update(&[(0, 0, 100, 50, -223, vec![]), (0, 0, 100, 50, 0, raw(100, 50))]),
        update(&[(0, 0, 90, 40, -308, [&[1, 0, 0, 0][..], &[0; 8], &[0, 90, 0, 40], &[0; 4]].concat())]),
        [&[3, 0, 0, 0, 0, 0, 0, 3][..], b"cut"].concat(),
        clipboard,
        vec![2],
        [&[1, 0, 0, 0, 0, 2][..], &[0; 12]].concat(),
    ];
    let mut all: Vec<Vec<u8>> = parts.iter().map(|part| [start.clone(), part.clone()].concat()).collect();
    all.push([vec![start.clone()], parts.to_vec()].concat().concat());
    all
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn bend(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..1 + random.below(4) {
        // Half of the time behind the handshake, which would end everything.
        let from = if random.below(4) == 0 { 0 } else { GREETING.min(bytes.len() - 1) };
        let at = from + random.below(bytes.len() - from);
        match random.below(6) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes.truncate(at.max(1)),
            3 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            4 => {
                let noise: Vec<u8> = (0..random.below(64)).map(|_| random.below(256) as u8).collect();
                bytes.splice(at..at, noise);
            }
            _ => {
                let end = (at + 1 + random.below(32)).min(bytes.len());
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

/// The most memory this process has had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn ten_thousand_bent_conversations_end_in_typed_errors() {
    let server = Hostile::start();
    let good = good();
    // The control: unbent, they let us in.
    for (n, conversation) in good.iter().enumerate() {
        let met = server.meet(conversation.clone(), false);
        assert!(met.is_ok() || matches!(met, Err(DesktopError::Lost { .. })), "{n}: {met:?}");
    }
    let before = peak();
    let mut random = Random(11);
    let (mut met, mut told, began) = (0, 0, Instant::now());
    for _ in 0..if long() { 100_000 } else { 10_000 } {
        let bent = bend(good[random.below(good.len())].clone(), &mut random);
        match server.meet(bent, false) {
            Ok(mut desktop) => {
                met += 1;
                // Reads on until the server has no more to say.
                let end = (0..8).find_map(|_| desktop.capture(&all()).err());
                assert!(
                    end.is_none_or(|e| matches!(
                        e,
                        DesktopError::Lost { .. } | DesktopError::Unusable { .. }
                    ))
                );
            }
            Err(DesktopError::Lost { why } | DesktopError::Unusable { why, .. }) => {
                assert!(why.contains(&server.address), "{why}");
                told += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    let grown = peak().saturating_sub(before) / 1024;
    eprintln!(
        "bent conversations: {met} let us in, {told} did not; {grown} MiB more, {:.1?}",
        began.elapsed()
    );
    assert!(met > 100 && told > 100, "the bending has to reach both sides of the door");
    // One screen of the largest size that is accepted, and some.
    assert!(grown < 400, "{grown} MiB");
}

#[track_caller]
fn told(server: &Hostile, bytes: Vec<u8>) -> String {
    let began = Instant::now();
    let error = match server.meet(bytes, false) {
        Ok(mut desktop) => (0..8).find_map(|_| desktop.capture(&all()).err()).expect("an error"),
        Err(error) => error,
    };
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    error.to_string()
}

#[test]
fn each_attack_has_its_answer() {
    let server = Hostile::start();
    let raw = |w: u16, h: u16| vec![7; usize::from(w) * usize::from(h) * 4];
    let start = [hello(128, 64), update(&[(0, 0, 128, 64, 0, raw(128, 64))])].concat();
    let after = |part: Vec<u8>| [start.clone(), part].concat();
    let bomb = packed(&vec![0; 64 << 20]);
    for (bytes, words) in [
        (hello(60_000, 60_000), "60000x60000"),
        (hello(0, 0), "0x0"),
        (after(update(&[(0, 0, 60_000, 60_000, -223, vec![])])), "60000x60000"),
        (after(update(&[(120, 0, 9, 1, 0, vec![0; 36])])), "a rectangle"),
        (after(update(&[(0, 0, 9, 1, 1, vec![0, 120, 0, 0])])), "a rectangle"),
        (after(update(&[(0, 0, 9, 1, 99, vec![])])), "encoding 99"),
        (after(vec![77]), "type 77"),
        (after(vec![3, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]), "a clipboard of"),
        (after(update(&[(0, 0, 60_000, 60_000, -239, vec![])])), "a pointer of"),
        (after(update(&[(0, 0, 1, 1, 16, sized(bomb.clone()))])), "ZRLE tile of kind 0"),
        (after(update(&[(0, 0, 64, 64, 16, sized(packed(&[1, 1, 1, 1, 1, 1])))])), "beyond its rectangle"),
        (after(update(&[(0, 0, 8, 8, 7, vec![0x90])])), "JPEG"),
        ([b"RFB 003.008\n".to_vec(), vec![0, 0xff, 0xff, 0xff, 0xff]].concat(), "a reason of"),
    ] {
        let said = told(&server, bytes);
        assert!(said.contains(words) || words.starts_with("ZRLE"), "{words:?} is not in {said:?}");
    }
}

#[test]
fn silence_ends() {
    let server = Hostile::start();
    for bytes in [Vec::new(), b"RFB 003".to_vec(), hello(64, 64), [hello(64, 64), vec![0, 0, 0]].concat()] {
        let began = Instant::now();
        let error = server.meet(bytes, true).unwrap_err();
        assert!(matches!(&error, DesktopError::Lost { why } if why.contains("said nothing")), "{error}");
        assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    }
}

#[test]
fn a_server_that_never_stops_talking_is_left() {
    let server = Hostile::start();
    // Updates that change nothing that was asked for, for as long as the call lasts.
    let babble = update(&[(0, 1, 64, 63, 0, vec![1; 64 * 63 * 4])]);
    let bytes = [hello(64, 64), babble.repeat(2000)].concat();
    let error = server.meet(bytes, true).unwrap_err();
    assert!(matches!(error, DesktopError::Lost { .. }), "{error}");
}
