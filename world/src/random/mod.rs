//! Randomness that can be replayed: counter-based streams.

mod philox;
mod stream;

pub use stream::{MAX_SEED, SharedStream, Stream, StreamState, fresh_seed, run_stream};
