//! What programs say that they show: UI Automation, read in bulk on a thread of its own.
//!
//! Each window is asked once for all that can be seen in it, with every property that matters in the same answer (a cache request);
//! asking thing by thing crosses to the other process for each. A program that hangs is left behind with the thread. This module
//! refuses to act on a program (UI Automation could; the hands move the mouse) and to read the value of a field.

use super::whereabouts;
use handsight_base::flow::ui::{UiNode, UiRequest, UiRole, UiTree, label, uncovered};
use handsight_base::port::clock::{Clock, RealClock};
use handsight_base::port::desktop::{Window, WindowState};
use handsight_base::space::ScreenRect;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;
use windows::Win32::System::Com::{
    CLSCTX_INPROC_SERVER, COINIT_MULTITHREADED, CoCreateInstance, CoInitializeEx,
};
use windows::Win32::System::Variant::VARIANT;
use windows::Win32::UI::Accessibility::{
    AutomationElementMode_None, CUIAutomation, IUIAutomation, IUIAutomation2, IUIAutomationCacheRequest,
    IUIAutomationCondition, IUIAutomationElement, TreeScope_Descendants, UIA_BoundingRectanglePropertyId,
    UIA_ButtonControlTypeId, UIA_CONTROLTYPE_ID, UIA_CheckBoxControlTypeId, UIA_ComboBoxControlTypeId,
    UIA_ControlTypePropertyId, UIA_DataItemControlTypeId, UIA_DocumentControlTypeId, UIA_EditControlTypeId,
    UIA_HeaderItemControlTypeId, UIA_HyperlinkControlTypeId, UIA_IsEnabledPropertyId,
    UIA_IsOffscreenPropertyId, UIA_ListItemControlTypeId, UIA_MenuItemControlTypeId, UIA_NamePropertyId,
    UIA_RadioButtonControlTypeId, UIA_SliderControlTypeId, UIA_SpinnerControlTypeId,
    UIA_SplitButtonControlTypeId, UIA_TabItemControlTypeId, UIA_TextControlTypeId, UIA_TreeItemControlTypeId,
};
use windows::core::{Interface as _, Result};

/// Beyond the request's own time, for what is done with the answers.
const GRACE: Duration = Duration::from_millis(100);
/// Nothing smaller can be pressed on purpose.
const LEAST_PX: u32 = 3;

struct Job {
    request: UiRequest,
    /// What is on the screen, the topmost first.
    windows: Vec<Window>,
    answer: SyncSender<UiTree>,
}

/// The thread that asks, once it is needed.
#[derive(Default)]
pub(super) struct TreeReader {
    jobs: Option<SyncSender<Job>>,
}

impl TreeReader {
    /// Reads all windows in the request's area.
    pub(super) fn read(&mut self, mut windows: Vec<Window>, request: &UiRequest) -> UiTree {
        windows.retain(|window| window.state == WindowState::Normal);
        let missed = |why: String| UiTree { missed: vec![why], ..UiTree::default() };
        let jobs = match &self.jobs {
            Some(jobs) => jobs.clone(),
            None => match start() {
                Ok(jobs) => self.jobs.insert(jobs).clone(),
                Err(why) => return missed(format!("no thread to read programs with: {why}")),
            },
        };
        let (answer, answered) = sync_channel(1);
        if jobs.try_send(Job { request: *request, windows, answer }).is_ok()
            && let Ok(tree) = answered.recv_timeout(request.within + GRACE)
        {
            return tree;
        }
        // It is left behind with whatever it waits for.
        self.jobs = None;
        missed("reading the programs took too long".to_owned())
    }
}

fn start() -> std::io::Result<SyncSender<Job>> {
    let (jobs, inbox) = sync_channel::<Job>(1);
    std::thread::Builder::new().name("ui-tree".to_owned()).spawn(move || {
        let automation = Automation::new();
        while let Ok(Job { request, windows, answer }) = inbox.recv() {
            let tree = match &automation {
                Ok(automation) => automation.walk(&request, &windows),
                Err(why) => {
                    let missed = vec![format!("UI Automation is not there: {}", why.message())];
                    UiTree { missed, ..UiTree::default() }
                }
            };
            // Nobody waits any more if it came too late.
            let _late = answer.send(tree);
        }
    })?;
    Ok(jobs)
}

