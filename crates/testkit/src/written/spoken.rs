//! Grammars of models that write their actions as text.

use super::{Writer, Written, pixel};
use handsight_base::flow::action::{Action, Button, ScrollBy, Spot};
use handsight_base::flow::intent::{Intent, Look};
use handsight_base::key::{Chord, Modifiers};
use handsight_base::space::PictureGeometry;
use serde_json::{Value, json};

pub(super) const WRITERS: &[Writer] = &[
    Writer { dialect: "ui-tars-1", write: |i, p| said(ui_tars(i, &|at| boxed(nearest(at, p, 1000)))?) },
    Writer { dialect: "ui-tars-1.5", write: |i, p| said(ui_tars(i, &|at| bracketed(in_picture(at, p)))?) },
    Writer { dialect: "ui-tars-2", write: seed },
    Writer { dialect: "opencua", write: opencua },
    Writer { dialect: "glm-4.5v", write: glm },
    Writer { dialect: "autoglm", write: autoglm },
    Writer { dialect: "holo-1", write: |i, p| holo(i, &|at| in_picture(at, p)) },
    Writer { dialect: "holo-1.5", write: |i, p| holo(i, &|at| in_picture(at, p)) },
    Writer { dialect: "holo-2", write: |i, p| holo(i, &|at| nearest(at, p, 1000)) },
    Writer { dialect: "lux", write: lux },
    Writer { dialect: "osworld", write: osworld },
];

pub(super) type Point = (u32, u32);

pub(super) fn in_picture(at: Spot, picture: &PictureGeometry) -> Point {
    pixel(at, picture, picture.size.width, picture.size.height)
}

/// The nearest of 0 to 1000 of the shown part, at most `top`, as the vendors make their own from pixels.
pub(super) fn nearest(at: Spot, picture: &PictureGeometry, top: u32) -> Point {
    let axis = |v: i32, origin: i32, n: u32| {
        ((f64::from(v - origin) / f64::from(n) * 1000.0).round() as u32).min(top)
    };
    let pane = &picture.pane;
    (axis(at.point.x, pane.origin.x, pane.size.width), axis(at.point.y, pane.origin.y, pane.size.height))
}

fn bracketed((x, y): Point) -> String {
    format!("({x},{y})")
}

fn boxed(point: Point) -> String {
    format!("<|box_start|>{}<|box_end|>", bracketed(point))
}

/// A text as Python writes it in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\t', "\\t"))
}

fn spaced(chord: &Chord) -> String {
    chord.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A wheel's turn by notches: which way and how many.
fn way(by: ScrollBy) -> Option<(&'static str, u32)> {
    match by {
        ScrollBy::Notches { dx: 0, dy } if dy > 0 => Some(("up", dy.unsigned_abs())),
        ScrollBy::Notches { dx: 0, dy } if dy < 0 => Some(("down", dy.unsigned_abs())),
        ScrollBy::Notches { dx, dy: 0 } if dx > 0 => Some(("right", dx.unsigned_abs())),
        ScrollBy::Notches { dx, dy: 0 } if dx < 0 => Some(("left", dx.unsigned_abs())),
        ScrollBy::Notches { .. } | ScrollBy::Units { .. } | ScrollBy::Pixels { .. } => None,
    }
}

fn said(action: String) -> Option<Written> {
    Written::text(format!("Thought: It is the next step.\nAction: {action}"))
}

fn ui_tars(intent: &Intent, place: &dyn Fn(Spot) -> String) -> Option<String> {
    let at = |at: &Spot| format!("start_box='{}'", place(*at));
    Some(match intent {
        Intent::Act(Action::Click { at: Some(spot), button, count, modifiers: Modifiers::NONE }) => {
            let verb = match (button, count) {
                (Button::Left, 1) => "click",
                (Button::Left, 2) => "left_double",
                (Button::Right, 1) => "right_single",
                _ => return None,
            };
            format!("{verb}({})", at(spot))
        }
        Intent::Act(Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE }) => {
            match path.as_slice() {
                [from, to] => format!("drag({}, end_box='{}')", at(from), place(*to)),
                _ => return None,
            }
        }
        Intent::Act(Action::Key { chord, repeat: 1 }) => format!("hotkey(key={})", quoted(&spaced(chord))),
        Intent::Act(Action::Type { text, .. }) => format!("type(content={})", quoted(text)),
        Intent::Act(Action::Scroll { at: spot, by, modifiers: Modifiers::NONE }) => match (way(*by)?, spot) {
            ((way, 5), Some(spot)) => format!("scroll({}, direction='{way}')", at(spot)),
            ((way, 5), None) => format!("scroll(direction='{way}')"),
            _ => return None,
        },
        Intent::Act(Action::Wait { millis: 5000 }) => "wait()".into(),
        Intent::Ask { question } => format!("call_user(content={})", quoted(question)),
        Intent::Done { statement } => format!("finished(content={})", quoted(statement)),
        Intent::Act(_) | Intent::Look(_) | Intent::Call { .. } => return None,
    })
}

