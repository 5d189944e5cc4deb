//! A child that inherits one handle and nothing else, and what is passed to it afterwards.
//!
//! The standard library's `Command` lets a child inherit every inheritable handle of the process, this engine's own output
//! among them, and cannot ask a job to let the child go; so the call is made here.

use crate::windows::command_line;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use windows::Win32::Foundation::{
    DUPLICATE_CLOSE_SOURCE, DUPLICATE_SAME_ACCESS, DuplicateHandle, ERROR_ACCESS_DENIED,
    GetHandleInformation, HANDLE, HANDLE_FLAG_INHERIT, HANDLE_FLAGS, SetHandleInformation,
};
use windows::Win32::Storage::FileSystem::{FILE_TYPE_PIPE, GetFileType};
use windows::Win32::System::Console::{GetStdHandle, STD_INPUT_HANDLE};
use windows::Win32::System::Environment::{FreeEnvironmentStringsW, GetEnvironmentStringsW};
use windows::Win32::System::Pipes::CreatePipe;
use windows::Win32::System::SystemInformation::GetSystemDirectoryW;
use windows::Win32::System::Threading::{
    CREATE_BREAKAWAY_FROM_JOB, CREATE_NEW_PROCESS_GROUP, CREATE_UNICODE_ENVIRONMENT, CreateProcessW,
    DETACHED_PROCESS, DeleteProcThreadAttributeList, EXTENDED_STARTUPINFO_PRESENT, GetCurrentProcess,
    InitializeProcThreadAttributeList, LPPROC_THREAD_ATTRIBUTE_LIST, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
    PROCESS_CREATION_FLAGS, PROCESS_INFORMATION, STARTF_USESTDHANDLES, STARTUPINFOEXW, STARTUPINFOW,
    UpdateProcThreadAttribute,
};
use windows::core::{PCWSTR, PWSTR};

/// A process of ours.
#[derive(Debug)]
pub(super) struct Child {
    pub process: OwnedHandle,
    pub pid: u32,
    /// It is in no job of ours.
    pub is_free: bool,
}

/// A pipe, reading end first. Neither end is inherited by anybody.
#[expect(unsafe_code, reason = "a call of the Windows API")]
pub(super) fn pipe() -> io::Result<(OwnedHandle, OwnedHandle)> {
    let (mut read, mut write) = (HANDLE::default(), HANDLE::default());
    // SAFETY: both handles are new, so they are ours alone.
    unsafe {
        CreatePipe(&raw mut read, &raw mut write, None, 1 << 16)?;
        Ok((OwnedHandle::from_raw_handle(read.0), OwnedHandle::from_raw_handle(write.0)))
    }
}

/// Starts a command with this standard input, without a console, in a process group of its own, and outside the job of this
/// process if that may be left. It works in the system's folder, so that it keeps no other from being removed.
pub(super) fn child(command: &[OsString], withheld: &[String], input: OwnedHandle) -> io::Result<Child> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(io::Error::other("no command for the hands"));
    };
    let line = command_line(program, arguments).ok_or(io::ErrorKind::InvalidInput)?;
    let environment = environment(withheld)?;
    let nothing = OwnedHandle::from(OpenOptions::new().read(true).write(true).open("NUL")?);
    for handle in [&input, &nothing] {
        inherit(handle)?;
    }
    let base = CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS | CREATE_UNICODE_ENVIRONMENT;
    let create = |flags| create(&line, &environment, &input, &nothing, flags);
    match create(base | CREATE_BREAKAWAY_FROM_JOB) {
        // The job does not let its processes go.
        Err(why) if why.raw_os_error() == Some(ERROR_ACCESS_DENIED.to_hresult().0) => {
            create(base).map(|(process, pid)| Child { process, pid, is_free: false })
        }
        other => other.map(|(process, pid)| Child { process, pid, is_free: true }),
    }
}

#[expect(unsafe_code, reason = "calls of the Windows API")]
fn create(
    line: &[u16],
    environment: &[u16],
    input: &OwnedHandle,
    nothing: &OwnedHandle,
    flags: PROCESS_CREATION_FLAGS,
) -> io::Result<(OwnedHandle, u32)> {
    let input = HANDLE(input.as_raw_handle());
    let nothing = HANDLE(nothing.as_raw_handle());
    let inherited = [input, nothing];
    // Windows writes into it.
    let mut line = line.to_vec();
    let folder = system_folder();
    let mut made = PROCESS_INFORMATION::default();
    let mut size = 0;
    // SAFETY: the first call only says how much room a list of one attribute takes (and fails, as it is meant to). The list
    // and `inherited` live until after `CreateProcessW`; all strings end with a zero; the handles that come back are new.
    unsafe {
        let _size_only = InitializeProcThreadAttributeList(None, 1, None, &raw mut size);
        let mut room = vec![0usize; size.div_ceil(size_of::<usize>())];
        let list = LPPROC_THREAD_ATTRIBUTE_LIST(room.as_mut_ptr().cast());
        InitializeProcThreadAttributeList(Some(list), 1, None, &raw mut size)?;
        let startup = STARTUPINFOEXW {
            StartupInfo: STARTUPINFOW {
                cb: size_of::<STARTUPINFOEXW>() as u32,
                dwFlags: STARTF_USESTDHANDLES,
                hStdInput: input,
                hStdOutput: nothing,
                hStdError: nothing,
                ..STARTUPINFOW::default()
            },
            lpAttributeList: list,
        };
        let created = UpdateProcThreadAttribute(
            list,
            0,
            PROC_THREAD_ATTRIBUTE_HANDLE_LIST as usize,
            Some(inherited.as_ptr().cast()),
            size_of_val(&inherited),
            None,
            None,
        )
        .and_then(|()| {
            CreateProcessW(
                PCWSTR::null(),
                Some(PWSTR(line.as_mut_ptr())),
                None,
                None,
                true,
                flags | EXTENDED_STARTUPINFO_PRESENT,
                Some(environment.as_ptr().cast()),
                PCWSTR(folder.as_ptr()),
                &raw const startup.StartupInfo,
                &raw mut made,
            )
        });
        DeleteProcThreadAttributeList(list);
        created?;
        drop(OwnedHandle::from_raw_handle(made.hThread.0));
        Ok((OwnedHandle::from_raw_handle(made.hProcess.0), made.dwProcessId))
    }
}

