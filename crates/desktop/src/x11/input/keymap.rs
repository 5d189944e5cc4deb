//! Which key types what, by the keyboard layout the server has at this moment.
//!
//! XKB's view: a key has up to four groups (layouts), each with a type that says which modifiers choose which level. A
//! table of this crate's own is filled from it once per change, and looked up for each character. Dead keys need no rule
//! of their own: their symbols are not the characters they start, so those are not found and a keycode is borrowed.
//!
//! It asks nothing of the server and sends nothing.

use crate::hands::injector::Stroke;
use std::collections::{HashMap, HashSet};
use x11rb::protocol::xkb::GetMapReply;
use x11rb::protocol::xproto::ModMask;
use xkeysym::{Keysym, key};

/// What is in force: modifier bits (Shift 1, Lock 2, Control 4, Mod1 8 ... Mod5 128) and the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct State {
    pub mods: u8,
    /// Of these, the ones that are locked rather than held.
    pub locked: u8,
    pub group: u8,
}

/// How a key's modifiers choose its level.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Type {
    /// The modifiers it looks at.
    mask: u8,
    /// Exactly these of them, this level; anything else is level 0.
    levels: Vec<(u8, u8)>,
}

impl Type {
    fn level(&self, mods: u8) -> u8 {
        self.levels.iter().find(|(m, _)| *m == mods & self.mask).map_or(0, |(_, level)| *level)
    }
}

/// One key: a type and its symbols by level for each group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Keys {
    groups: Vec<(usize, Vec<u32>)>,
    group_info: u8,
}

impl Keys {
    /// Which of its groups a key uses while `group` is in force: keys with fewer wrap, clamp or redirect.
    fn group(&self, group: u8) -> Option<u8> {
        let count = u8::try_from(self.groups.len()).ok().filter(|n| *n > 0)?;
        Some(match (group < count, self.group_info & 0xc0) {
            (true, _) => group,
            (false, 0x40) => count - 1,
            (false, 0x80) => Some((self.group_info >> 4) & 3).filter(|to| *to < count).unwrap_or(0),
            (false, _) => group % count,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    code: u8,
    group: u8,
    level: u8,
}

/// The layout in force.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    types: Vec<Type>,
    keys: HashMap<u8, Keys>,
    by_symbol: HashMap<u32, Vec<Place>>,
    by_char: HashMap<char, Vec<Place>>,
    /// Modifiers we can hold around a key, with the keycode that does it: Shift, AltGr, the fifth level's.
    adders: Vec<(u8, u32)>,
    /// Keycodes that may change the state in other ways: locks, latches, other modifiers, groups.
    changers: HashSet<u32>,
    /// Keycodes without any symbol.
    empty: Vec<u8>,
}

/// What a key does to the state while it is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    /// It holds these modifiers.
    Holds(u8),
    /// Only the server knows.
    Unknown,
}

/// Symbols of the modifiers that choose levels.
const LEVEL_MODIFIERS: [u32; 3] = [key::Shift_L, key::ISO_Level3_Shift, key::ISO_Level5_Shift];

impl Layout {
    /// From the server's answer with types, symbols and modifier map. `borrowed` keycodes are no part of the layout.
    pub(crate) fn new(map: &GetMapReply, borrowed: &[u8]) -> Self {
        let types = map.map.types_rtrn.iter().flatten();
        let types = types
            .map(|t| Type {
                mask: bits(t.mods_mask),
                levels: t.map.iter().filter(|e| e.active).map(|e| (bits(e.mods_mask), e.level)).collect(),
            })
            .collect();
        let modmap: HashMap<u8, u8> =
            map.map.modmap_rtrn.iter().flatten().map(|m| (m.keycode, bits(m.mods))).collect();
        let mut layout = Self { types, ..Self::default() };
        for (index, syms) in map.map.syms_rtrn.iter().flatten().enumerate() {
            let Ok(code) = u8::try_from(usize::from(map.first_key_sym) + index) else { break };
            let width = usize::from(syms.width).max(1);
            let count = usize::from(syms.group_info & 0x0f);
            let groups = syms.syms.chunks(width).take(count).enumerate();
            let groups = groups.map(|(g, s)| (usize::from(syms.kt_index[g & 3]), s.to_vec())).collect();
            let keys = Keys { groups, group_info: syms.group_info };
            layout.add(code, keys, modmap.get(&code).copied().unwrap_or(0), borrowed);
        }
        layout
    }

    fn add(&mut self, code: u8, keys: Keys, mods: u8, borrowed: &[u8]) {
        let bare = keys.groups.iter().all(|(_, symbols)| symbols.iter().all(|s| *s == key::NoSymbol));
        if bare && mods == 0 {
            self.empty.push(code);
        }
        if mods != 0 || keys.groups.iter().flat_map(|(_, symbols)| symbols).any(|s| is_modifier(*s)) {
            self.changers.insert(code.into());
        }
        if !borrowed.contains(&code) {
            for (group, (_, symbols)) in keys.groups.iter().enumerate() {
                for (level, symbol) in symbols.iter().enumerate().filter(|(_, s)| **s != key::NoSymbol) {
                    let place = Place { code, group: group as u8, level: level as u8 };
                    self.by_symbol.entry(*symbol).or_default().push(place);
                    if let Some(c) = types(*symbol) {
                        self.by_char.entry(c).or_default().push(place);
                    }
                    let known = self.adders.iter().any(|(m, _)| *m == mods);
                    if level == 0 && mods.count_ones() == 1 && LEVEL_MODIFIERS.contains(symbol) && !known {
                        self.adders.push((mods, code.into()));
                    }
                }
            }
        }
        self.keys.insert(code, keys);
    }

