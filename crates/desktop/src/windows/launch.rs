//! Starting programs: argument by argument, without a shell, detached from us.
//!
//! A launched program inherits no handle, so nobody who waits for the end of our output waits for it too; it has a console of
//! its own, so Ctrl-C in ours does not reach it; it leaves our job where that allows it, so it lives on when we end. It gets
//! none of the secrets the app names. A name alone is looked for as the Run dialog does, but never in the current folder. This
//! module refuses to interpret a command line, and batch files, which only a shell can run.

use super::command_line::command_line;
use super::system::{self, why, wide};
use handsight_base::port::desktop::DesktopError;
use std::ffi::c_void;
use windows::Win32::Foundation::{CloseHandle, ERROR_ACCESS_DENIED, ERROR_ELEVATION_REQUIRED};
use windows::Win32::Storage::FileSystem::SearchPathW;
use windows::Win32::System::Environment::{FreeEnvironmentStringsW, GetEnvironmentStringsW};
use windows::Win32::System::Registry::{
    HKEY, HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, RRF_RT_REG_SZ, RegGetValueW,
};
use windows::Win32::System::SystemInformation::{GetSystemDirectoryW, GetWindowsDirectoryW};
use windows::Win32::System::Threading::{
    CREATE_BREAKAWAY_FROM_JOB, CREATE_DEFAULT_ERROR_MODE, CREATE_NEW_CONSOLE, CREATE_UNICODE_ENVIRONMENT,
    CreateProcessW, PROCESS_CREATION_FLAGS, PROCESS_INFORMATION, STARTUPINFOW,
};
use windows::core::{PCWSTR, PWSTR};

/// Longest command line that Windows takes, in UTF-16 units with the zero.
const LONGEST: usize = 32_767;

