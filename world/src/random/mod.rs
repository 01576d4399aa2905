//! Randomness that can be replayed: counter-based streams.
