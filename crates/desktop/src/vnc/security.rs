//! Who a VNC server lets in: no security, a password (DES challenge), VeNCrypt over TLS with a certificate.
//!
//! VeNCrypt's `TLS*` types use anonymous keys, which no maintained TLS library of Rust has and which cannot tell who answers;
//! they are refused by name. A certificate is believed if an authority of `desktop.vnc_ca` signed it for this host, if it is
//! itself in that file, or if its SHA-256 is the one written there. This module refuses to send a password over TLS to a
//! server it does not know.

use super::Target;
use super::trouble::{Trouble, quoted};
use super::wire::Wire;
use des::Des;
use des::cipher::{Array, BlockCipherEncrypt, KeyInit};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const NONE: u8 = 1;
const VNC_AUTH: u8 = 2;
const VENCRYPT: u8 = 19;

const PLAIN: u32 = 256;
const TLS: std::ops::RangeInclusive<u32> = 257..=259;
const X509_NONE: u32 = 260;
const X509_VNC: u32 = 261;
const X509_PLAIN: u32 = 262;

/// The longest reason of a refusal that is read.
const REASON: usize = 4096;

/// Whether a connection has to be encrypted (`desktop.vnc_tls`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TlsMode {
    /// If `vnc_ca` says whom to believe, or the server offers nothing else.
    #[default]
    Auto,
    Off,
    Required,
}

const PASSWORD: &str = "Put the password into the variable HANDSIGHT_VNC_PASSWORD (desktop.vnc_password_env names another), \
     or into a file named by desktop.vnc_password_file.";

/// The server's version, and ours in answer: 3.3, 3.7 or 3.8.
pub(crate) fn version(wire: &mut Wire) -> Result<u8, Trouble> {
    let theirs = wire.array::<12>()?;
    let number = |part: &[u8]| std::str::from_utf8(part).ok()?.parse::<u16>().ok();
    let minor = match (&theirs[..4], number(&theirs[4..7]), theirs[7], number(&theirs[8..11]), theirs[11]) {
        (b"RFB ", Some(3), b'.', Some(minor), b'\n') => minor,
        (b"RFB ", Some(4..), b'.', Some(_), b'\n') => 8,
        _ => {
            return Err(Trouble::unusable(
                format!("is none: it began with {:?}", quoted(&theirs)),
                "Check the port; a VNC server usually listens on 5900 + the display's number.",
            ));
        }
    };
    let ours = match minor {
        8.. => 8,
        7 => 7,
        _ => 3,
    };
    wire.send(format!("RFB 003.{ours:03}\n").as_bytes())?;
    Ok(ours)
}

/// Everything from the server's security types to its word that we are in.
pub(crate) fn enter(wire: &mut Wire, version: u8, target: &Target) -> Result<(), Trouble> {
    let chosen = if version == 3 {
        match wire.u32()? {
            0 => return Err(turned_away(wire)?),
            one @ (1 | 2) => choose(&[one as u8], target)?,
            other => return Err(foreign(&[other.min(255) as u8])),
        }
    } else {
        let count = wire.u8()?;
        if count == 0 {
            return Err(turned_away(wire)?);
        }
        let offered = wire.text(count.into(), 255)?;
        let chosen = choose(&offered, target)?;
        wire.send(&[chosen])?;
        chosen
    };
    match chosen {
        NONE => {}
        VNC_AUTH => answer(wire, target)?,
        _ => vencrypt(wire, target)?,
    }
    if chosen == NONE && version < 8 { Ok(()) } else { result(wire, version, target) }
}

fn choose(offered: &[u8], target: &Target) -> Result<u8, Trouble> {
    let has = |kind| offered.contains(&kind);
    let certain = target.tls == TlsMode::Required || (target.tls == TlsMode::Auto && target.ca.is_some());
    if certain {
        if has(VENCRYPT) {
            return Ok(VENCRYPT);
        }
        return Err(Trouble::unusable(
            format!(
                "offers no encryption, which desktop.vnc_tls or desktop.vnc_ca asks for ({})",
                names(offered)
            ),
            "Start it with a certificate (`-SecurityTypes X509Vnc -X509Cert ... -X509Key ...`), or set desktop.vnc_tls=off \
             and use a tunnel (ssh -L).",
        ));
    }
    if has(VNC_AUTH) && target.password.is_some() {
        return Ok(VNC_AUTH);
    }
    if has(NONE) {
        return Ok(NONE);
    }
    // A user's name is what VeNCrypt's Plain asks for; only there is it of use.
    if has(VENCRYPT) && (target.password.is_some() || !has(VNC_AUTH)) {
        return Ok(VENCRYPT);
    }
    if has(VNC_AUTH) {
        return Err(Trouble::unusable("asks for a password, and none is known", PASSWORD));
    }
    Err(foreign(offered))
}

