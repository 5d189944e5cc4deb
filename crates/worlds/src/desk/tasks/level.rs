//! In which windows hands work: what the level of a task is counted by.

use crate::desk::Desk;
use crate::desk::popup::Target;
use crate::desk::window::Part;
use crate::engine::World as _;
use crate::task::Hand;
use handsight_base::space::ScreenPx;

impl Desk {
    /// The windows that a hand would work in as the desk is now: none for task bar, start menu and wallpaper, two for
    /// something that is carried from one to another. A dialog and a menu count as the window they belong to.
    pub fn worked_in(&self, hand: &Hand) -> Vec<u64> {
        let of: Vec<Option<u64>> = match hand {
            Hand::Click(at) | Hand::DoubleClick(at) | Hand::RightClick(at) => vec![self.worked_at(*at)],
            Hand::Drag(from, to) => {
                let inside =
                    self.window_at(*from).and_then(|f| f.part_at(*from, self.theme())) == Some(Part::Client);
                // A window that is moved only passes over others.
                vec![self.worked_at(*from), self.worked_at(*to).filter(|_| inside)]
            }
            Hand::Type(_) | Hand::Key(_) => vec![self.core.active],
            Hand::Scroll(_) => vec![self.worked_at(self.pointer())],
            Hand::Done => Vec::new(),
        };
        let mut of: Vec<u64> = of.into_iter().flatten().map(|id| self.root(id)).collect();
        of.dedup();
        of
    }

    fn worked_at(&self, at: ScreenPx) -> Option<u64> {
        if let Some(popup) = self.core.popup.as_ref().filter(|p| p.area.contains(at)) {
            return match &popup.target {
                Target::Window(window)
                | Target::Bar { window, .. }
                | Target::Choice { window, .. }
                | Target::Text { window, .. }
                | Target::Task(window) => Some(*window),
                Target::Start | Target::Desktop => None,
            };
        }
        if self.spot_at(at).is_some() {
            return None;
        }
        self.window_at(at).map(|frame| frame.id)
    }

    /// The window that a dialog, or a dialog of a dialog, belongs to.
    fn root(&self, id: u64) -> u64 {
        self.frame(id).and_then(|f| f.parent).map_or(id, |parent| self.root(parent))
    }
}
