//! The frame path on the screen, whole and in parts: capture, scale, PNG, base64, HUD, click.
//!
//! Every part is the product's own code on what the screen shows now. Clicks go through gate and hands like a model's; they
//! fall where the pointer was at the start.

use super::Bench;
use super::figure::Figure;
use crate::assemble::desktop::{Kit, connector, hands};
use crate::assemble::native::{self, NativeDesktop};
use crate::exit::{Exit, Failure};
use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handsight_agent::marks::Marks;
use handsight_agent::policy;
use handsight_agent::tools::{Meaning, ToolSet};
use handsight_base::flow::action::{Action, Button, Timing};
use handsight_base::flow::format::PictureFormat;
use handsight_base::flow::frame::{Frame, Shown};
use handsight_base::flow::intent::Intent;
use handsight_base::gate::{Gate, Scene, Work};
use handsight_base::key::Modifiers;
use handsight_base::port::clock::Clock as _;
use handsight_base::port::desktop::{CaptureRequest, Desktop, Overlay, OverlayInCapture, Pulse};
use handsight_base::port::dialect::Dialect;
use handsight_base::space::{
    At, FrameId, FramePx, FrameRect, PictureGeometry, PicturePx, Rect, ScreenPx, ScreenRect, Size,
};
use handsight_model::wire::chat;
use handsight_pixel::annotate::{Annotations, Annotator, Grid, Magnifier, Mark, PALETTE};
use handsight_pixel::blend::{Exporter, Scaling};
use handsight_pixel::font::FontStack;
use handsight_pixel::hud::{HudStyle, draw};
use handsight_pixel::picture::{PictureEncoder, Written};
use handsight_pixel::png::PngEncoder;
use handsight_pixel::rgb::Rgb24;
use handsight_pixel::scale::Smooth;
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

/// The picture that the shipped profile sends.
const PICTURE: Size = Size::new(1536, 864);
/// A reason as models write them.
const REASON: &str = "The dialog is open and its name field has the focus. I have typed the name; next I press Save, and \
expect the dialog to close and the title of the window to show the new name.";

/// Eyes and hands on the display, and what makes pictures.
pub(super) struct Screen {
    desktop: Box<dyn Desktop>,
    pulse: Option<Arc<dyn Pulse>>,
    gate: Gate,
    exporter: Exporter,
    png: PngEncoder,
    dialect: Box<dyn Dialect>,
    tools: ToolSet,
    frames: u64,
    /// Where clicks fall.
    at: ScreenPx,
}

impl Screen {
    pub(super) fn open(bench: &Bench<'_>) -> anyhow::Result<Self> {
        let profile = &bench.settings.profile;
        let hands =
            hands(bench.environment, profile, &bench.desktop)?.context("this desktop has no hands")?;
        let gate = policy::gate(profile)?;
        let kit = Kit { hands: Some(hands), ..Kit::eyes(Arc::new(bench.clock.clone())) };
        let mut desktop = connector(&bench.desktop, kit)?()?;
        let tools = ToolSet::of(profile)?;
        let name = &profile.decide.dialect;
        let dialect = handsight_model::dialect::build(name, &tools.specs())
            .with_context(|| format!("there is no dialect {name:?}"))??;
        let at = match desktop.pointer()? {
            Some(at) => at,
            // A VNC server does not say; wherever it is, it may be put in the middle.
            None => desktop.displays()?.first().context("this desktop has no display")?.area.center(),
        };
        let pulse = desktop.pulse();
        let (exporter, png) = (Exporter::new(), PngEncoder::new());
        Ok(Self { desktop, pulse, gate, exporter, png, dialect, tools, frames: 0, at })
    }

    /// Where clicks fall, in screen units.
    pub(super) const fn place(&self) -> ScreenPx {
        self.at
    }

    pub(super) fn frame(&mut self) -> anyhow::Result<Frame> {
        self.picture(OverlayInCapture::AsShown)
    }

    fn picture(&mut self, overlay: OverlayInCapture) -> anyhow::Result<Frame> {
        self.frames += 1;
        let request = CaptureRequest {
            frame: FrameId(self.frames),
            shown: Shown::AllDisplays,
            region: None,
            cursor: true,
            overlay,
        };
        Ok(self.desktop.capture(&request)?)
    }

