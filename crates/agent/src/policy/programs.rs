//! Programs by what they do with their arguments, and how the name of one is read.
//!
//! The lists hold what is known to run or open what it is told to. They cannot be whole: what bounds a run is the list of the programs
//! that it may start.

/// A program as an argument vector names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    /// As it was written.
    pub(super) whole: String,
    /// The last part of it.
    pub(super) file: String,
    /// That in lower case, without an ending of Windows and without a version: `/usr/bin/python3.11` is `python`.
    pub(super) stem: String,
    pub(super) is_path: bool,
    /// Written as on Windows, where case says nothing.
    pub(super) windows: bool,
}

/// Endings that Windows runs.
const ENDINGS: [&str; 4] = [".exe", ".com", ".bat", ".cmd"];

impl Program {
    /// `Err` says what is odd about it. A name that two readers understand as two programs is none.
    pub(super) fn read(word: &str) -> Result<Self, &'static str> {
        let lower = word.to_lowercase();
        let bytes = word.as_bytes();
        let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.get(1) == Some(&b':')
            && matches!(bytes.get(2), Some(b'\\' | b'/'));
        let rest = if drive { word.get(2..).unwrap_or_default() } else { word };
        if word.trim().is_empty() {
            return Err("no program is named");
        }
        if word.starts_with('-') {
            return Err("it begins with a dash");
        }
        if word.chars().any(char::is_control) {
            return Err("it holds a control character");
        }
        if word.contains(['"', '%', '*', '?', '<', '>', '|']) {
            return Err("it holds a character that shells and the Run dialog read for themselves");
        }
        if rest.contains(':') {
            return Err("it holds a colon");
        }
        if word.starts_with("\\\\") || word.starts_with("//") {
            return Err("it names another machine or a device");
        }
        if word.split(['/', '\\']).any(|part| part == "..") {
            return Err("it goes up with `..`");
        }
        let file = word.rsplit(['/', '\\']).next().unwrap_or(word).to_owned();
        if file.ends_with(['.', ' ']) || file.starts_with(' ') {
            return Err("it begins or ends with a blank or a dot, which Windows passes over");
        }
        let name = file.to_lowercase();
        let ending = ENDINGS.iter().find_map(|e| name.strip_suffix(e));
        let versionless = ending.unwrap_or(&name).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let stem = versionless.trim_end_matches(['-', '_']).to_owned();
        Ok(Self {
            whole: word.to_owned(),
            windows: drive || word.contains('\\') || ENDINGS.iter().any(|e| lower.ends_with(e)),
            is_path: word.contains(['/', '\\']),
            stem: if stem.is_empty() { name } else { stem },
            file,
        })
    }

    /// True if its arguments are, or hold, what is run: it is started bare or by its whole command.
    pub(super) fn runs_arguments(&self) -> bool {
        among(RUNS_ARGUMENTS).any(|stem| stem == self.stem)
    }

    /// True if its arguments are places that are opened: addresses and files.
    pub(super) fn opens(&self) -> bool {
        among(OPENERS).any(|stem| stem == self.stem)
    }

    /// True if a folder holds it that only an administrator writes to.
    pub(super) fn is_of_the_system(&self) -> bool {
        if !self.is_path {
            return false;
        }
        let whole = self.whole.replace('\\', "/");
        let folder = whole.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.split('/').skip(1).any(|part| part.is_empty() || part == ".") {
            return false;
        }
        if !self.windows {
            return SYSTEM.contains(&folder);
        }
        let folder = folder.to_lowercase();
        let below =
            |root: &str| folder == root || folder.strip_prefix(root).is_some_and(|r| r.starts_with('/'));
        ["c:/windows", "c:/windows/system32"].contains(&folder.as_str())
            || below("c:/program files")
            || below("c:/program files (x86)")
    }
}

const SYSTEM: &[&str] =
    &["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/games", "/usr/local/games"];

