//! The `tesseract` program: pages in as one TIFF on its stdin, TSV out of its stdout.
//!
//! No file is written. The process has one thread, gets no secrets, and is gone when nobody waits for it any more.

use super::tsv::{self, Found};
use super::{Engine, OcrError, Settings, missing};
use handsight_base::space::Size;
use handsight_pixel::legible::{Gray8, tiff};
use std::io::ErrorKind;
use std::process::{Output, Stdio};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

const NAME: &str = Engine::Tesseract.name();
/// What is read of an answer: a page of a thousand words takes 60 KB.
const MOST_OUT: u64 = 16 << 20;
const MOST_SAID: u64 = 8 << 10;

/// What is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    pub version: String,
    pub languages: Vec<String>,
}

fn command(settings: &Settings) -> Command {
    let mut command = Command::new(&settings.program);
    settings.withheld.iter().for_each(|name| {
        command.env_remove(name);
    });
    command.env("OMP_THREAD_LIMIT", "1").kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Version and languages of the program that would be run.
pub(super) async fn about(settings: &Settings) -> Result<About, OcrError> {
    let mut version = command(settings);
    version.arg("--version");
    let said = run(version, Vec::new()).await?;
    let first = String::from_utf8_lossy(&said.stdout);
    let version = first.lines().next().and_then(|line| line.strip_prefix("tesseract "));
    let malformed = |why: &str| OcrError::Malformed { engine: NAME, why: why.into() };
    let version = version.ok_or_else(|| malformed("it does not tell its version"))?.trim().to_owned();
    let mut list = command(settings);
    list.arg("--list-langs");
    let said = run(list, Vec::new()).await?;
    let text = String::from_utf8_lossy(&said.stdout);
    // The first line is a heading; what only finds the script's direction reads nothing.
    let languages = text.lines().skip(1).map(str::trim).filter(|l| !l.is_empty() && *l != "osd");
    Ok(About { version, languages: languages.map(str::to_owned).collect() })
}

/// The words of each page.
pub(super) async fn read(settings: &Settings, pages: &[&Gray8]) -> Result<Vec<Vec<Found>>, OcrError> {
    let sizes: Vec<Size> = pages.iter().map(|page| page.size()).collect();
    let malformed = |why: String| OcrError::Malformed { engine: NAME, why };
    let input = tiff(pages).ok_or_else(|| malformed("the pages are too large for one file".into()))?;
    let mut command = command(settings);
    command.args(["stdin", "stdout", "-l", &settings.language]);
    // A page is one line of text. Its resolution is told, so that none is guessed: 70 dots an inch on the screen.
    command.args(["--psm", "7", "--dpi", &(70 * settings.scale).to_string(), "tsv"]);
    let output = run(command, input).await?;
    if !output.status.success() {
        return Err(failed(settings, &output));
    }
    let text = String::from_utf8(output.stdout).map_err(|_| malformed("not UTF-8".into()))?;
    tsv::read(&text, &sizes).map_err(malformed)
}

fn failed(settings: &Settings, output: &Output) -> OcrError {
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("Failed loading language") || said.contains("Error opening data file") {
        let packages: Vec<String> = settings
            .language
            .split('+')
            .map(|language| format!("tesseract-ocr-{}", language.replace('_', "-")))
            .collect();
        let remedy = format!("apt-get install {}, or name another", packages.join(" "));
        return OcrError::Language { engine: NAME, language: settings.language.clone(), remedy };
    }
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it says nothing");
    let why = format!("{}; {}", output.status, last.chars().take(200).collect::<String>());
    OcrError::Failed { engine: NAME, why }
}

async fn run(mut command: Command, input: Vec<u8>) -> Result<Output, OcrError> {
    let failed = |why: std::io::Error| match why.kind() {
        ErrorKind::NotFound => missing(Engine::Tesseract),
        _ => OcrError::Failed { engine: NAME, why: why.to_string() },
    };
    let mut child = command.spawn().map_err(failed)?;
    let (mut stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin.take() {
            // Who ends early is told by the exit code.
            let _closed = stdin.write_all(&input).await;
        }
    };
    let ((), stdout, stderr) = tokio::join!(write, taken(stdout, MOST_OUT), taken(stderr, MOST_SAID));
    let status = child.wait().await.map_err(failed)?;
    Ok(Output { status, stdout: stdout.map_err(failed)?, stderr: stderr.map_err(failed)? })
}

/// All that comes, and what is kept of it: more is read and dropped, so that nobody waits for a full pipe.
async fn taken(from: Option<impl AsyncRead + Unpin>, most: u64) -> std::io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    if let Some(mut from) = from {
        (&mut from).take(most).read_to_end(&mut kept).await?;
        tokio::io::copy(&mut from, &mut tokio::io::sink()).await?;
    }
    Ok(kept)
}