    /// What pressing a keycode does to the state.
    pub(crate) fn effect(&self, code: u32) -> Effect {
        if let Some((mask, _)) = self.adders.iter().find(|(_, c)| *c == code) {
            return Effect::Holds(*mask);
        }
        if self.changers.contains(&code) { Effect::Unknown } else { Effect::None }
    }

    /// Keycodes that carry nothing and may be borrowed.
    pub(crate) fn empty(&self) -> &[u8] {
        &self.empty
    }

    /// All symbols on a keycode.
    pub(crate) fn symbols(&self, code: u8) -> Vec<u32> {
        self.keys
            .get(&code)
            .map(|k| k.groups.iter().flat_map(|(_, s)| s).copied().collect())
            .unwrap_or_default()
    }

    /// True if a keycode carries this symbol and no other.
    pub(crate) fn carries_only(&self, code: u8, symbol: u32) -> bool {
        let symbols = self.symbols(code);
        !symbols.is_empty() && symbols.iter().all(|s| *s == symbol)
    }

    /// What pressing a keycode means in this state.
    pub(crate) fn symbol(&self, code: u8, state: State) -> Option<u32> {
        let keys = self.keys.get(&code)?;
        let (kind, symbols) = keys.groups.get(usize::from(keys.group(state.group)?))?;
        let level = self.types.get(*kind).map_or(0, |kind| kind.level(state.mods));
        symbols.get(usize::from(level)).copied().filter(|s| *s != key::NoSymbol)
    }

    /// Every keycode that carries one of these symbols, on whichever level.
    pub(crate) fn carriers(&self, symbols: &[u32]) -> Vec<u8> {
        let places = symbols.iter().filter_map(|s| self.by_symbol.get(s)).flatten();
        places.map(|p| p.code).collect()
    }

    pub(crate) fn carriers_of_char(&self, c: char) -> Vec<u8> {
        self.by_char.get(&c).into_iter().flatten().map(|p| p.code).collect()
    }

    /// How to type exactly `c` in this state, by adding modifiers at most.
    pub(crate) fn text(&self, c: char, state: State) -> Option<Stroke> {
        self.stroke(self.by_char.get(&c)?, state.mods, state.group, 0)
    }

    /// How to press the key that carries one of `symbols` (the first that the layout has). Modifiers that are held
    /// are meant and count as if they were not there, except that none is pressed twice.
    pub(crate) fn chord(&self, symbols: &[u32], state: State) -> Option<Stroke> {
        let held = state.mods & !state.locked;
        symbols.iter().find_map(|s| self.stroke(self.by_symbol.get(s)?, state.locked, state.group, held))
    }

    /// The places for a character of a chord.
    pub(crate) fn chord_char(&self, c: char, state: State) -> Option<Stroke> {
        let held = state.mods & !state.locked;
        self.stroke(self.by_char.get(&c)?, state.locked, state.group, held)
    }

    /// The place that needs the fewest modifiers beyond `mods`; those in `held` are left out of the stroke.
    fn stroke(&self, places: &[Place], mods: u8, group: u8, held: u8) -> Option<Stroke> {
        let mut best: Option<(u32, &Place, u8)> = None;
        for place in places {
            let Some(keys) = self.keys.get(&place.code).filter(|k| k.group(group) == Some(place.group))
            else {
                continue;
            };
            let Some(kind) = keys.groups.get(usize::from(place.group)).and_then(|(t, _)| self.types.get(*t))
            else {
                continue;
            };
            for subset in 0..1u8 << self.adders.len().min(3) {
                let added = self.chosen(subset).fold(0, |mask, (m, _)| mask | m);
                if added & mods == 0 && kind.level(mods | added) == place.level {
                    let cost = subset.count_ones();
                    if best.is_none_or(|(least, _, _)| cost < least) {
                        best = Some((cost, place, subset));
                    }
                }
            }
        }
        let (_, place, subset) = best?;
        let around = self.chosen(subset).filter(|(m, _)| m & held == 0).map(|(_, code)| code).collect();
        Some(Stroke { around, key: place.code.into() })
    }

    fn chosen(&self, subset: u8) -> impl Iterator<Item = (u8, u32)> {
        self.adders.iter().take(3).enumerate().filter(move |(i, _)| subset >> i & 1 == 1).map(|(_, a)| *a)
    }
}

fn is_modifier(symbol: u32) -> bool {
    // The ISO symbols of group and level shifts lie side by side.
    Keysym::new(symbol).is_modifier_key() || (key::ISO_Lock..=key::ISO_Last_Group_Lock).contains(&symbol)
}

/// The eight real modifiers.
pub(crate) fn bits(mask: ModMask) -> u8 {
    u16::from(mask) as u8
}

/// The character a symbol types, if typing is what it is for. The keypad depends on NumLock and is left to `Named`.
fn types(symbol: u32) -> Option<char> {
    let symbol = Keysym::new(symbol);
    if symbol.is_keypad_key() {
        return None;
    }
    symbol.key_char().filter(|c| !c.is_control())
}

#[cfg(test)]
mod tests;