fn seed(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let point = |at: &Spot| {
        let (x, y) = nearest(*at, picture, 1000);
        format!("<point>{x} {y}</point>")
    };
    let (name, parameters): (&str, Vec<(&str, String)>) = match intent {
        Intent::Act(action) => match action {
            Action::Click { at: Some(at), button, count, modifiers: Modifiers::NONE } => {
                let verb = match (button, count) {
                    (Button::Left, 1) => "click",
                    (Button::Left, 2) => "left_double",
                    (Button::Right, 1) => "right_single",
                    _ => return None,
                };
                (verb, vec![("point", point(at))])
            }
            Action::Move { to } => ("move_to", vec![("point", point(to))]),
            Action::Down { at, button } | Action::Up { at, button } => {
                let button = match button {
                    Button::Left => "left",
                    Button::Right => "right",
                    Button::Middle | Button::Back | Button::Forward => return None,
                };
                let name = if matches!(action, Action::Down { .. }) { "mouse_down" } else { "mouse_up" };
                let mut given: Vec<(&str, String)> = at.iter().map(|at| ("point", point(at))).collect();
                given.push(("button", button.into()));
                (name, given)
            }
            Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE } => {
                match path.as_slice() {
                    [from, to] => ("drag", vec![("start_point", point(from)), ("end_point", point(to))]),
                    _ => return None,
                }
            }
            Action::Scroll { at, by, modifiers: Modifiers::NONE } => {
                let (way, 5) = way(*by)? else { return None };
                let mut given = vec![("direction", way.to_owned())];
                given.extend(at.iter().map(|at| ("point", point(at))));
                ("scroll", given)
            }
            Action::Key { chord, repeat: 1 } => ("hotkey", vec![("key", spaced(chord))]),
            Action::Type { text, .. }
                if !text.trim_end_matches('\n').contains('\n')
                    && text.trim() == text.trim_end_matches('\n') =>
            {
                ("type", vec![("content", text.replace('\n', "\\n"))])
            }
            Action::Wait { millis } if millis % 1000 == 0 => {
                ("wait", vec![("time", (millis / 1000).to_string())])
            }
            _ => return None,
        },
        Intent::Look(Look::Screenshot) => ("take_screenshot", vec![]),
        Intent::Ask { question } => ("call_user", vec![("content", question.clone())]),
        Intent::Done { statement } => ("finished", vec![("content", statement.clone())]),
        Intent::Look(_) | Intent::Call { .. } => return None,
    };
    let given: String = parameters.iter().map(|(k, v)| format!("<parameter={k}>{v}</parameter>")).collect();
    Written::text(format!(
        "<gui_think> It is the next step. </gui_think>\n<seed:tool_call><function={name}>{given}</function></seed:tool_call>"
    ))
}

const fn button(button: Button) -> Option<&'static str> {
    match button {
        Button::Left => Some("left"),
        Button::Middle => Some("middle"),
        Button::Right => Some("right"),
        Button::Back | Button::Forward => None,
    }
}

