//! Scene files: text in, a checked document with positions out.
