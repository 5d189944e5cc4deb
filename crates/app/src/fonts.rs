//! Fonts of this machine: the one a profile names, and those for what the built-in one cannot draw, since a HUD must show
//! Chinese, if that is what the model writes.
//!
//! Nothing is read until something is to be drawn, since these files are large. Where the named font is missing the built-in one
//! stands in; what no font has is drawn as a box, and `doctor` says both.

mod named;

use crate::environment::Environment;
use handsight_agent::{FontFile, FontSource, Fonts};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use named::Found;

/// What a fallback is for, the files that do it in the order of preference, and the package to name if it is missed.
pub(crate) struct Script {
    pub(crate) name: &'static str,
    pub(crate) sample: char,
    files: &'static [&'static str],
    pub(crate) package: &'static str,
}

/// Asked in this order. File names as distributions and Windows have them, in lower case.
pub(crate) const SCRIPTS: &[Script] = &[
    Script {
        name: "Chinese, Japanese and Korean",
        sample: '漢',
        files: &[
            "notosanscjk-regular.ttc",
            "notosanscjksc-regular.otf",
            "sourcehansans-regular.ttc",
            "droidsansfallbackfull.ttf",
            "droidsansfallback.ttf",
            "wqy-microhei.ttc",
            "wqy-zenhei.ttc",
            "uming.ttc",
            "msyh.ttc",
            "msgothic.ttc",
            "simsun.ttc",
        ],
        package: "fonts-noto-cjk",
    },
    Script {
        name: "emoji and symbols",
        sample: '😀',
        files: &["notoemoji-regular.ttf", "symbola.ttf", "symbola_hint.ttf", "seguiemj.ttf", "seguisym.ttf"],
        package: "fonts-symbola",
    },
    Script {
        name: "everything else",
        sample: 'ሀ',
        files: &["unifont.otf", "unifont.ttf", "freesans.ttf", "freesans.otf", "segoeui.ttf"],
        package: "",
    },
];

/// No font file is larger than this; whatever is, is none.
const MAX_BYTES: u64 = 64 << 20;
/// How many entries the search looks at before it gives up.
const MAX_ENTRIES: usize = 20_000;

/// Where fonts lie on this machine.
pub(crate) fn folders(environment: &Environment) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = if cfg!(windows) {
        vec![PathBuf::from(environment.get("SystemRoot").unwrap_or(r"C:\Windows")).join("Fonts")]
    } else {
        vec!["/usr/share/fonts".into(), "/usr/local/share/fonts".into()]
    };
    folders.extend(environment.font_dir());
    folders
}

/// The best file for each script, where there is one.
pub(crate) fn find(folders: &[PathBuf]) -> Vec<(&'static Script, Option<PathBuf>)> {
    let there = font_files(folders);
    let best = |script: &Script| {
        script
            .files
            .iter()
            .find_map(|wanted| there.iter().find(|(name, _)| name == wanted).map(|(_, path)| path.clone()))
    };
    SCRIPTS.iter().map(|script| (script, best(script))).collect()
}

/// The file that is `family` in the weight nearest to `weight`, by what the files say of themselves.
pub(crate) fn find_named(folders: &[PathBuf], family: &str, weight: u32) -> Option<Found> {
    let there = font_files(folders);
    named::find(there.iter().map(|(_, path)| path.as_path()), family, weight)
}

/// What the HUD asks.
pub(crate) fn source(environment: &Environment) -> FontSource {
    Box::new(Machine { folders: folders(environment) })
}

struct Machine {
    folders: Vec<PathBuf>,
}

impl Fonts for Machine {
    fn named(&self, family: &str, weight: u32) -> Option<FontFile> {
        let found = find_named(&self.folders, family, weight)?;
        read(&found.path, found.index)
    }

    fn fallbacks(&self) -> Vec<FontFile> {
        find(&self.folders).iter().filter_map(|(_, path)| read(path.as_deref()?, 0)).collect()
    }
}

fn read(path: &Path, index: u32) -> Option<FontFile> {
    match fs::read(path) {
        Ok(bytes) => Some(FontFile { from: path.display().to_string(), bytes, index }),
        Err(error) => {
            tracing::warn!("the font {} cannot be read: {error}", path.display());
            None
        }
    }
}

/// Name in lower case and path of every font file, in a stable order.
fn font_files(folders: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut left = MAX_ENTRIES;
    let mut queue: Vec<(PathBuf, u32)> = folders.iter().rev().map(|f| (f.clone(), 0)).collect();
    while let Some((folder, depth)) = queue.pop() {
        let mut entries: Vec<_> =
            fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok).take(left).collect();
        left -= entries.len();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name().to_string_lossy().to_lowercase();
            if kind.is_dir() && depth < 6 {
                queue.push((entry.path(), depth + 1));
            } else if !kind.is_dir() && is_font(&name) && small_enough(&entry.path()) {
                found.push((name, entry.path()));
            }
        }
    }
    found
}

fn is_font(name: &str) -> bool {
    [".ttf", ".otf", ".ttc"].iter().any(|end| name.ends_with(end))
}

fn small_enough(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() <= MAX_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_file_of_each_script_is_found_and_read_only_when_asked() {
        let home = tempfile::tempdir().unwrap();
        let deep = home.path().join("fonts/truetype/x");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("wqy-zenhei.ttc"), b"second").unwrap();
        fs::write(deep.join("NotoSansCJK-Regular.ttc"), b"first").unwrap();
        fs::write(deep.join("readme.txt"), b"no font").unwrap();
        let found = find(&[home.path().join("fonts")]);
        let names: Vec<Option<String>> = found
            .iter()
            .map(|(_, p)| p.as_ref().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()))
            .collect();
        assert_eq!(names, [Some("NotoSansCJK-Regular.ttc".to_owned()), None, None]);
        assert_eq!(read(found[0].1.as_deref().unwrap(), 0).unwrap().bytes, b"first");
        assert!(find(&[home.path().join("nothing")]).iter().all(|(_, p)| p.is_none()));
    }

    // spec: S-54 UNIT
    #[test]
    fn the_named_font_is_read_from_the_folders_of_the_machine() {
        let home = tempfile::tempdir().unwrap();
        let fonts = home.path().join("fonts");
        fs::create_dir_all(fonts.join("deep")).unwrap();
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pixel/fonts");
        // The names of the files say nothing.
        fs::copy(shipped.join("DejaVuSans.ttf"), fonts.join("one.ttf")).unwrap();
        fs::copy(shipped.join("DejaVuSans-Bold.ttf"), fonts.join("deep/two.ttf")).unwrap();
        let machine = Machine { folders: vec![fonts.clone()] };
        for (weight, file) in [(400, "one.ttf"), (700, "deep/two.ttf")] {
            let font = machine.named("DejaVu Sans", weight).unwrap();
            assert_eq!((Path::new(&font.from), font.index), (&*fonts.join(file), 0));
            assert_eq!(font.bytes, fs::read(fonts.join(file)).unwrap());
        }
        assert_eq!(machine.named("Segoe UI", 400), None);
    }

    #[test]
    fn every_script_has_files_in_lower_case() {
        for script in SCRIPTS {
            assert!(!script.files.is_empty(), "{}", script.name);
            assert!(script.files.iter().all(|f| is_font(f) && *f == f.to_lowercase()), "{}", script.name);
        }
    }
}