fn foreign(offered: &[u8]) -> Trouble {
    Trouble::unusable(
        format!("offers only ways in that are not spoken here ({})", names(offered)),
        "Let it offer VncAuth, X509Vnc, X509Plain, X509None or None.",
    )
}

fn names(offered: &[u8]) -> String {
    let name = |kind: &u8| match *kind {
        NONE => "None".to_owned(),
        VNC_AUTH => "VncAuth".to_owned(),
        5 | 6 | 129 => "RSA-AES".to_owned(),
        16 => "Tight".to_owned(),
        18 => "anonymous TLS".to_owned(),
        VENCRYPT => "VeNCrypt".to_owned(),
        30 | 33 | 35 | 36 => "Apple".to_owned(),
        other => format!("type {other}"),
    };
    let mut names: Vec<String> = offered.iter().map(name).collect();
    names.dedup();
    names.join(", ")
}

/// The server lets nobody in, and says why.
fn turned_away(wire: &mut Wire) -> Result<Trouble, Trouble> {
    let why = reason(wire)?;
    // What TigerVNC says of an address that tried wrong passwords.
    let blacklisted = why.to_ascii_lowercase().contains("too many");
    let remedy = if blacklisted {
        "Wait until it forgets (it doubles the time with each try), or restart it; then give the right password."
    } else {
        "Look into the server's log."
    };
    Ok(Trouble::unusable(format!("turns us away: {why:?}"), remedy))
}

fn reason(wire: &mut Wire) -> Result<String, Trouble> {
    let length = wire.u32()? as usize;
    if length > 1 << 20 {
        return Err(Trouble::broken(format!("a reason of {length} bytes")));
    }
    Ok(quoted(&wire.text(length, REASON)?))
}

fn result(wire: &mut Wire, version: u8, target: &Target) -> Result<(), Trouble> {
    let code = wire.u32()?;
    if code == 0 {
        return Ok(());
    }
    let said = if version >= 8 { reason(wire).unwrap_or_default() } else { String::new() };
    let said = match &target.password {
        Some(secret) if !secret.is_empty() => said.replace(secret.as_str(), "(hidden)"),
        _ => said,
    };
    let told = if said.is_empty() { String::new() } else { format!(" ({said})") };
    if target.password.is_none() {
        return Err(Trouble::unusable(format!("does not let us in{told}"), PASSWORD));
    }
    Err(Trouble::unusable(
        format!("does not take the password{told}"),
        "Correct the password; a server that got several wrong ones may refuse this machine for a while.",
    ))
}

/// DES over the server's challenge, the password as its key with the bits of each byte mirrored.
fn answer(wire: &mut Wire, target: &Target) -> Result<(), Trouble> {
    let challenge = wire.array::<16>()?;
    let password = target
        .password
        .as_deref()
        .ok_or_else(|| Trouble::unusable("asks for a password, and none is known", PASSWORD))?;
    wire.send(&respond(password.as_bytes(), challenge))
}

fn respond(password: &[u8], challenge: [u8; 16]) -> [u8; 16] {
    let mut key = [0_u8; 8];
    for (bits, byte) in key.iter_mut().zip(password) {
        *bits = byte.reverse_bits();
    }
    let des = Des::new(&Array(key));
    let mut response = challenge;
    for half in response.chunks_exact_mut(8) {
        let mut block = Array([0_u8; 8]);
        block.copy_from_slice(half);
        des.encrypt_block(&mut block);
        half.copy_from_slice(&block);
    }
    response
}