impl Child {
    /// Moves a handle into the child; the number it has there.
    #[expect(unsafe_code, reason = "a call of the Windows API")]
    pub(super) fn give(&self, handle: OwnedHandle) -> io::Result<u64> {
        let mut theirs = HANDLE::default();
        let options = DUPLICATE_SAME_ACCESS | DUPLICATE_CLOSE_SOURCE;
        // SAFETY: the source is closed by the call whatever comes of it, so it is forgotten here.
        let moved = unsafe {
            let process = HANDLE(self.process.as_raw_handle());
            let source = HANDLE(handle.as_raw_handle());
            std::mem::forget(handle);
            DuplicateHandle(GetCurrentProcess(), source, process, &raw mut theirs, 0, false, options)
        };
        moved?;
        Ok(theirs.0 as u64)
    }
}

/// A handle that the engine has put into this process.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn given(number: u64) -> io::Result<OwnedHandle> {
    let handle = HANDLE(number as usize as *mut _);
    let mut flags = 0;
    // SAFETY: a number that is no open handle is refused by the first call; one that is was put here by the engine and is
    // used by nobody else.
    unsafe {
        GetHandleInformation(handle, &raw mut flags)?;
        Ok(OwnedHandle::from_raw_handle(handle.0))
    }
}

/// Standard input, if it is a pipe, as a file of its own that no child inherits.
#[expect(unsafe_code, reason = "calls of the Windows API")]
pub(super) fn standard_input() -> Option<File> {
    // SAFETY: the handle stays open as long as the process; the copy is ours.
    unsafe {
        let handle = GetStdHandle(STD_INPUT_HANDLE).ok()?;
        if handle.is_invalid() || GetFileType(handle) != FILE_TYPE_PIPE {
            return None;
        }
        let _inheritable = SetHandleInformation(handle, HANDLE_FLAG_INHERIT.0, HANDLE_FLAGS(0));
        let borrowed = std::os::windows::io::BorrowedHandle::borrow_raw(handle.0);
        Some(borrowed.try_clone_to_owned().ok()?.into())
    }
}

#[expect(unsafe_code, reason = "a call of the Windows API")]
fn inherit(handle: &OwnedHandle) -> io::Result<()> {
    // SAFETY: the handle is open.
    unsafe {
        SetHandleInformation(HANDLE(handle.as_raw_handle()), HANDLE_FLAG_INHERIT.0, HANDLE_FLAG_INHERIT)?
    };
    Ok(())
}

/// The system's folder, with a zero at its end.
#[expect(unsafe_code, reason = "a call of the Windows API")]
fn system_folder() -> Vec<u16> {
    let mut folder = [0; 512];
    // SAFETY: the length is taken from the slice.
    let length = unsafe { GetSystemDirectoryW(Some(&mut folder)) };
    folder[..(length as usize).min(511)].iter().copied().chain([0]).collect()
}

/// The environment of this process without what is withheld, as Windows takes it: texts that end with a zero, and one more.
#[expect(unsafe_code, reason = "calls of the Windows API")]
fn environment(withheld: &[String]) -> io::Result<Vec<u16>> {
    let mut kept = Vec::new();
    // SAFETY: the block ends with an empty text, is not changed by anybody and is given back.
    unsafe {
        let block = GetEnvironmentStringsW();
        if block.is_null() {
            return Err(io::Error::last_os_error());
        }
        let mut at = PCWSTR(block.0);
        while !at.is_null() && *at.0 != 0 {
            let here = at;
            let entry = here.as_wide();
            at = PCWSTR(here.0.add(entry.len() + 1));
            // "=C:=C:\folder" is how Windows remembers the folder of a drive.
            let end = entry.iter().skip(1).position(|c| *c == u16::from(b'=')).map_or(entry.len(), |n| n + 1);
            let name = OsString::from_wide(&entry[..end]);
            if !withheld.iter().any(|w| name.eq_ignore_ascii_case(w)) {
                kept.extend_from_slice(entry);
                kept.push(0);
            }
        }
        let _freed = FreeEnvironmentStringsW(PCWSTR(block.0));
    }
    kept.push(0);
    if kept.len() == 1 {
        kept.push(0);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn withheld_variables_are_left_out_whatever_their_case() {
        let texts = |withheld: &[&str]| {
            let withheld: Vec<String> = withheld.iter().map(|w| (*w).to_owned()).collect();
            let block = environment(&withheld).unwrap();
            let texts = block.split(|c| *c == 0).filter(|t| !t.is_empty());
            texts.map(String::from_utf16_lossy).collect::<Vec<_>>()
        };
        let has = |texts: &[String]| texts.iter().any(|t| t.to_ascii_lowercase().starts_with("path="));
        assert!(has(&texts(&[])));
        assert!(!has(&texts(&["pAtH"])));
        assert_eq!(texts(&["path"]).len() + 1, texts(&[]).len());
    }
}