/// Starts `argv` without the environment variables in `withheld`, and returns its process id.
pub(super) fn launch(argv: &[String], withheld: &[String]) -> Result<u32, DesktopError> {
    let (program, arguments) = argv
        .split_first()
        .filter(|(program, _)| !program.is_empty())
        .ok_or_else(|| DesktopError::Launch { program: String::new(), why: "no program was named".into() })?;
    let failed = |why: String| DesktopError::Launch { program: program.clone(), why };
    let line = command_line(program, arguments).ok_or_else(|| failed("an argument holds a zero".into()))?;
    let environment = Environment::without(withheld);
    let path =
        find(program, environment.get("PATH")).ok_or_else(|| failed("there is no such program".into()))?;
    let batch = [".bat", ".cmd"].iter().any(|end| path.to_lowercase().ends_with(end));
    if batch {
        return Err(failed("a batch file runs in a shell only: name cmd.exe with /c".into()));
    }
    if line.len() > LONGEST {
        return Err(failed(format!("its arguments are longer than {LONGEST} characters")));
    }
    let alone = CREATE_NEW_CONSOLE | CREATE_UNICODE_ENVIRONMENT | CREATE_DEFAULT_ERROR_MODE;
    let started = match create(&path, &line, &environment, alone | CREATE_BREAKAWAY_FROM_JOB) {
        // The job we are in keeps its processes; the program may not be startable either.
        Err(error) if error.code() == ERROR_ACCESS_DENIED.to_hresult() => {
            create(&path, &line, &environment, alone)
        }
        other => other,
    };
    started.map_err(|error| {
        if error.code() == ERROR_ELEVATION_REQUIRED.to_hresult() {
            failed("it runs as Administrator only; a person has to start it".into())
        } else {
            failed(why(&error))
        }
    })
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn create(
    path: &str,
    line: &[u16],
    environment: &Environment,
    flags: PROCESS_CREATION_FLAGS,
) -> windows::core::Result<u32> {
    let (path, mut line) = (wide(path), line.to_vec());
    let startup = STARTUPINFOW { cb: size_of::<STARTUPINFOW>() as u32, ..STARTUPINFOW::default() };
    let mut process = PROCESS_INFORMATION::default();
    // SAFETY: every text ends with a zero and lives until the call has returned; Windows may write to `line`, which is ours.
    // No handle is inherited. The two handles it gives are closed: the program is nobody's child.
    unsafe {
        CreateProcessW(
            PCWSTR(path.as_ptr()),
            Some(PWSTR(line.as_mut_ptr())),
            None,
            None,
            false,
            flags,
            Some(environment.block.as_ptr().cast::<c_void>()),
            None,
            &raw const startup,
            &raw mut process,
        )?;
        let _closed = CloseHandle(process.hThread);
        let _closed = CloseHandle(process.hProcess);
    }
    Ok(process.dwProcessId)
}

/// The file of a program: as it is if it names a folder, else from the system's folders, the folders of PATH, or where its
/// installer registered it.
fn find(program: &str, path: Option<&str>) -> Option<String> {
    if program.contains(['\\', '/', ':']) {
        return search(None, program)
            .or_else(|| std::fs::exists(program).is_ok_and(|is| is).then(|| program.into()));
    }
    let folders: Vec<String> =
        system_folders().into_iter().chain(path.map(str::to_owned)).filter(|f| !f.is_empty()).collect();
    search(Some(&folders.join(";")), program).or_else(|| registered(program))
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn search(folders: Option<&str>, program: &str) -> Option<String> {
    let (folders, program, extension) = (folders.map(wide), wide(program), wide(".exe"));
    let mut found = [0u16; 1024];
    // SAFETY: every text ends with a zero, the buffer says how long it is.
    let length = unsafe {
        SearchPathW(
            folders.as_ref().map_or(PCWSTR::null(), |f| PCWSTR(f.as_ptr())),
            PCWSTR(program.as_ptr()),
            PCWSTR(extension.as_ptr()),
            Some(&mut found),
            None,
        )
    };
    // Zero is not found; more than the buffer holds is a path that no program starts from.
    (1..found.len()).contains(&(length as usize)).then(|| system::text(&found))
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn system_folders() -> Vec<String> {
    let mut folder = [0u16; 512];
    // SAFETY: the buffer says how long it is.
    let system = unsafe { GetSystemDirectoryW(Some(&mut folder)) } as usize;
    let system = system::text(&folder[..system.min(folder.len())]);
    // SAFETY: as above.
    let windows = unsafe { GetWindowsDirectoryW(Some(&mut folder)) } as usize;
    vec![system, system::text(&folder[..windows.min(folder.len())])]
}

/// `App Paths`: where installers say what a bare name such as `winword` means.
fn registered(program: &str) -> Option<String> {
    let name = if program.contains('.') { program.to_owned() } else { format!("{program}.exe") };
    let key = format!(r"Software\Microsoft\Windows\CurrentVersion\App Paths\{name}");
    let value =
        [HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE].into_iter().find_map(|root| default_value(root, &key))?;
    Some(value.trim_matches('"').to_owned())
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn default_value(root: HKEY, key: &str) -> Option<String> {
    let key = wide(key);
    let mut value = [0u16; 1024];
    let mut bytes = size_of_val(&value) as u32;
    let buffer = Some(value.as_mut_ptr().cast::<c_void>());
    // SAFETY: the key ends with a zero; the buffer has as many bytes as is said. Its text is ended with a zero by Windows.
    let read = unsafe {
        RegGetValueW(
            root,
            PCWSTR(key.as_ptr()),
            PCWSTR::null(),
            RRF_RT_REG_SZ,
            None,
            buffer,
            Some(&raw mut bytes),
        )
    };
    read.is_ok().then(|| system::text(&value)).filter(|v| !v.is_empty())
}

/// The environment of this process, less what is withheld, as a new process takes it.
struct Environment {
    /// `NAME=value`, each with a zero at its end, and another at the end of all.
    block: Vec<u16>,
    entries: Vec<String>,
}

impl Environment {
    #[expect(unsafe_code, reason = "calls of the Windows API")]
    fn without(withheld: &[String]) -> Self {
        let mut environment = Self { block: Vec::new(), entries: Vec::new() };
        // SAFETY: Windows gives a copy, texts with a zero each and an empty one at the end, which is walked to that end
        // and then given back.
        unsafe {
            let all = GetEnvironmentStringsW();
            let mut at = all.0;
            while !at.is_null() && *at != 0 {
                let entry = PCWSTR(at);
                environment.add(entry.as_wide(), withheld);
                at = at.add(entry.len() + 1);
            }
            if !all.is_null() {
                let _freed = FreeEnvironmentStringsW(PCWSTR(all.0));
            }
        }
        environment.block.push(0);
        if environment.block.len() == 1 {
            environment.block.push(0);
        }
        environment
    }

    fn add(&mut self, entry: &[u16], withheld: &[String]) {
        let text = String::from_utf16_lossy(entry);
        // The current folder of a drive is kept as `=C:=C:\folder`.
        let name =
            text.char_indices().skip(1).find(|(_, c)| *c == '=').map_or(&*text, |(end, _)| &text[..end]);
        if withheld.iter().any(|w| w.eq_ignore_ascii_case(name)) {
            return;
        }
        self.block.extend_from_slice(entry);
        self.block.push(0);
        self.entries.push(text);
    }

    /// Names are the same in any case.
    fn get(&self, name: &str) -> Option<&str> {
        self.entries.iter().find_map(|entry| {
            let (found, value) = entry.split_once('=')?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_started_is_named() {
        for (argv, said) in [
            (vec![], "no program was named"),
            (vec![String::new()], "no program was named"),
            (vec![r"C:\no\such\program.exe".to_owned()], r"no\\such\\program"),
            (vec!["no-such-program".to_owned()], "there is no such program"),
            (vec!["cmd".to_owned(), "a\0b".to_owned()], "a zero"),
            (vec!["cmd".to_owned(), "x".repeat(LONGEST)], "longer than"),
        ] {
            let error = launch(&argv, &[]).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_bare_name_is_the_systems_program_and_secrets_are_withheld() {
        let found = find("cmd", None).unwrap().to_lowercase();
        assert!(found.ends_with(r"system32\cmd.exe"), "{found}");
        let all = Environment::without(&[]);
        let path = all.get("path").expect("there is a PATH");
        assert!(!path.is_empty());
        let less = Environment::without(&["Path".to_owned()]);
        assert_eq!(less.get("PATH"), None);
        assert_eq!(less.entries.len() + 1, all.entries.len());
        assert_eq!(less.block.last_chunk(), Some(&[0, 0]));
    }
}
