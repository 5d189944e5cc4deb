//! What changed on the screen since a mark, where the way of capturing tells: desktop duplication does, `BitBlt` does not.
//!
//! This module refuses to compare pictures: where Windows tells nothing, the capability is declared absent and settling samples.

use super::duplication::Duplication;
use crate::marks::Marks;
use handsight_base::port::desktop::{Damage, DamageMark, DesktopError};
use handsight_base::space::ScreenRect;

/// What changed since `mark`; without one, a first mark and nothing. What lies wholly in `ours` is left out.
pub(super) fn since(
    duplication: &mut Duplication,
    marks: &mut Marks,
    mark: Option<DamageMark>,
    ours: Option<ScreenRect>,
) -> Result<Damage, DesktopError> {
    let changed = duplication.changed()?;
    let within = |area: &ScreenRect| ours.is_some_and(|ours| area.intersect(&ours) == Some(*area));
    marks.note(changed.into_iter().filter(|area| !within(area)).collect());
    Ok(marks.since(mark))
}
