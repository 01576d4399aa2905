//! Which systems may run together, and why not: decided purely, before anything runs.
