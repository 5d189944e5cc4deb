//! Reading a streamed reply as its bytes come: events out of bytes, a body out of events.

use crate::http::BODY_CAP;
use crate::wire::sse::Decoder;
use crate::wire::{Assemble, StreamFault, Wire};

pub(crate) struct Reading {
    decoder: Decoder,
    assemble: Box<dyn Assemble>,
}

impl Reading {
    pub(crate) const MEDIA_TYPE: &str = "text/event-stream";

    pub(crate) fn new(wire: &Wire) -> Self {
        Self { decoder: Decoder::new(BODY_CAP as usize), assemble: (wire.assemble)() }
    }

    /// Takes the next bytes. `Ok(true)` when the reply is whole.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Result<bool, StreamFault> {
        let mut events = Vec::new();
        let read = self.decoder.push(piece, &mut events);
        for event in &events {
            if self.assemble.event(event)? {
                return Ok(true);
            }
        }
        read?;
        Ok(false)
    }

    /// The body as it would have come without a stream.
    pub(crate) fn finish(&mut self) -> Result<Vec<u8>, StreamFault> {
        self.assemble.finish()
    }
}
