//! What can be set: pages of switches, choices and sliders, with what they are before anybody touches them.

/// A page of the settings.
#[derive(Debug)]
pub struct Page {
    pub key: &'static str,
    /// What it may be called.
    pub names: &'static [&'static str],
    pub groups: &'static [Group],
}

/// Rows in a frame.
#[derive(Debug)]
pub struct Group {
    pub title: &'static str,
    pub rows: &'static [Row],
}

/// One thing that can be set, or is only said.
#[derive(Debug)]
pub enum Row {
    /// `on` or `off`.
    Switch {
        key: &'static str,
        names: &'static [&'static str],
        on: bool,
    },
    /// One of `(value, text)`; the first is the default.
    OneOf {
        key: &'static str,
        title: &'static str,
        options: &'static [(&'static str, &'static str)],
    },
    /// The same, in a list that opens.
    Choice {
        key: &'static str,
        title: &'static str,
        options: &'static [(&'static str, &'static str)],
    },
    Slider {
        key: &'static str,
        title: &'static str,
        from: i32,
        to: i32,
        default: i32,
    },
    /// Says something about this computer.
    Fact {
        key: &'static str,
        title: &'static str,
    },
}

const fn switch(key: &'static str, names: &'static [&'static str], on: bool) -> Row {
    Row::Switch { key, names, on }
}

/// Every page; their order differs by seed, except that the last stays last.
#[rustfmt::skip]
pub const PAGES: &[Page] = &[
    Page { key: "display", names: &["Display", "Screen", "Appearance"], groups: &[
        Group { title: "Theme", rows: &[
            Row::OneOf { key: "theme", title: "Colours", options: &[("light", "Light"), ("dark", "Dark")] },
            Row::Choice { key: "accent", title: "Accent colour", options: &[("Blue", "Blue"), ("Teal", "Teal"), ("Violet", "Violet"), ("Orange", "Orange"), ("Green", "Green"), ("Crimson", "Crimson")] },
        ] },
        Group { title: "Screen", rows: &[
            switch("night light", &["Night light", "Warm colours at night"], false),
            switch("adaptive brightness", &["Adaptive brightness", "Adjust brightness by itself"], true),
            Row::Slider { key: "brightness", title: "Brightness", from: 0, to: 100, default: 80 },
            switch("screen saver", &["Screen saver", "Show a screen saver"], false),
            switch("dim on battery", &["Dim the screen on battery"], true),
        ] },
        Group { title: "Letters", rows: &[
            Row::Slider { key: "font", title: "Size of letters", from: 13, to: 16, default: 14 },
            switch("smooth letters", &["Smooth edges of letters", "Smooth fonts"], true),
        ] },
    ] },
    Page { key: "sound", names: &["Sound", "Audio"], groups: &[
        Group { title: "Output", rows: &[
            Row::Slider { key: "volume", title: "Volume", from: 0, to: 100, default: 60 },
            Row::Choice { key: "output", title: "Output device", options: &[("speakers", "Speakers"), ("headphones", "Headphones"), ("monitor", "Monitor")] },
            switch("mute", &["Mute everything", "Silence all sound"], false),
            switch("mono", &["Mono audio", "Play both channels as one"], false),
        ] },
        Group { title: "Input", rows: &[
            switch("microphone", &["Microphone", "Use the microphone"], true),
            switch("noise filter", &["Noise filter", "Suppress background noise"], false),
        ] },
        Group { title: "System sounds", rows: &[
            switch("start sound", &["Start-up sound", "Play a sound at start"], true),
            switch("key clicks", &["Key clicks", "Click on every key"], false),
            switch("alert sound", &["Alert sound", "Sound on alerts"], true),
        ] },
    ] },
    Page { key: "network", names: &["Network", "Internet", "Connections"], groups: &[
        Group { title: "Wireless", rows: &[
            switch("wifi", &["Wi-Fi", "Wireless network"], true),
            switch("bluetooth", &["Bluetooth"], false),
            switch("airplane mode", &["Airplane mode", "Flight mode"], false),
            switch("hotspot", &["Mobile hotspot", "Share this connection"], false),
        ] },
        Group { title: "Address", rows: &[
            Row::OneOf { key: "address", title: "Network address", options: &[("automatic", "Automatic"), ("manual", "Manual"), ("none", "No network")] },
            switch("proxy", &["Use a proxy server", "Proxy"], false),
            switch("metered", &["Metered connection", "Save data"], false),
        ] },
    ] },
    Page { key: "privacy", names: &["Privacy", "Privacy and security"], groups: &[
        Group { title: "Permissions", rows: &[
            switch("location", &["Location services", "Allow programs to see where I am"], true),
            switch("camera", &["Camera access", "Allow programs to use the camera"], true),
            switch("contacts access", &["Contacts access", "Allow programs to read contacts"], false),
            switch("calendar access", &["Calendar access", "Allow programs to read the calendar"], false),
            switch("background", &["Background programs", "Programs may run in the background"], true),
        ] },
        Group { title: "What is collected", rows: &[
            switch("usage data", &["Send usage data", "Share how I use this computer"], true),
            switch("crash reports", &["Send crash reports", "Report errors by themselves"], true),
            switch("personal ads", &["Personalised ads", "Ads fitted to me"], true),
            switch("typing history", &["Typing history", "Learn from what I type"], false),
            Row::OneOf { key: "diagnostics", title: "Diagnostic data", options: &[("basic", "Basic"), ("full", "Full"), ("off", "None")] },
        ] },
        Group { title: "Security", rows: &[
            switch("firewall", &["Firewall", "Block unwanted connections"], true),
            switch("screen lock", &["Lock when idle", "Lock the screen by itself"], true),
            switch("ask password", &["Ask for a password after sleep", "Password after sleep"], true),
            switch("clear history", &["Clear history on exit", "Forget history at the end"], false),
            switch("safe browsing", &["Safe browsing", "Warn of dangerous pages"], true),
            switch("developer mode", &["Developer mode", "Tools for developers"], false),
        ] },
    ] },
    Page { key: "notices", names: &["Notifications", "Alerts"], groups: &[
        Group { title: "Notifications", rows: &[
            switch("notify", &["Show notifications", "Allow notifications"], true),
            switch("do not disturb", &["Do not disturb", "Quiet hours"], false),
            switch("notify lock", &["Show on the lock screen", "Also while locked"], true),
            switch("notify mail", &["New mail", "Tell about new mail"], true),
            switch("notify calendar", &["Calendar reminders", "Remind of appointments"], true),
            switch("notify updates", &["Updates", "Tell about updates"], false),
            Row::Choice { key: "notify place", title: "Where they appear", options: &[("top right", "Top right"), ("bottom right", "Bottom right"), ("top", "Top middle")] },
        ] },
    ] },
    Page { key: "desktop", names: &["Taskbar and clock", "Desktop", "Taskbar"], groups: &[
        Group { title: "Taskbar", rows: &[
            Row::OneOf { key: "taskbar", title: "Place of the taskbar", options: &[("bottom", "Bottom"), ("top", "Top"), ("left", "Left")] },
            switch("small buttons", &["Small taskbar buttons", "Use small buttons"], false),
        ] },
        Group { title: "Clock", rows: &[
            Row::OneOf { key: "clock", title: "Time", options: &[("24", "24 hours"), ("12", "12 hours")] },
            switch("time zone", &["Set the time zone by itself", "Automatic time zone"], true),
            switch("show seconds", &["Show seconds", "Clock with seconds"], false),
            Row::Choice { key: "first day", title: "Week begins on", options: &[("monday", "Monday"), ("sunday", "Sunday"), ("saturday", "Saturday")] },
        ] },
    ] },
    Page { key: "power", names: &["Power", "Power and battery", "Energy"], groups: &[
        Group { title: "Energy", rows: &[
            Row::OneOf { key: "power mode", title: "Power mode", options: &[("balanced", "Balanced"), ("saver", "Power saver"), ("performance", "Performance")] },
            Row::Choice { key: "sleep after", title: "Sleep after", options: &[("10", "10 minutes"), ("30", "30 minutes"), ("60", "1 hour"), ("never", "Never")] },
            switch("battery percent", &["Show battery percentage", "Percentage in the taskbar"], false),
            switch("wake on lan", &["Wake by network", "Wake on LAN"], false),
            switch("fast start", &["Fast start", "Start faster"], true),
        ] },
    ] },
    Page { key: "about", names: &["About", "System", "About this computer"], groups: &[
        Group { title: "This computer", rows: &[
            Row::Fact { key: "device", title: "Device name" },
            Row::Fact { key: "serial", title: "Serial number" },
            Row::Fact { key: "model", title: "Model" },
            Row::Fact { key: "memory", title: "Memory" },
            Row::Fact { key: "disk", title: "Disk" },
        ] },
        Group { title: "Software", rows: &[
            Row::Fact { key: "system", title: "System" },
            Row::Fact { key: "build", title: "Build" },
        ] },
    ] },
];

impl Row {
    /// What this is as long as nobody has set it; of a fact nothing.
    pub fn default(&self) -> String {
        match self {
            Self::Switch { on, .. } => if *on { "on" } else { "off" }.to_owned(),
            Self::OneOf { options, .. } | Self::Choice { options, .. } => {
                options.first().map_or("", |(value, _)| value).to_owned()
            }
            Self::Slider { default, .. } => default.to_string(),
            Self::Fact { .. } => String::new(),
        }
    }

    pub const fn key(&self) -> &'static str {
        match self {
            Self::Switch { key, .. }
            | Self::OneOf { key, .. }
            | Self::Choice { key, .. }
            | Self::Slider { key, .. }
            | Self::Fact { key, .. } => key,
        }
    }
}

/// Everything that can be set, with its page.
pub fn rows() -> impl Iterator<Item = (&'static Page, &'static Row)> {
    PAGES
        .iter()
        .flat_map(|page| page.groups.iter().flat_map(move |g| g.rows.iter().map(move |row| (page, row))))
}

/// The row of this key.
pub fn row(key: &str) -> Option<&'static Row> {
    rows().map(|(_, row)| row).find(|row| row.key() == key)
}