/// UI Automation, and what it is asked.
struct Automation {
    automation: IUIAutomation,
    cache: IUIAutomationCacheRequest,
    seen: IUIAutomationCondition,
}

impl Automation {
    #[expect(unsafe_code, reason = "calls of COM")]
    fn new() -> Result<Self> {
        // SAFETY: this thread is its own, and stays in this apartment until it ends.
        unsafe { CoInitializeEx(None, COINIT_MULTITHREADED) }.ok()?;
        // SAFETY: plain calls of objects that are held here; every argument is ours.
        unsafe {
            let automation: IUIAutomation = CoCreateInstance(&CUIAutomation, None, CLSCTX_INPROC_SERVER)?;
            let cache = automation.CreateCacheRequest()?;
            for property in [
                UIA_ControlTypePropertyId,
                UIA_NamePropertyId,
                UIA_BoundingRectanglePropertyId,
                UIA_IsEnabledPropertyId,
            ] {
                cache.AddProperty(property)?;
            }
            // Nothing is asked of a thing afterwards, so that no reference to it has to be kept.
            cache.SetAutomationElementMode(AutomationElementMode_None)?;
            let on_screen =
                automation.CreatePropertyCondition(UIA_IsOffscreenPropertyId, &VARIANT::from(false))?;
            let seen = automation.CreateAndCondition(&automation.ControlViewCondition()?, &on_screen)?;
            Ok(Self { automation, cache, seen })
        }
    }

    fn walk(&self, request: &UiRequest, windows: &[Window]) -> UiTree {
        let clock = RealClock::new();
        let began = clock.now();
        let left = || request.within.saturating_sub(clock.now().saturating_sub(began));
        let mut tree = UiTree::default();
        let mut above: Vec<ScreenRect> = Vec::new();
        // The topmost first: what a person has in front is what the time is for.
        for window in windows {
            if let Some(area) = window.outer.intersect(&request.area) {
                let time = left();
                if time.is_zero() || tree.read >= request.nodes {
                    tree.missed.push(format!("{:?} was not read in time", label(&window.title)));
                } else {
                    match self.window(window, area, &above, time, request.nodes - tree.read) {
                        Ok((read, nodes)) => {
                            tree.read += read;
                            tree.nodes.extend(nodes);
                        }
                        Err(why) => {
                            tree.missed.push(format!(
                                "{:?} says nothing: {}",
                                label(&window.title),
                                why.message()
                            ));
                        }
                    }
                }
            }
            above.push(window.outer);
        }
        tree
    }

    /// What is to be seen in one window, and how many things were looked at.
    #[expect(unsafe_code, reason = "calls of COM")]
    fn window(
        &self,
        window: &Window,
        area: ScreenRect,
        above: &[ScreenRect],
        time: Duration,
        most: usize,
    ) -> Result<(usize, Vec<UiNode>)> {
        let handle = whereabouts::of_id(window.id.0).map_err(|_| windows::core::Error::empty())?.handle;
        // SAFETY: plain calls of objects that are held here; a handle that is none is an error.
        let found = unsafe {
            // The system's own limits; without them a program that hangs holds this thread for a minute.
            if let Ok(limits) = self.automation.cast::<IUIAutomation2>() {
                let millis = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
                limits.SetConnectionTimeout(millis)?;
                limits.SetTransactionTimeout(millis)?;
            }
            let element = self.automation.ElementFromHandle(handle)?;
            element.FindAllBuildCache(TreeScope_Descendants, &self.seen, &self.cache)?
        };
        // SAFETY: as above.
        let count = unsafe { found.Length() }?.clamp(0, i32::try_from(most).unwrap_or(i32::MAX));
        let mut nodes = Vec::new();
        for n in 0..count {
            // SAFETY: as above.
            let element = unsafe { found.GetElement(n) }?;
            nodes.extend(node(&element, area, above)?);
        }
        Ok((usize::try_from(count).unwrap_or(0), nodes))
    }
}

