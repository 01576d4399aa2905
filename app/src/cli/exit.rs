//! How the program ends: its exit codes, and the failure that carries one with a message.

use std::fmt;
use std::process::ExitCode;

use crate::files::{ReadError, SourceError, WriteError};

/// Why the program ended. The numbers are part of its interface: scripts rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// What was asked for is done.
    Done = 0,
    /// Something went wrong that no other code names.
    Unexpected = 1,
    /// The command line itself is wrong.
    Usage = 2,
    /// An assertion does not hold.
    AssertionFailed = 3,
    /// The query matches nothing.
    NothingMatched = 4,
    /// A file is missing, unreadable, or cannot be written.
    File = 5,
    /// A file was read and is no valid scene.
    Invalid = 6,
    /// Two worlds that should be equal differ.
    Differs = 7,
    /// Slower than the baseline allows.
    Regression = 8,
    /// The time that was allowed is over.
    Timeout = 9,
    /// A system of the world failed.
    SystemFailed = 10,
    /// The user stopped it; what was asked for was written.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The table for the help text.
pub(super) const EXIT_CODES: &str = "\
Exit codes:
    0  done
    1  unexpected failure
    2  wrong usage
    3  an assertion does not hold
    4  nothing matched
    5  a file is missing, unreadable, or cannot be written
    6  a file is no valid scene
    7  worlds differ
    8  slower than the baseline allows
    9  out of time
   10  a system failed
  130  interrupted (the tick is finished and what was asked for is written)";

/// A command that did not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What is wrong and what to do, for the user.
    pub(crate) message: String,
}

impl Failure {
    /// A failure with this code and message.
    pub(crate) fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string() }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let exit = if error.is_about_content() { Exit::Invalid } else { Exit::File };
        Self::new(exit, error)
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::new(Exit::File, error)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::new(Exit::File, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_every_exit_code() {
        let all = [
            Exit::Done,
            Exit::Unexpected,
            Exit::Usage,
            Exit::AssertionFailed,
            Exit::NothingMatched,
            Exit::File,
            Exit::Invalid,
            Exit::Differs,
            Exit::Regression,
            Exit::Timeout,
            Exit::SystemFailed,
            Exit::Interrupted,
        ];
        let listed: Vec<u8> = EXIT_CODES
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(listed, all.map(|exit| exit as u8));
    }
}