fn vencrypt(wire: &mut Wire, target: &Target) -> Result<(), Trouble> {
    let [major, minor] = wire.array::<2>()?;
    if (major, minor) < (0, 2) {
        return Err(Trouble::unusable(format!("speaks VeNCrypt {major}.{minor}"), "Version 0.2 is needed."));
    }
    wire.send(&[0, 2])?;
    if wire.u8()? != 0 {
        return Err(Trouble::broken("it does not speak the VeNCrypt it offered"));
    }
    let count = wire.u8()?;
    let mut kinds = Vec::with_capacity(count.into());
    for _ in 0..count {
        kinds.push(wire.u32()?);
    }
    let kind = choose_vencrypt(&kinds, target)?;
    wire.send(&kind.to_be_bytes())?;
    if kind != PLAIN {
        if wire.u8()? != 1 {
            return Err(Trouble::unusable(
                "refused to begin the encryption it offered",
                "Look into its log; its certificate or key may be unreadable.",
            ));
        }
        wire.secure(tls(target)?)?;
        wire.shake_hands(|error| distrust(error, target))?;
    }
    match kind {
        X509_NONE => Ok(()),
        X509_VNC => answer(wire, target),
        _ => {
            let (user, password) =
                (target.user.as_deref().unwrap_or_default(), target.password.as_deref().unwrap_or_default());
            let mut message = Vec::new();
            for part in [user, password] {
                message.extend((part.len() as u32).to_be_bytes());
            }
            message.extend(user.as_bytes());
            message.extend(password.as_bytes());
            wire.send(&message)
        }
    }
}

fn choose_vencrypt(kinds: &[u32], target: &Target) -> Result<u32, Trouble> {
    let has = |kind| kinds.contains(&kind);
    let (user, password) = (target.user.is_some(), target.password.is_some());
    let secure = target.tls != TlsMode::Off;
    // In the order of how much they prove.
    for (kind, fits) in [
        (X509_PLAIN, secure && user && password),
        (X509_VNC, secure && password),
        (X509_NONE, secure),
        (PLAIN, target.tls == TlsMode::Off && user && password),
    ] {
        if fits && has(kind) {
            return Ok(kind);
        }
    }
    if secure && has(X509_VNC) {
        return Err(Trouble::unusable("asks for a password, and none is known", PASSWORD));
    }
    if has(X509_PLAIN) || has(PLAIN) {
        return Err(Trouble::unusable(
            "asks for a user's name and a password",
            "Set desktop.vnc_user, and the password in HANDSIGHT_VNC_PASSWORD or desktop.vnc_password_file; without \
             encryption only with desktop.vnc_tls=off.",
        ));
    }
    if kinds.iter().any(|kind| TLS.contains(kind)) {
        return Err(Trouble::unusable(
            "offers TLS with anonymous keys only (TLSNone, TLSVnc, TLSPlain), which do not tell who answers and are not \
             spoken here",
            "Start it with a certificate (`-SecurityTypes X509Vnc -X509Cert ... -X509Key ...`), or let it offer VncAuth and \
             use a tunnel (ssh -L).",
        ));
    }
    Err(Trouble::unusable(
        format!("offers only kinds of VeNCrypt that are not spoken here ({kinds:?})"),
        "Let it offer X509Vnc, X509Plain, X509None or VncAuth.",
    ))
}

fn tls(target: &Target) -> Result<ClientConnection, Trouble> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let trust = Trust::read(target, &provider)?;
    let broken = |why: rustls::Error| Trouble::broken(format!("no TLS can be begun: {why}"));
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(broken)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(trust))
        .with_no_client_auth();
    let name = ServerName::try_from(target.address.host.clone())
        .map_err(|_| Trouble::unusable("has a name no certificate can have", "Use a plain host name."))?;
    ClientConnection::new(Arc::new(config), name).map_err(broken)
}

fn distrust(error: &rustls::Error, target: &Target) -> Trouble {
    let remedy = if target.ca.is_some() {
        "Check desktop.vnc_ca: it has to be the file of the authority or of the certificate itself (PEM), or its fingerprint as \
         sha256:HEX."
    } else {
        "If this is the right server, set desktop.vnc_ca to the certificate's file (PEM) or to its fingerprint as above."
    };
    Trouble::unusable(format!("shows a certificate that is not believed ({error})"), remedy)
}

