//! A text goes to the window it was begun in: where there is a focus to know, it ends when that window loses it.

use super::stage::Stage;
use super::witness::{Deed, What, Which};
use super::{Finding, ensure};
use crate::wait::before;
use handsight_base::flow::action::{Action, Timing};
use handsight_base::port::desktop::{DesktopError, Injected};
use handsight_base::stop::Stop;
use std::time::Duration;

/// What a desktop says of a text whose window has lost the focus: that it ended there, how much of it arrived, and that is so; and no
/// more keys came to the other window than [`Terms::astray`](super::Terms::astray) lets through. Gives how many did.
pub(super) fn ended(
    stage: &mut Stage<'_>,
    done: Result<Injected, DesktopError>,
    text: &str,
    astray: u32,
) -> Result<u32, String> {
    let Err(DesktopError::FocusMoved { typed, injected, .. }) = done else {
        return Err(format!("the window of the text lost the focus in its middle: {done:?}"));
    };
    let Injected { events, of, complete, .. } = injected;
    ensure!(typed > 0 && events < of && !complete, "{typed} characters arrived, it says, and {injected:?}");
    stage.quiet()?;
    let arrived = |stage: &mut Stage<'_>| stage.witness.text(Which::Main).chars().count() as u32;
    if astray == 0 {
        before(stage.terms.patience, || (arrived(stage) >= typed).then_some(()));
    }
    stage.settle();
    let strays = stage.witness.events();
    let strays = strays.iter().filter(|e| {
        e.window == Which::Other && matches!(e.what, What::Key { down: true, repeat: false, .. })
    });
    let strays = strays.count() as u32;
    ensure!(strays <= astray, "{strays} keys of the text came to the window that has the focus now");
    let came = stage.witness.text(Which::Main);
    ensure!(text.starts_with(&came), "of {text:?} arrived {came:?}");
    // Where keys lie in a queue of the program's, those that it has not read go with its window.
    let arrived = arrived(stage);
    let told = if astray == 0 { arrived == typed } else { arrived <= typed };
    ensure!(told, "{typed} characters are said to have arrived, and {arrived} did");
    Ok(strays)
}

pub(super) fn strays(stage: &mut Stage<'_>) -> Finding {
    const ROUNDS: u32 = 8;
    let Some(astray) = stage.terms.astray else { return Err("there is no focus to know here".to_owned()) };
    let (main, other) = (stage.part(5, 5, 40, 40), stage.part(50, 50, 40, 40));
    let text = "delete nothing, whatever you are ".repeat(6);
    // Slow enough for the witness to keep up: keys that a program has not read yet are its own affair.
    let timing = Timing { type_interval: Duration::from_millis(3), ..Timing::default() };
    let mut most = 0;
    for round in 0..ROUNDS {
        stage.witness.open(Which::Other, other, 2, false);
        stage.open(main);
        stage.witness.at(9 + round * 7, Deed::Yield, Box::new(|| {}));
        let done = stage.attempt(Action::typed(&text), &timing, &Stop::new())?;
        most = most.max(ended(stage, done, &text, astray).map_err(|why| format!("round {round}: {why}"))?);
        stage.witness.close(Which::Other);
        stage.forget();
    }
    Ok(format!("{ROUNDS} windows closed, at most {most} keys astray"))
}
