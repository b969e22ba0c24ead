//! Columns separated by runs of spaces, normalized to one space.

use std::io::{self, Read};

/// Bytes that are read at a time. Any value between 16 KiB and 1 MiB would do.
const CHUNK: usize = 1 << 16;

/// Passes the text on with each run of spaces and tabs as one space, and none at either end of a
/// line. Quoted text is left as it is.
pub(super) struct Squeeze<R> {
    inner: R,
    input: Vec<u8>,
    output: Vec<u8>,
    position: usize,
    line_start: bool,
    gap: bool,
    quoted: bool,
}

impl<R: Read> Squeeze<R> {
    pub fn new(inner: R) -> Self {
        let (input, output) = (vec![0; CHUNK], Vec::with_capacity(CHUNK + 1));
        Self { inner, input, output, position: 0, line_start: true, gap: false, quoted: false }
    }

    fn refill(&mut self) -> io::Result<()> {
        self.output.clear();
        self.position = 0;
        while self.output.is_empty() {
            let read = self.inner.read(&mut self.input)?;
            if read == 0 {
                return Ok(());
            }
            (0..read).for_each(|i| self.pass(self.input[i]));
        }
        Ok(())
    }

    fn pass(&mut self, byte: u8) {
        match byte {
            b' ' | b'\t' if !self.quoted => self.gap = true,
            b'\n' | b'\r' if !self.quoted => {
                (self.gap, self.line_start) = (false, true);
                self.output.push(byte);
            }
            _ => {
                let cell_start = self.line_start || self.gap;
                if self.gap && !self.line_start {
                    self.output.push(b' ');
                }
                self.quoted = if byte == b'"' { !self.quoted && cell_start } else { self.quoted };
                (self.gap, self.line_start) = (false, false);
                self.output.push(byte);
            }
        }
    }
}

impl<R: Read> Read for Squeeze<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position == self.output.len() {
            self.refill()?;
        }
        let count = buffer.len().min(self.output.len() - self.position);
        buffer[..count].copy_from_slice(&self.output[self.position..self.position + count]);
        self.position += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_become_one_space() {
        let text = "  a \t b  \r\n\n 1   \"x  y\"  2\n   \n";
        let mut found = String::new();
        Squeeze::new(text.as_bytes()).read_to_string(&mut found).unwrap();
        assert_eq!(found, "a b\r\n\n1 \"x  y\" 2\n\n");
    }
}
