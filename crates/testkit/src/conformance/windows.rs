//! Windows found, focused and placed, and the refusals of who cannot.

use super::pointer::click_at;
use super::stage::{Stage, words};
use super::witness::{What, Which};
use super::{Finding, ensure};
use crate::wait::before;
use handsight_base::flow::action::{Action, WindowQuery};
use handsight_base::flow::ui::UiRequest;
use handsight_base::gate::{Focus, Place, SetClipboard, Work};
use handsight_base::port::desktop::{
    ClipboardContents, DesktopError, DesktopFault, Placement, Window, WindowId,
};
use handsight_base::space::{ScreenRect, WindowPx};

fn found(stage: &mut Stage<'_>, query: &WindowQuery) -> Result<Window, String> {
    let mut found = Err("never asked".to_owned());
    before(stage.terms.patience, || {
        found = stage.desktop.find(query).map_err(words);
        found.is_ok().then_some(())
    });
    Ok(found?.swap_remove(0))
}

fn titled(which: Which) -> WindowQuery {
    WindowQuery::Title(which.title().to_owned())
}

/// The backend's number of the witness's main window.
pub(super) fn main_window(stage: &mut Stage<'_>) -> Result<WindowId, String> {
    found(stage, &titled(Which::Main)).map(|window| window.id)
}

pub(super) fn finds(stage: &mut Stage<'_>) -> Finding {
    let (main, other) = (stage.part(5, 5, 40, 40), stage.part(50, 50, 40, 40));
    stage.witness.open(Which::Main, main, 1, false);
    stage.witness.open(Which::Other, other, 2, false);
    let window = found(stage, &titled(Which::Main))?;
    ensure!(window.client == main, "the window is at {main}, said is {}", window.client);
    let class = window.class.first().cloned().ok_or("the window has no class")?;
    let mut queries = vec![
        WindowQuery::TitlePart(Which::Main.title()[5..].to_uppercase()),
        WindowQuery::TitleRegex(format!("^{}$", Which::Main.title())),
        WindowQuery::Class(class),
        WindowQuery::Id(window.id.0),
    ];
    queries.extend(window.pid.map(WindowQuery::Pid));
    for query in &queries {
        let all = stage.desktop.find(query).map_err(words)?;
        ensure!(all.iter().any(|w| w.id == window.id), "{} finds {all:?}", query.describe());
    }
    let active = found(stage, &WindowQuery::Active)?;
    ensure!(active.title == Which::Other.title(), "the newest has the focus, said is {active:?}");
    let every = stage.desktop.windows().map_err(words)?;
    let place = |which: Which| every.iter().position(|w| w.title == which.title());
    ensure!(place(Which::Other) < place(Which::Main), "the topmost first: {every:?}");
    let none = stage.desktop.find(&WindowQuery::Title("no such window".to_owned()));
    let named = matches!(&none, Err(why @ DesktopError::NoSuchWindow { .. }) if why.to_string().contains(Which::Main.title()));
    ensure!(named, "a window that is not there: {none:?}");
    stage.witness.close(Which::Other);
    stage.witness.close(Which::Main);
    let mut gone = Ok(window.clone());
    before(stage.terms.patience, || {
        gone = stage.desktop.window(window.id);
        gone.is_err().then_some(())
    });
    ensure!(matches!(gone, Err(DesktopError::TargetGone { .. })), "a closed window: {gone:?}");
    stage.forget();
    Ok(format!("by {} queries", queries.len() + 2))
}

pub(super) fn focuses(stage: &mut Stage<'_>) -> Finding {
    let (main, other) = (stage.part(5, 5, 50, 50), stage.part(30, 30, 50, 50));
    stage.witness.open(Which::Main, main, 1, false);
    stage.witness.open(Which::Other, other, 2, false);
    for which in [Which::Main, Which::Other, Which::Main] {
        stage.forget();
        let window = found(stage, &titled(which))?;
        let now = stage.approve(Focus(WindowQuery::Id(window.id.0)))?;
        let now = stage.desktop.focus(now).map_err(words)?;
        ensure!(now.focused && now.id == window.id, "{} was focused: {now:?}", which.title());
        stage.act(Action::typed("here"))?;
        let mut came = String::new();
        before(stage.terms.patience, || {
            came = stage.witness.text(which);
            (came == "here").then_some(())
        });
        ensure!(came == "here", "{} has the focus and got {came:?}", which.title());
        // What was behind is in front: the part that both cover gets the click.
        stage.forget();
        let spot = stage.spot(main.intersect(&other).ok_or("they overlap")?.center())?;
        let press = Action::Move { to: spot };
        stage.act(press)?;
        before(stage.terms.patience, || (!stage.witness.events().is_empty()).then_some(()));
        let events = stage.witness.events();
        ensure!(events.iter().all(|e| e.window == which), "{} is in front: {events:?}", which.title());
        let away = stage.spot(main.origin.offset(2, 2))?;
        stage.act(Action::Move { to: away })?;
    }
    stage.witness.close(Which::Other);
    stage.forget();
    Ok("3 times, two windows".to_owned())
}

