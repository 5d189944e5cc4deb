//! Where a program's things are: asked of those alone that may be told of, the important ones first.
//!
//! A toolkit finds each place out by itself, GTK 3 by asking the X server, so that the places of 2000 things cost more than all else
//! about them. A list for a model ends at some hundred things. So first come the windows and whatever cuts things off, which says
//! what cannot be seen; then what can be pressed, until enough of it is to be seen; and only where there is room left, mere words.

use super::bus::{Asker, Call, With, read};
use super::place::{Placing, Scene};
use super::program::{Program, Raw};
use super::role;
use handsight_base::flow::ui::UiRole;
use handsight_base::space::ScreenRect;

const COMPONENT: &str = "org.a11y.atspi.Component";
/// `ATSPI_COORD_TYPE_SCREEN`.
const OF_THE_SCREEN: u32 = 0;

/// Fills the areas of a program's nodes, whose paths are `paths`, until `told` things to press are to be seen.
pub(super) async fn ask(
    asker: &mut Asker,
    paths: &[String],
    program: &mut Program,
    scene: &Scene,
    told: usize,
) {
    let bounds = |(n, raw): (usize, &Raw)| (raw.parent == Some(0) || role::clips(raw.role)).then_some(n);
    let bounds: Vec<usize> = program.nodes.iter().enumerate().filter_map(bounds).collect();
    fill(asker, paths, program, &bounds).await;
    let pressed = |raw: &Raw| kind(raw).is_some_and(UiRole::is_pressed);
    let wanted = Placing::new(program, scene).wanted(|raw| unknown(raw) && pressed(raw));
    let (mut rest, mut portion) = (wanted.as_slice(), told);
    loop {
        let seen = Placing::new(program, scene).all();
        if seen.iter().filter(|(_, node)| node.role.is_pressed()).count() >= told {
            program.untold = rest.len();
            return;
        }
        if rest.is_empty() {
            break;
        }
        let (now, later) = rest.split_at(portion.min(rest.len()));
        fill(asker, paths, program, now).await;
        // Of a long list that is scrolled most is hidden, and what was seen is counted anew each time.
        (rest, portion) = (later, portion.saturating_mul(2));
    }
    let words = |raw: &Raw| unknown(raw) && kind(raw).is_some_and(|kind| !kind.is_pressed());
    let words = Placing::new(program, scene).wanted(words);
    fill(asker, paths, program, &words).await;
}

const fn unknown(raw: &Raw) -> bool {
    raw.area.is_none()
}

const fn kind(raw: &Raw) -> Option<UiRole> {
    role::of(raw.role, raw.states)
}

async fn fill(asker: &mut Asker, paths: &[String], program: &mut Program, which: &[usize]) {
    let call = |n: &usize| Call {
        with: With::Number(OF_THE_SCREEN),
        ..Call::new(paths.get(*n).map_or("", String::as_str), COMPONENT, "GetExtents")
    };
    let calls: Vec<Call> = which.iter().map(call).collect();
    let answers = asker.ask(&calls).await;
    for (n, answer) in which.iter().zip(answers) {
        let Some(((x, y, width, height),)) = read::<((i32, i32, i32, i32),)>(answer.as_ref()) else {
            continue;
        };
        if let (Ok(width), Ok(height), Some(raw)) =
            (u32::try_from(width), u32::try_from(height), program.nodes.get_mut(*n))
        {
            raw.area = Some(ScreenRect::new(x, y, width, height));
        }
    }
}