    /// Lets the gate see an action and the hands do it.
    fn act(&mut self, bench: &Bench<'_>, frame: &Frame, action: Action) -> anyhow::Result<()> {
        let scene = Scene::new(&frame.geometry, self.frames);
        let work = self.gate.approve(action, &scene)?.expand(&frame.geometry, &Timing::default())?;
        let Work::Input(batch) = work else { bail!("a click became something else than input") };
        if let Some(pulse) = &self.pulse {
            pulse.beat();
        }
        if !self.desktop.inject(batch, &bench.stop)?.complete {
            if let Some(reason) = bench.stop.reason() {
                return Err(Failure::stopped(reason).into());
            }
            bail!(Failure::new(
                Exit::DesktopLost,
                "the hands ended a click early and released everything",
                "The machine stood still for more than 250 ms; try again when it is less busy.",
            ));
        }
        Ok(())
    }

    /// A click one pixel beside the last one, so that the pointer has to move.
    fn click(&mut self, bench: &Bench<'_>, frame: &Frame) -> anyhow::Result<()> {
        let step = (self.frames % 2) as i32;
        let origin = frame.geometry.origin;
        let last = frame.size().width as i32 - 1;
        let point = FramePx::new((self.at.x - origin.x + step).min(last), self.at.y - origin.y);
        let at = Some(At { point, frame: frame.id() });
        self.act(
            bench,
            frame,
            Action::Click { at, button: Button::Left, count: 1, modifiers: Modifiers::default() },
        )
    }

    /// The whole path: from the screen to what is sent, and a click. Returns the size of the picture in bytes.
    pub(super) fn path(&mut self, bench: &Bench<'_>) -> anyhow::Result<usize> {
        let frame = self.frame()?;
        let picture =
            self.exporter.export(frame.view(), frame.geometry.whole(), PICTURE, Scaling::Nearest, &[])?;
        let png = self.png.encode(picture)?;
        black_box(STANDARD.encode(&png));
        self.click(bench, &frame)?;
        Ok(png.len())
    }
}

/// A capture beside the server's part of it, which no program can do without.
pub(super) fn capture(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut screen = Screen::open(bench)?;
    if !bench.desktop.is_native() {
        let whole = bench.samples(|| screen.frame().map(drop))?;
        return Ok(vec![Figure::new("capture with cursor", whole).at_most(50.0)]);
    }
    let mut eye = native::connect(&bench.desktop, Kit::eyes(Arc::new(bench.clock.clone())))?;
    let (mut whole, mut bare) = (Vec::new(), Vec::new());
    // The first ones make the segments.
    eye.bare_grab()?;
    drop(screen.frame()?);
    for _ in 0..bench.runs {
        bare.push(bench.time(|| eye.bare_grab())?);
        whole.push(bench.time(|| screen.frame().map(drop))?);
    }
    let ratio = Figure::ratio("capture / bare", &whole, &bare).at_most(1.3);
    Ok(vec![
        Figure::new("capture with cursor", whole).at_most(50.0),
        Figure::new(NativeDesktop::BARE_GRAB, bare),
        ratio,
    ])
}

pub(super) fn scale(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut screen = Screen::open(bench)?;
    let frame = screen.frame()?;
    let mut scaled = |scaling| {
        let pane = frame.geometry.whole();
        let exporter = &mut screen.exporter;
        exporter.export(frame.view(), pane, PICTURE, scaling, &[])?;
        bench.samples(|| exporter.export(frame.view(), pane, PICTURE, scaling, &[]).map(drop))
    };
    Ok(vec![
        Figure::new("scale to 1536x864", scaled(Scaling::Nearest)?).at_most(3.0),
        Figure::new("scale, bilinear", scaled(Scaling::Smooth(Smooth::Bilinear))?),
        Figure::new("scale, Lanczos", scaled(Scaling::Smooth(Smooth::Lanczos))?),
    ])
}