/// Which certificates are believed.
#[derive(Debug)]
struct Trust {
    /// SHA-256 of certificates that are believed whoever signed them.
    pins: Vec<Vec<u8>>,
    authorities: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl Trust {
    fn read(target: &Target, provider: &Arc<CryptoProvider>) -> Result<Self, Trouble> {
        let mut trust = Self { pins: Vec::new(), authorities: None, provider: Arc::clone(provider) };
        let Some(ca) = &target.ca else { return Ok(trust) };
        let unread = |why: String| {
            Trouble::unusable(
                format!("cannot be checked: desktop.vnc_ca {why}"),
                "Name a PEM file with certificates, or write sha256: and 64 hexadecimal digits.",
            )
        };
        if let Some(digits) = ca.strip_prefix("sha256:") {
            let pin = fingerprint_from(digits).ok_or_else(|| unread("is no fingerprint".to_owned()))?;
            trust.pins.push(pin);
            return Ok(trust);
        }
        let mut roots = RootCertStore::empty();
        let certificates = CertificateDer::pem_file_iter(ca)
            .map_err(|why| unread(format!("{ca:?} is not read: {why:?}")))?;
        for certificate in certificates {
            let certificate =
                certificate.map_err(|why| unread(format!("{ca:?} has something else in it: {why:?}")))?;
            trust.pins.push(sha256(&certificate));
            // One that is no authority can still be the server's own.
            let _not_an_authority = roots.add(certificate);
        }
        if trust.pins.is_empty() {
            return Err(unread(format!("{ca:?} has no certificate in it")));
        }
        if !roots.is_empty() {
            let built =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build();
            trust.authorities = built.ok();
        }
        Ok(trust)
    }
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let fingerprint = sha256(end_entity);
        if self.pins.contains(&fingerprint) {
            return Ok(ServerCertVerified::assertion());
        }
        match &self.authorities {
            Some(authorities) => {
                authorities.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
            }
            None => {
                let digits: String = fingerprint.iter().map(|b| format!("{b:02x}")).collect();
                Err(rustls::Error::General(format!("its fingerprint is sha256:{digits}")))
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// By the hash that TLS itself uses: no further crate for it.
fn sha256(bytes: &[u8]) -> Vec<u8> {
    let suite = rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
    suite.tls13().map_or_else(Vec::new, |s| s.common.hash_provider.hash(bytes).as_ref().to_vec())
}

fn fingerprint_from(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits.bytes().filter(|b| *b != b':').collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    (digits.len() == 64).then(|| digits.chunks_exact(2).map(byte).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_answered_as_every_server_expects() {
        // What OpenSSL makes of it: `openssl enc -des-ecb -K <mirrored password>`.
        let challenge: [u8; 16] = std::array::from_fn(|i| i as u8);
        let response = respond(b"secret", challenge);
        assert_ne!(response, challenge);
        assert_eq!(
            respond(b"password", challenge),
            respond(b"password and more", challenge),
            "eight bytes count"
        );
        assert_ne!(respond(b"", challenge), response);
    }

    #[test]
    fn the_best_way_in_is_chosen() {
        let mut target = Target::new("vm".parse().unwrap());
        assert_eq!(choose(&[NONE, VNC_AUTH], &target), Ok(NONE));
        assert!(matches!(choose(&[VNC_AUTH], &target), Err(Trouble::Unusable { .. })));
        assert!(matches!(choose(&[30, 16], &target), Err(Trouble::Unusable { .. })));
        target.password = Some("p".to_owned());
        assert_eq!(choose(&[NONE, VNC_AUTH, VENCRYPT], &target), Ok(VNC_AUTH));
        assert_eq!(choose(&[VENCRYPT], &target), Ok(VENCRYPT));
        target.tls = TlsMode::Required;
        assert_eq!(choose(&[VNC_AUTH, VENCRYPT], &target), Ok(VENCRYPT));
        assert!(choose(&[VNC_AUTH], &target).is_err());
        assert_eq!(choose_vencrypt(&[X509_NONE, X509_VNC], &target), Ok(X509_VNC));
        assert_eq!(choose_vencrypt(&[X509_NONE, 258], &target), Ok(X509_NONE));
        let Err(Trouble::Unusable { why, .. }) = choose_vencrypt(&[257, 258], &target) else { panic!() };
        assert!(why.contains("anonymous"), "{why}");
    }

    #[test]
    fn a_fingerprint_reads_with_and_without_colons() {
        let of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(fingerprint_from(of_nothing), Some(sha256(b"")));
        let pairs: Vec<&str> = (0..32).map(|i| &of_nothing[2 * i..2 * i + 2]).collect();
        assert_eq!(fingerprint_from(&pairs.join(":")), Some(sha256(b"")));
        assert_eq!(fingerprint_from("e3b0"), None);
        assert_eq!(fingerprint_from(&"xy".repeat(32)), None);
    }
}
