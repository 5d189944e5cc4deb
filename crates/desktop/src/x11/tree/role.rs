//! AT-SPI's numbers for roles and states, and what they are in our few words.
//!
//! Numbers that are not here are of later versions or of things that nobody points at: a container, a separator, a scroll bar.

use handsight_base::flow::ui::UiRole;

/// `AtspiStateType`, as bits.
pub(super) mod state {
    pub(in crate::x11::tree) const EDITABLE: u64 = 1 << 7;
    pub(in crate::x11::tree) const FOCUSABLE: u64 = 1 << 11;
    pub(in crate::x11::tree) const SELECTABLE: u64 = 1 << 22;
    pub(in crate::x11::tree) const SENSITIVE: u64 = 1 << 24;
    pub(in crate::x11::tree) const SHOWING: u64 = 1 << 25;
    pub(in crate::x11::tree) const VISIBLE: u64 = 1 << 30;
    pub(in crate::x11::tree) const MANAGES_DESCENDANTS: u64 = 1 << 31;
}

const MENU: u32 = 33;
const POPUP_MENU: u32 = 41;
const SCROLL_PANE: u32 = 49;
const VIEWPORT: u32 = 68;

/// What a thing of this role is to a person; `None` for what nobody points at or reads.
pub(super) const fn of(role: u32, states: u64) -> Option<UiRole> {
    Some(match role {
        // Push button, toggle button, column headers, button with a menu.
        43 | 62 | 10 | 57 | 129 => UiRole::Button,
        // Check box, switch.
        7 | 131 => UiRole::CheckBox,
        44 => UiRole::Radio,
        11 => UiRole::Choice,
        MENU => UiRole::Menu,
        // Item, with a tick, with a dot.
        35 | 8 | 45 => UiRole::MenuItem,
        37 => UiRole::Tab,
        88 => UiRole::Link,
        // List item, table cell, table row, tree item.
        32 | 56 | 90 | 91 => UiRole::ListItem,
        // Slider, dial.
        51 | 15 => UiRole::Slider,
        // Password, spin button, terminal.
        40 | 52 | 60 => UiRole::Field,
        // Text, entry, autocomplete, edit bar: to be written into, or only read.
        61 | 79 | 76 | 77 if states & state::EDITABLE != 0 => UiRole::Field,
        61 | 79 => UiRole::Text,
        13 => UiRole::Icon,
        // Icon, picture: decoration, unless it can be chosen.
        26 | 27 if states & (state::FOCUSABLE | state::SELECTABLE) != 0 => UiRole::Icon,
        // Label, caption, heading, paragraph, static text.
        29 | 81 | 83 | 73 | 116 => UiRole::Text,
        _ => return None,
    })
}

/// What such a thing holds is to be seen within it only.
pub(super) const fn clips(role: u32) -> bool {
    matches!(role, SCROLL_PANE | VIEWPORT)
}

/// What such a thing holds may lie in a window of its own.
pub(super) const fn opens(role: u32) -> bool {
    // A combo box holds the menu that it opens.
    matches!(role, MENU | POPUP_MENU | 11)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_ours_has_a_role_and_containers_have_none() {
        let everything: Vec<UiRole> =
            (0..140).flat_map(|role| [of(role, 0), of(role, u64::MAX)]).flatten().collect();
        for role in UiRole::ALL {
            assert!(everything.contains(&role), "{role:?}");
        }
        assert_eq!(of(61, state::EDITABLE), Some(UiRole::Field));
        assert_eq!(of(61, 0), Some(UiRole::Text), "a text that cannot be changed is read");
        assert_eq!((of(27, 0), of(27, state::SELECTABLE)), (None, Some(UiRole::Icon)));
        for container in [16, 20, 23, 34, 38, 39, 49, 63, 68, 69, 75] {
            assert_eq!(of(container, u64::MAX), None);
        }
    }
}