pub(super) fn png(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut screen = Screen::open(bench)?;
    let frame = screen.frame()?;
    let picture: Rgb24 =
        screen.exporter.export(frame.view(), frame.geometry.whole(), PICTURE, Scaling::Nearest, &[])?.clone();
    let bytes = screen.png.encode(&picture)?;
    let encoded = bench.samples(|| screen.png.encode(&picture).map(drop))?;
    let text = bench.samples(|| {
        black_box(STANDARD.encode(&bytes));
        anyhow::Ok(())
    })?;
    Ok(vec![
        Figure::new("PNG of 1536x864", encoded).at_most(10.0),
        Figure::new("PNG size", [bytes.len() as f64 / 1024.0]).unit("KiB"),
        Figure::new("base64", text),
    ])
}

/// The whole screen at its own size in each format that a picture may have, and how large the file is.
pub(super) fn formats(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut screen = Screen::open(bench)?;
    let frame = screen.frame()?;
    let pane = frame.geometry.whole();
    let picture: Rgb24 =
        screen.exporter.export(frame.view(), pane, frame.size(), Scaling::Nearest, &[])?.clone();
    let quality = bench.settings.profile.context.picture_quality;
    let mut encoder = PictureEncoder::new();
    let mut figures = Vec::new();
    for (format, time, size) in [
        (PictureFormat::Png, "PNG of the whole screen", "PNG size, whole screen"),
        (PictureFormat::Webp, "WebP, lossless, of it", "WebP size"),
        (PictureFormat::Jpeg, "JPEG of it", "JPEG size"),
    ] {
        let written = Written { format, quality };
        let bytes = encoder.encode(&picture, written)?.len();
        figures.push(Figure::new(time, bench.samples(|| encoder.encode(&picture, written).map(drop))?));
        figures.push(Figure::new(size, [bytes as f64 / 1024.0]).unit("KiB"));
    }
    Ok(figures)
}

/// Layout and drawing of a text that is new each time, as in a run; of as much text as the HUD takes; and of everything that can
/// be drawn on a picture as large as the screen.
pub(super) fn annotate(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut fonts = FontStack::builtin(bench.settings.profile.hud.font_weight);
    let (style, screen) = (HudStyle::default(), bench.screen);
    let full = [REASON; 8].join("\n");
    let mut drawn = |text: &str| {
        let mut n = 0;
        bench.samples(|| {
            n += 1;
            draw(&format!("{n}. {text}"), screen, &style, &mut fonts)
                .map(|canvas| drop(black_box(canvas)))
                .context("the HUD drew nothing")
        })
    };
    Ok(vec![
        Figure::new("annotate", drawn(REASON)?).at_most(3.0),
        Figure::new("annotate, a full HUD", drawn(&full)?).at_most(10.0),
        Figure::new("annotate, all aids", aids(bench)?).at_most(3.0),
    ])
}

/// Grid, crosshair, enlarged view, banner and a dozen boxes with numbers, on the whole screen at its own size.
fn aids(bench: &Bench<'_>) -> anyhow::Result<Vec<f64>> {
    let mut screen = Screen::open(bench)?;
    let frame = screen.frame()?;
    let (pane, size) = (frame.geometry.whole(), frame.size());
    let mut picture: Rgb24 = screen.exporter.export(frame.view(), pane, size, Scaling::Nearest, &[])?.clone();
    let [width, height] = [size.width, size.height].map(f64::from);
    let marks: Vec<Mark> = PALETTE
        .iter()
        .cycle()
        .zip(0..12)
        .map(|(&color, n)| Mark {
            area: Rect {
                origin: PicturePx { x: width / 16.0 * f64::from(n), y: height / 2.0 },
                size: Size::new(size.width / 20, size.height / 20),
            },
            color,
            number: Some(n),
        })
        .collect();
    let all = Annotations {
        grid: Grid { fine_px: 50, coarse_px: 200 },
        pointer: Some(PicturePx { x: width / 3.0, y: height / 3.0 }),
        crosshair: true,
        magnifier: Magnifier { side_px: 96, times: 4 },
        banner: true,
        marks: &marks,
    };
    let mut annotator = Annotator::new();
    bench.samples(|| {
        annotator.draw(black_box(&mut picture), &all);
        anyhow::Ok(())
    })
}

