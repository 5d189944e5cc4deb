//! What the libraries have to say, as lines on stderr.
//!
//! Libraries never print: they leave `tracing` events, and this turns them into lines without time or colour. Progress of a run is
//! not logged but rendered (`progress.rs`). By default warnings show; `-v`, `-q` and `HANDSIGHT_LOG` change that.

use crate::cli::Verbosity;
use crate::environment::Environment;
use crate::exit::Failure;
use crate::say;
use std::fmt;
use std::sync::OnceLock;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::{EnvFilter, registry};

static VERBOSITY: OnceLock<Verbosity> = OnceLock::new();

/// How much the person wants to read.
pub(crate) fn verbosity() -> Verbosity {
    VERBOSITY.get().copied().unwrap_or(Verbosity::Normal)
}

/// Starts listening. Fails only on directives that make no sense.
pub(crate) fn start(verbosity: Verbosity, environment: &Environment) -> anyhow::Result<()> {
    let _first = VERBOSITY.set(verbosity);
    let filter = match environment.get("HANDSIGHT_LOG") {
        Some(directives) => EnvFilter::try_new(directives).map_err(|e| {
            Failure::usage(format!("HANDSIGHT_LOG={directives:?}: {e}"), "Try `HANDSIGHT_LOG=debug`.")
        })?,
        None => EnvFilter::new(match verbosity {
            Verbosity::Quiet => "error",
            Verbosity::Normal => "warn",
            Verbosity::Verbose => {
                "warn,handsight=info,handsight_agent=info,handsight_desktop=info,handsight_model=info,handsight_store=info"
            }
            Verbosity::Everything => {
                "info,handsight=trace,handsight_agent=trace,handsight_desktop=trace,handsight_model=trace,handsight_store=trace"
            }
        }),
    };
    let subscriber = registry().with(filter).with(Lines);
    // A test harness may have set one; then that one listens.
    let _already = tracing::subscriber::set_global_default(subscriber);
    Ok(())
}

struct Lines;

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = Text::default();
        event.record(&mut text);
        let line = text.message + &text.fields;
        match *event.metadata().level() {
            Level::ERROR => say::error(&line),
            Level::WARN => say::warning(&line),
            Level::INFO => say::note(&line),
            Level::DEBUG | Level::TRACE => say::note(&format!("[{}] {line}", event.metadata().target())),
        }
    }
}

#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.fields.push_str(&format!(" {}={value:?}", field.name()));
        }
    }
}
