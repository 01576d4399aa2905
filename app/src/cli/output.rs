//! Standard output: data and nothing else.

use std::io::{self, ErrorKind, Write};

use super::exit::{Exit, Failure};

/// Where data goes. A reader that goes away, as `head` does, is no failure: what follows is dropped.
pub(super) struct Output<W: Write = io::Stdout> {
    writer: io::BufWriter<W>,
    closed: bool,
}

impl Output {
    /// The process's standard output.
    pub(super) fn stdout() -> Self {
        Self::to(io::stdout())
    }
}

impl<W: Write> Output<W> {
    fn to(writer: W) -> Self {
        Self { writer: io::BufWriter::new(writer), closed: false }
    }

    /// Nobody reads any more, so nothing more needs to be computed for it.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Writes `text` as it is.
    ///
    /// # Errors
    /// If the output cannot be written for any other reason than that its reader is gone.
    pub(super) fn text(&mut self, text: &str) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        let result = self.writer.write_all(text.as_bytes());
        self.settle(result)
    }

    /// Writes a line and hands it on at once.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub(super) fn line(&mut self, line: impl std::fmt::Display) -> Result<(), Failure> {
        self.text(&format!("{line}\n"))?;
        self.flush()
    }

    /// Writes one JSON document with its end of line.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub(super) fn json(&mut self, document: &serde_json::Value) -> Result<(), Failure> {
        self.line(format_args!("{document:#}"))
    }

    /// Hands on what was written so far.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        let result = self.writer.flush();
        self.settle(result)
    }

    fn settle(&mut self, result: io::Result<()>) -> Result<(), Failure> {
        match result {
            Ok(()) => Ok(()),
            Err(error) => {
                // What is still buffered would fail again when the writer is dropped, and be ignored there.
                self.closed = true;
                match error.kind() {
                    ErrorKind::BrokenPipe => Ok(()),
                    _ => Err(Failure::new(
                        Exit::File,
                        format_args!("standard output: cannot be written: {error}"),
                    )),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken(ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(self.0))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let mut output = Output::to(Broken(ErrorKind::BrokenPipe));
        assert!(output.line("one").is_ok());
        assert!(output.is_closed());
        assert!(output.line("two").is_ok());
    }

    #[test]
    fn a_full_disk_is_a_failure() {
        let mut output = Output::to(Broken(ErrorKind::StorageFull));
        assert_eq!(output.line("one").unwrap_err().exit, Exit::File);
    }
}