fn opencua(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let xy = |at: &Spot| {
        let (x, y) = in_picture(*at, picture);
        format!("x={x}, y={y}")
    };
    let line = match intent {
        Intent::Act(action) => match action {
            Action::Click { at: Some(at), button: b, count, modifiers: Modifiers::NONE } => {
                format!("pyautogui.click({}, clicks={count}, button='{}')", xy(at), button(*b)?)
            }
            Action::Move { to } => format!("pyautogui.moveTo({})", xy(to)),
            Action::Key { chord, repeat } => match chord.0.as_slice() {
                [key] => format!("pyautogui.press({}, presses={repeat})", quoted(&key.to_string())),
                keys if *repeat == 1 => {
                    let names: Vec<String> = keys.iter().map(|k| quoted(&k.to_string())).collect();
                    format!("pyautogui.hotkey({})", names.join(", "))
                }
                _ => return None,
            },
            Action::Type { text, .. } => format!("pyautogui.write(message={})", quoted(text)),
            Action::Scroll { at, by: ScrollBy::Notches { dx, dy }, modifiers: Modifiers::NONE }
                if (*dx == 0) != (*dy == 0) =>
            {
                let place = at.as_ref().map(|at| format!(", {}", xy(at))).unwrap_or_default();
                format!("pyautogui.{}({}{place})", if *dx == 0 { "scroll" } else { "hscroll" }, dx + dy)
            }
            Action::Wait { millis } => format!("time.sleep({})", *millis as f64 / 1000.0),
            Action::Down { at, button: b } | Action::Up { at, button: b } => {
                let name = if matches!(action, Action::Down { .. }) { "mouseDown" } else { "mouseUp" };
                let place = at.as_ref().map(|at| format!("{}, ", xy(at))).unwrap_or_default();
                format!("pyautogui.{name}({place}button='{}')", button(*b)?)
            }
            _ => return None,
        },
        Intent::Done { statement } => {
            format!("computer.terminate(status='success', answer={})", quoted(statement))
        }
        Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } => return None,
    };
    Written::text(format!(
        "# Step 1:\n## Thought:\nIt is next.\n\n## Action:\nDo it.\n\n## Code:\n```python\n{line}\n```"
    ))
}

fn glm(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let at = |at: &Spot| {
        let (x, y) = nearest(*at, picture, 999);
        format!("'[{x},{y}]'")
    };
    let call = match intent {
        Intent::Act(Action::Click { at: Some(spot), button, count, modifiers: Modifiers::NONE }) => {
            let verb = match (button, count) {
                (Button::Left, 1) => "left_click",
                (Button::Right, 1) => "right_click",
                (Button::Middle, 1) => "middle_click",
                (Button::Left, 2) => "left_double_click",
                _ => return None,
            };
            format!("{verb}(start_box={}, element_info='it')", at(spot))
        }
        Intent::Act(Action::Move { to }) => format!("hover(start_box={}, element_info='it')", at(to)),
        Intent::Act(Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE }) => match path
            .as_slice()
        {
            [from, to] => format!("left_drag(start_box={}, end_box={}, element_info='')", at(from), at(to)),
            _ => return None,
        },
        Intent::Act(Action::Key { chord, repeat: 1 }) => format!("key(keys={})", quoted(&chord.to_string())),
        Intent::Act(Action::Type { text, .. }) => format!("type(content={})", quoted(text)),
        Intent::Act(Action::Scroll { at: Some(spot), by, modifiers: Modifiers::NONE }) => {
            let (way, notches) = way(*by)?;
            format!("scroll(start_box={}, direction='{way}', step={notches}, element_info='')", at(spot))
        }
        Intent::Act(Action::Wait { millis: 5000 }) => "WAIT()".into(),
        Intent::Done { .. } => "DONE()".into(),
        Intent::Act(_) | Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } => return None,
    };
    Written::text(format!(
        "<think>It is next.</think>I do it. <|begin_of_box|>{call}<|end_of_box|>\nMemory:\n[]"
    ))
}

fn autoglm(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let at = |at: &Spot| {
        let (x, y) = nearest(*at, picture, 1000);
        format!("[{x},{y}]")
    };
    let plain = |text: &str| (!text.contains(['"', '\\', '\n'])).then(|| text.to_owned());
    let call = match intent {
        Intent::Act(Action::Click {
            at: Some(spot),
            button: Button::Left,
            count,
            modifiers: Modifiers::NONE,
        }) => match count {
            1 => format!("do(action=\"Tap\", element={})", at(spot)),
            2 => format!("do(action=\"Double Tap\", element={})", at(spot)),
            _ => return None,
        },
        Intent::Act(Action::Wait { millis }) => {
            format!("do(action=\"Wait\", duration=\"{} seconds\")", *millis as f64 / 1000.0)
        }
        Intent::Act(Action::Launch { argv }) => match argv.as_slice() {
            [program] => format!("do(action=\"Launch\", app=\"{}\")", plain(program)?),
            _ => return None,
        },
        Intent::Ask { question } => format!("do(action=\"Take_over\", message=\"{}\")", plain(question)?),
        Intent::Done { statement } => format!("finish(message=\"{}\")", plain(statement)?),
        Intent::Act(_) | Intent::Look(_) | Intent::Call { .. } => return None,
    };
    Written::text(format!("<think>It is next.</think>\n<answer>{call}</answer>"))
}

