//! Where Rust's standard library for Windows comes from: the toolchain that is in use, or Debian's sources of it.
//!
//! rustup brings it compiled. Where rustup is not, or its server is out of reach, Debian's `rustc-web`, `cargo-web` and
//! `rust-web-src` compile it along with the program; that takes a minute longer.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use super::{GCC, TRIPLE};

const DEBIAN: [&str; 3] =
    ["/usr/bin/cargo", "/usr/bin/rustc", "/usr/lib/rustlib/src/rust/library/std/Cargo.toml"];
/// A download that hangs must not hang the run.
const DOWNLOAD_LIMIT_S: &str = "300";

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Std {
    /// The toolchain in use has it.
    Toolchain,
    /// Debian's compiler builds it from Debian's sources.
    Debian,
}

impl Std {
    /// What is there already.
    pub(crate) fn find() -> Option<Self> {
        let debian = DEBIAN.iter().all(|file| Path::new(file).is_file());
        if toolchain_has_it() { Some(Self::Toolchain) } else { debian.then_some(Self::Debian) }
    }

    /// What is there, or what rustup can bring: asked twice, because a download may fail.
    pub(crate) fn find_or_add() -> Result<Self> {
        for _ in 0..2 {
            if toolchain_has_it() || !super::has("rustup") {
                break;
            }
            let mut add = Command::new("timeout");
            add.args(["--kill-after=10", DOWNLOAD_LIMIT_S, "rustup", "target", "add", TRIPLE]);
            let _asked_again = add.stdin(Stdio::null()).status();
        }
        match Self::find() {
            Some(std) => Ok(std),
            None => bail!("no std for {TRIPLE}: {}", Self::remedy()),
        }
    }

    pub(crate) fn remedy() -> String {
        format!("rustup target add {TRIPLE}, or apt-get install rustc-web cargo-web rust-web-src")
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Toolchain => "the toolchain's",
            Self::Debian => "built from Debian's sources",
        }
    }

    /// A cargo that can build for Windows.
    pub(crate) fn cargo(self) -> Command {
        let mut cargo = Command::new(match self {
            Self::Toolchain => "cargo",
            Self::Debian => "/usr/bin/cargo",
        });
        if self == Self::Debian {
            // cargo run told us about the other toolchain.
            cargo.env_remove("CARGO").env_remove("LD_LIBRARY_PATH");
        }
        cargo.envs(self.env()).stdin(Stdio::null());
        cargo
    }

    /// The environment of that cargo.
    pub(crate) fn env(self) -> Vec<(OsString, OsString)> {
        let mut env = vec![("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", GCC)];
        if self == Self::Debian {
            env.push(("RUSTC", "/usr/bin/rustc"));
            // A released compiler builds std only if it is told to.
            env.push(("RUSTC_BOOTSTRAP", "1"));
            env.push(("CARGO_UNSTABLE_BUILD_STD", "std panic_unwind"));
        }
        env.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
    }
}

fn toolchain_has_it() -> bool {
    let asked = Command::new("rustc").args(["--print", "target-libdir", "--target", TRIPLE]).output();
    let Ok(output) = asked else { return false };
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let Ok(files) = std::fs::read_dir(folder) else { return false };
    files.filter_map(Result::ok).any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}
