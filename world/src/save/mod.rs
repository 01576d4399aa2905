//! Saves: entities as short strings, and the definitions that make them short.