/// A text that changes, drawn beforehand: shown above the screen, and in a picture of it; then what a picture without it
/// costs more. Where the HUD is blended into the picture, `annotate` has its cost.
pub(super) fn hud(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut screen = Screen::open(bench)?;
    if !screen.desktop.info().capabilities.overlay_in_capture {
        return Ok(Vec::new());
    }
    let origin = screen.frame()?.geometry.origin;
    let mut fonts = FontStack::builtin(bench.settings.profile.hud.font_weight);
    let overlays: Vec<Overlay> = ["1", "2"]
        .iter()
        .filter_map(|n| draw(&format!("{n}. {REASON}"), bench.screen, &HudStyle::default(), &mut fonts))
        .map(|canvas| {
            let FrameRect { origin: at, size } = canvas.area();
            let area = ScreenRect { origin: origin.offset(at.x, at.y), size };
            Overlay { area, bgra: canvas.bgra().into() }
        })
        .collect();
    let mut turn = overlays.iter().cycle();
    let mut show = |desktop: &mut dyn Desktop| desktop.overlay(turn.next());
    let shown = bench.samples(|| show(&mut *screen.desktop))?;
    let mut seen = |overlay| {
        bench.samples(|| {
            show(&mut *screen.desktop)?;
            screen.picture(overlay).map(drop)
        })
    };
    let figures = vec![
        Figure::new("HUD: a new text", shown),
        Figure::new("HUD: a new text, and a picture", seen(OverlayInCapture::AsShown)?),
        Figure::new("HUD: a picture without it", seen(OverlayInCapture::Hidden)?),
    ];
    screen.desktop.overlay(None)?;
    Ok(figures)
}

/// From a reply's bytes to the acknowledgement that the server has the click.
pub(super) fn input(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut screen = Screen::open(bench)?;
    let frame = screen.frame()?;
    let picture = PictureGeometry { frame: frame.id(), pane: frame.geometry.whole(), size: PICTURE };
    let replies = [0, 1].map(|step| reply(&screen, &frame, step));
    let mut n = 0;
    let mut once = || -> anyhow::Result<()> {
        n += 1;
        let reply = (chat::WIRE.decode)(&replies[n % 2]).map_err(|why| anyhow::anyhow!(why))?;
        for planned in screen.dialect.decode(&reply, &picture)?.plan {
            let Intent::Call { tool, args } = planned.intent else { bail!("the reply holds no call") };
            let Meaning::Act(actions) = screen.tools.call(&tool, &args, &picture, &Marks::default())?.meaning
            else {
                bail!("a click that does nothing");
            };
            for action in actions {
                screen.act(bench, &frame, action)?;
            }
        }
        Ok(())
    };
    once()?;
    let direct = bench.samples(&mut once)?;
    // The profile waits after each action for the program to take it; few samples tell what a fixed wait does.
    let wait = Duration::from_secs_f64(bench.delay);
    let mut waited = Vec::new();
    for _ in 0..bench.runs.min(10) {
        waited.push(bench.time(|| {
            once()?;
            bench.runtime.block_on(bench.clock.sleep(wait));
            anyhow::Ok(())
        })?);
    }
    Ok(vec![
        Figure::new("parse + gate + inject", direct).at_most(2.0),
        Figure::new("input with its delay", waited),
    ])
}

/// A click beside the pointer's place, as the chat wire brings it.
fn reply(screen: &Screen, frame: &Frame, step: i32) -> Vec<u8> {
    let norm = |v: i32, length: u32| f64::from(v) * 1000.0 / f64::from(length.max(2) - 1);
    let (origin, size) = (frame.geometry.origin, frame.size());
    let x = norm(screen.at.x - origin.x + step * 2, size.width).clamp(0.0, 1000.0);
    let y = norm(screen.at.y - origin.y, size.height).clamp(0.0, 1000.0);
    let arguments = json!({ "x": x, "y": y, "reason": REASON }).to_string();
    let call = json!({ "id": "call_1", "type": "function", "function": { "name": "click", "arguments": arguments } });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    json!({
        "id": "reply", "object": "chat.completion", "model": "bench",
        "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 1500, "completion_tokens": 60, "total_tokens": 1560 },
    })
    .to_string()
    .into_bytes()
}

pub(super) fn path(bench: &Bench<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut screen = Screen::open(bench)?;
    screen.path(bench)?;
    Ok(vec![Figure::new("frame path", bench.samples(|| screen.path(bench).map(drop))?)])
}