pub(super) fn places(stage: &mut Stage<'_>) -> Finding {
    stage.open(stage.part(10, 10, 30, 30));
    let id = main_window(stage)?;
    let all = [stage.part(40, 20, 25, 30), stage.part(8, 40, 50, 40), stage.part(50, 50, 20, 20)];
    for client in all {
        let place = stage.approve(Place { window: id, to: Placement::Client(client) })?;
        let now = stage.desktop.place(place).map_err(words)?;
        ensure!(now.client == client, "placed at {client}, said is {}", now.client);
        stage.forget();
        // The window itself says where it is: its corner is a little left of and above where it was clicked.
        let inside = client.origin.offset(3, 4);
        let spot = stage.spot(inside)?;
        stage.act(Action::Move { to: spot })?;
        let mut last = None;
        before(stage.terms.patience, || {
            last = stage.witness.events().last().filter(|e| e.screen == inside).copied();
            last.map(drop)
        });
        let seen = last.ok_or_else(|| format!("no window at {inside}, where it was placed"))?;
        ensure!(seen.client == WindowPx::new(3, 4), "placed at {client}, clicked at {inside}: {seen:?}");
        stage.forget();
        click_at(stage, client.origin.offset(client.size.width as i32 - 1, client.size.height as i32 - 1))?;
    }
    Ok(format!("{} places", all.len()))
}

pub(super) fn refuses_by_name(stage: &mut Stage<'_>) -> Finding {
    let can = stage.desktop.info().capabilities;
    let mut refused = Vec::new();
    let mut check = |can: bool, what: &str, done: Option<DesktopError>| {
        let unsupported =
            matches!(&done, Some(DesktopError::Unsupported { what: named, .. }) if *named == what);
        ensure!(
            can != unsupported,
            "the backend says it can{} do `{what}`, and then: {done:?}",
            if can { "" } else { "not" }
        );
        if let Some(why) = done.filter(|_| unsupported) {
            ensure!(why.fault() == DesktopFault::TellModel && why.to_string().contains(what), "{why}");
            refused.push(what.to_owned());
        }
        Ok(())
    };
    let nowhere = ScreenRect::new(0, 0, 64, 64);
    let launch = Action::Launch { argv: vec!["no-such-program-anywhere".to_owned()] };
    let Work::Launch(launch) =
        stage.approve(launch)?.expand(&stage.geometry, &Default::default()).map_err(words)?
    else {
        return Err("a launch stays one".to_owned());
    };
    let place = stage.approve(Place { window: WindowId(u64::MAX), to: Placement::Client(nowhere) })?;
    let focus = stage.approve(Focus(WindowQuery::Title("no such window".to_owned())))?;
    let contents = stage.approve(SetClipboard(ClipboardContents::default()))?;
    let desktop = &mut *stage.desktop;
    check(can.windows, "windows", desktop.windows().err())?;
    check(can.windows, "windows", desktop.focus(focus).err())?;
    check(can.place, "place", desktop.place(place).err())?;
    check(can.launch, "launch", desktop.launch(launch).err())?;
    check(can.clipboard, "clipboard", desktop.clipboard().err())?;
    check(can.clipboard, "clipboard", desktop.set_clipboard(contents).err())?;
    check(can.damage, "damage", desktop.damage_since(None).err())?;
    check(can.overlay, "overlay", desktop.overlay(None).err())?;
    check(can.ui_tree, "ui_tree", desktop.ui_tree(&UiRequest::of(ScreenRect::new(0, 0, 1, 1))).err())?;
    let moved = stage.witness.events().into_iter().find(|e| e.what != What::Move);
    ensure!(moved.is_none(), "refusing brought about {moved:?}");
    stage.forget();
    refused.sort_unstable();
    refused.dedup();
    Ok(format!("refused: {}", if refused.is_empty() { "nothing".to_owned() } else { refused.join(", ") }))
}