fn holo(intent: &Intent, place: &dyn Fn(Spot) -> Point) -> Option<Written> {
    let action = match intent {
        Intent::Act(Action::Click {
            at: Some(at),
            button: Button::Left,
            count: 1,
            modifiers: Modifiers::NONE,
        }) => {
            let (x, y) = place(*at);
            json!({"action": "click_element", "element": "it", "x": x, "y": y})
        }
        Intent::Act(Action::Scroll { at: None, by, modifiers: Modifiers::NONE }) => {
            let (way, 5) = way(*by)? else { return None };
            json!({"action": "scroll", "direction": way})
        }
        Intent::Act(Action::Wait { millis }) if millis % 1000 == 0 && *millis <= 10_000 => {
            json!({"action": "wait", "seconds": millis / 1000})
        }
        Intent::Done { statement } => json!({"action": "answer", "content": statement}),
        Intent::Act(_) | Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } => return None,
    };
    Written::text(json!({"note": "", "thought": "It is next.", "action": action}).to_string())
}

fn lux(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let at = |at: &Spot| {
        let (x, y) = nearest(*at, picture, 1000);
        format!("{x}, {y}")
    };
    let call = match intent {
        Intent::Act(Action::Click { at: Some(spot), button, count, modifiers: Modifiers::NONE }) => {
            let verb = match (button, count) {
                (Button::Left, 1) => "click",
                (Button::Left, 2) => "left_double",
                (Button::Left, 3) => "left_triple",
                (Button::Right, 1) => "right_single",
                _ => return None,
            };
            format!("{verb}({})", at(spot))
        }
        Intent::Act(Action::Drag { path, button: Button::Left, modifiers: Modifiers::NONE }) => {
            match path.as_slice() {
                [from, to] => format!("drag({}, {})", at(from), at(to)),
                _ => return None,
            }
        }
        Intent::Act(Action::Key { chord, repeat }) => format!("hotkey({chord}, {repeat})"),
        Intent::Act(Action::Type { text, .. }) => format!("type({text})"),
        Intent::Act(Action::Scroll { at: Some(spot), by, modifiers: Modifiers::NONE }) => {
            let (way, notches) = way(*by)?;
            (notches % 2 == 0).then(|| format!("scroll({}, {way}, {})", at(spot), notches / 2))?
        }
        Intent::Act(Action::Wait { millis: 1000 }) => "wait()".into(),
        Intent::Done { .. } => "finish()".into(),
        Intent::Act(_) | Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } => return None,
    };
    Written::text(format!(
        "<|think_start|> It is next. <|think_end|>\n<|action_start|> {call} <|action_end|>"
    ))
}

fn osworld(intent: &Intent, picture: &PictureGeometry) -> Option<Written> {
    let mut call = match intent {
        Intent::Act(action) => match action {
            Action::Click { at, button: b, count, modifiers: Modifiers::NONE } if *count <= 3 => {
                let mut call = json!({"action_type": "CLICK", "button": button(*b)?, "num_clicks": count});
                if let Some(at) = at {
                    let (x, y) = in_picture(*at, picture);
                    (call["x"], call["y"]) = (json!(x), json!(y));
                }
                call
            }
            Action::Move { to } => {
                let (x, y) = in_picture(*to, picture);
                json!({"action_type": "MOVE_TO", "x": x, "y": y})
            }
            Action::Down { at: None, button: b } => {
                json!({"action_type": "MOUSE_DOWN", "button": button(*b)?})
            }
            Action::Up { at: None, button: b } => json!({"action_type": "MOUSE_UP", "button": button(*b)?}),
            Action::Scroll { at: None, by: ScrollBy::Notches { dx, dy }, modifiers: Modifiers::NONE } => {
                json!({"action_type": "SCROLL", "dx": dx, "dy": dy})
            }
            Action::Type { text, .. } => json!({"action_type": "TYPING", "text": text}),
            Action::Key { chord, repeat: 1 } => match chord.0.as_slice() {
                [key] => json!({"action_type": "PRESS", "key": key.to_string()}),
                keys => {
                    let names: Vec<String> = keys.iter().map(ToString::to_string).collect();
                    json!({"action_type": "HOTKEY", "keys": names})
                }
            },
            Action::Wait { millis: 1000 } => json!({"action_type": "WAIT"}),
            _ => return None,
        },
        Intent::Done { .. } => json!({"action_type": "DONE"}),
        Intent::Look(_) | Intent::Call { .. } | Intent::Ask { .. } => return None,
    };
    if let Value::Object(call) = &mut call {
        call.retain(|_, value| !value.is_null());
    }
    Written::text(format!("I do the next step.\n```json\n{call}\n```"))
}