/// Shells, interpreters, terminals, script hosts, and whatever starts another program: stems, with blanks between.
const RUNS_ARGUMENTS: &[&str] = &[
    // Shells.
    "sh bash rbash dash ash zsh ksh mksh fish csh tcsh busybox toybox sash nu xonsh elvish bash-static zsh-static",
    "cmd command powershell powershell_ise pwsh",
    // Interpreters, and tools with a language of their own.
    "python pythonw py pyw pypy ipython uv uvx pipx pip perl ruby irb gem node nodejs deno bun npx npm php lua luajit tclsh",
    "wish expect awk gawk mawk nawk sed rscript r julia guile ghci runghc java javaw jshell scala groovy dotnet csi fsi",
    "mono osascript gjs qml octave bc dc m sqlite make gmake nmake cmake cargo go gcc cc tcc gdb lldb",
    "vim vi nvim ex view emacs ed man less more most git tar zip",
    // Terminals.
    "xterm uxterm urxvt rxvt st gnome-terminal kgx konsole xfce4-terminal mate-terminal lxterminal qterminal terminator tilix",
    "alacritty kitty foot footclient wezterm ghostty x-terminal-emulator i3-sensible-terminal xdg-terminal-exec wt mintty",
    "conhost tmux screen zellij script",
    // What starts another program.
    "env nohup setsid setarch linux nice ionice chrt taskset timeout stdbuf unbuffer time xargs parallel find fd watch entr",
    "sudo su doas run pkexec gksu gksudo kdesu runuser setpriv chroot unshare nsenter capsh runcon sg newgrp cpulimit rlwrap",
    "bwrap firejail proot fakeroot ld ld.so ld-linux.so ld-linux-x86-64.so at batch crontab start-stop-daemon daemonize",
    "systemd-run systemctl service loginctl machinectl dbus-send dbus-run-session dbus-launch gdbus busctl",
    "flatpak flatpak-spawn snap toolbox distrobox docker podman nerdctl lxc qemu wine wineconsole box",
    "strace ltrace valgrind perf socat nc ncat netcat ssh sshpass ssh-agent gpg-agent scp sftp rsync telnet mosh",
    "rpm dpkg apt apt-get dnf yum pacman gtk-launch dex kioclient exo-open rofi dmenu dmenu_run wmctrl xdotool ydotool",
    "xinit startx xvfb-run",
    // The same on Windows, and what its own tools run.
    "start call runas rundll regsvr regasm regsvcs installutil msbuild mshta wscript cscript msiexec forfiles pcalua",
    "schtasks wmic psexec winrm winrs reg regedit certutil bitsadmin control cmstp hh ieexec infdefaultinstall mavinject",
    "mmc msdt odbcconf presentationhost scriptrunner syncappvpublishingserver verclsid wsl wslg bginfo cdb dnx tracker wab",
    "xwizard diskshadow esentutl extexport gpscript msconfig msdeploy netsh sc net taskkill shutdown winget choco",
];

/// Browsers, downloaders and whatever opens what it is given: stems.
const OPENERS: &[&str] = &[
    "xdg-open gio gvfs-open gnome-open kde-open kfmclient open see run-mailcap mimeopen explorer",
    "sensible-browser x-www-browser www-browser firefox firefox-esr firefox-bin librewolf waterfox tor-browser",
    "chromium chromium-browser chrome google-chrome google-chrome-stable msedge microsoft-edge microsoft-edge-stable",
    "brave brave-browser vivaldi vivaldi-stable opera epiphany falkon midori qutebrowser konqueror surf luakit dillo",
    "netsurf iexplore w3m lynx links elinks curl wget aria2c yt-dlp youtube-dl thunderbird outlook",
];

/// Why a file is not to be opened: what opens it runs it, or goes where it says.
pub(super) fn runs_when_opened(file: &str) -> Option<String> {
    let lower = file.trim_end_matches(['.', ' ']).to_lowercase();
    if lower.starts_with("file:") {
        return Some("give the path of a file, not its address".to_owned());
    }
    // `good.com` and what stands behind a host are no files.
    let address = lower.starts_with("http:") || lower.starts_with("https:");
    let runs = |end: &&str| {
        let ends = lower.strip_suffix(end).is_some_and(|file| file.ends_with('.'));
        ends && (*end != "com" || is_path(file))
    };
    let end = among(RUNNING).find(runs).filter(|_| !address)?;
    Some(format!("opening a .{end} file may run what is in it"))
}

/// Whether an argument is a place among files, and not the name of a host.
pub(super) fn is_path(word: &str) -> bool {
    word.as_bytes().get(1) == Some(&b':') || word.starts_with(['/', '.', '~', '\\'])
}

/// Endings of files that what opens them runs, or that name another place to open.
const RUNNING: &[&str] = &[
    "desktop sh bash py pl rb run bin appimage flatpakref snap deb rpm jar jnlp",
    "exe com bat cmd ps1 psm1 ps1xml vbs vbe js jse wsf wsh hta scr pif cpl msi msp msc reg inf chm scf application gadget",
    "xbap lnk url webloc library-ms search-ms settingcontent-ms",
];

fn among(lists: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    lists.iter().flat_map(|list| list.split(' '))
}