#[expect(unsafe_code, reason = "calls of COM")]
fn node(element: &IUIAutomationElement, area: ScreenRect, above: &[ScreenRect]) -> Result<Option<UiNode>> {
    // SAFETY: what is asked for was put into the cache with the element; nothing leaves this process.
    let (kind, name, at, enabled) = unsafe {
        (
            element.CachedControlType()?,
            element.CachedName()?,
            element.CachedBoundingRectangle()?,
            element.CachedIsEnabled()?,
        )
    };
    let side = |from: i32, to: i32| u32::try_from(i64::from(to) - i64::from(from)).unwrap_or(0);
    let at = ScreenRect::new(at.left, at.top, side(at.left, at.right), side(at.top, at.bottom));
    let Some(role) = role(kind) else { return Ok(None) };
    let seen = at.intersect(&area).and_then(|seen| uncovered(seen, above));
    let large = |seen: &ScreenRect| seen.size.width >= LEAST_PX && seen.size.height >= LEAST_PX;
    let node = |area| UiNode { role, label: label(&name.to_string()), area, enabled: enabled.as_bool() };
    Ok(seen.filter(large).map(node))
}

/// What a control of this type is to a person; `None` for containers and for what nobody points at.
fn role(kind: UIA_CONTROLTYPE_ID) -> Option<UiRole> {
    const ROLES: [(UIA_CONTROLTYPE_ID, UiRole); 17] = [
        (UIA_ButtonControlTypeId, UiRole::Button),
        (UIA_SplitButtonControlTypeId, UiRole::Button),
        (UIA_HeaderItemControlTypeId, UiRole::Button),
        (UIA_CheckBoxControlTypeId, UiRole::CheckBox),
        (UIA_RadioButtonControlTypeId, UiRole::Radio),
        (UIA_ComboBoxControlTypeId, UiRole::Choice),
        (UIA_EditControlTypeId, UiRole::Field),
        (UIA_DocumentControlTypeId, UiRole::Field),
        (UIA_SpinnerControlTypeId, UiRole::Field),
        (UIA_HyperlinkControlTypeId, UiRole::Link),
        (UIA_ListItemControlTypeId, UiRole::ListItem),
        (UIA_TreeItemControlTypeId, UiRole::ListItem),
        (UIA_DataItemControlTypeId, UiRole::ListItem),
        // Titles of menus and their items have one type; a menu bar's own are items too.
        (UIA_MenuItemControlTypeId, UiRole::MenuItem),
        (UIA_TabItemControlTypeId, UiRole::Tab),
        (UIA_SliderControlTypeId, UiRole::Slider),
        (UIA_TextControlTypeId, UiRole::Text),
    ];
    ROLES.iter().find(|(named, _)| *named == kind).map(|(_, role)| *role)
}

#[cfg(test)]
mod tests {
    use super::*;
    use windows::Win32::UI::Accessibility::{
        UIA_GroupControlTypeId, UIA_PaneControlTypeId, UIA_ScrollBarControlTypeId, UIA_WindowControlTypeId,
    };

    #[test]
    fn controls_have_our_words_and_containers_none() {
        assert_eq!(role(UIA_ButtonControlTypeId), Some(UiRole::Button));
        assert_eq!(role(UIA_EditControlTypeId), Some(UiRole::Field));
        assert_eq!(role(UIA_MenuItemControlTypeId), Some(UiRole::MenuItem));
        assert_eq!(role(UIA_TextControlTypeId), Some(UiRole::Text));
        for container in [
            UIA_PaneControlTypeId,
            UIA_GroupControlTypeId,
            UIA_WindowControlTypeId,
            UIA_ScrollBarControlTypeId,
        ] {
            assert_eq!(role(container), None);
        }
        assert_eq!(role(UIA_CONTROLTYPE_ID(0)), None);
        assert_eq!(role(UIA_CONTROLTYPE_ID(99_999)), None, "of a later version");
    }
}
