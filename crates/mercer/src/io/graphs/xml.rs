//! The part of XML that graph files use: elements, attributes and text.

use crate::Result;
use crate::io::text_file::TextFile;

/// One event of a document.
#[derive(Debug, PartialEq)]
pub(super) enum Event<'a> {
    /// `<name …>`, or `<name …/>`, which is followed by its end.
    Start { name: &'a str, attributes: Vec<(&'a str, String)> },
    /// `</name>`.
    End { name: &'a str },
    /// Text between tags, without surrounding blanks.
    Text(String),
}

/// Reads a document from its beginning to its end. Comments, declarations and processing
/// instructions are skipped; prefixes of names are dropped.
pub(super) struct Reader<'a> {
    file: &'a TextFile,
    /// The place of the next byte.
    place: usize,
    /// The line of the next byte, counted from 1.
    line: usize,
    /// The name of an element that ended in its own tag.
    closed: Option<&'a str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: &'a TextFile) -> Self {
        Self { file, place: 0, line: 1, closed: None }
    }

    /// The line of the next byte, counted from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Moves over the next `length` bytes and returns them.
    fn take(&mut self, length: usize) -> &'a str {
        let taken = &self.file.text()[self.place..self.place + length];
        self.place += length;
        self.line += taken.matches('\n').count();
        taken
    }

    /// The next event, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Event<'a>>> {
        if let Some(name) = self.closed.take() {
            return Ok(Some(Event::End { name }));
        }
        loop {
            let rest = &self.file.text()[self.place..];
            if rest.is_empty() {
                return Ok(None);
            } else if rest.starts_with("<!--") {
                self.skip("-->")?;
            } else if rest.starts_with("<![CDATA[") {
                let text = self.skip("]]>")?;
                return Ok(Some(Event::Text(text["<![CDATA[".len()..].to_string())));
            } else if rest.starts_with("<?") || rest.starts_with("<!") {
                self.skip(">")?;
            } else if rest.starts_with('<') {
                return self.tag().map(Some);
            } else {
                let text = rest.split('<').next().unwrap_or_default();
                self.take(text.len());
                if !text.trim().is_empty() {
                    return Ok(Some(Event::Text(unescaped(text.trim()))));
                }
            }
        }
    }

    /// Moves behind the next occurrence of `end`, and returns what stands before it.
    fn skip(&mut self, end: &str) -> Result<&'a str> {
        let rest = &self.file.text()[self.place..];
        match rest.find(end) {
            None => Err(self.file.error(self.line(), format!("`{end}` is missing"))),
            Some(length) => Ok(&self.take(length + end.len())[..length]),
        }
    }

    fn tag(&mut self) -> Result<Event<'a>> {
        let line = self.line();
        self.place += 1;
        let mut inside = self.skip(">")?;
        // A `>` within a quoted value does not end the tag.
        while inside.matches('"').count() % 2 == 1 || (!inside.contains('"') && inside.matches('\'').count() % 2 == 1) {
            let more = self.skip(">")?.len() + 1;
            inside = &self.file.text()[self.place - 1 - more - inside.len()..self.place - 1];
        }
        if let Some(name) = inside.strip_prefix('/') {
            return Ok(Event::End { name: local(name.trim()) });
        }
        let open = inside.strip_suffix('/');
        let (name, rest) =
            open.unwrap_or(inside).split_once(char::is_whitespace).unwrap_or((open.unwrap_or(inside), ""));
        let attributes =
            attributes(rest).ok_or_else(|| self.file.error(line, format!("`<{inside}>` is not a valid tag")))?;
        self.closed = open.map(|_| local(name));
        Ok(Event::Start { name: local(name), attributes })
    }
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// `name="value"` pairs, or `None` if the text is something else.
fn attributes(mut text: &str) -> Option<Vec<(&str, String)>> {
    let mut found = Vec::new();
    while !text.trim_start().is_empty() {
        let (name, rest) = text.split_once('=')?;
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'')?;
        let (value, rest) = rest[1..].split_once(quote)?;
        found.push((name.trim(), unescaped(value)));
        text = rest;
    }
    Some(found)
}

/// The text with the five named entities and numbered characters replaced.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part.split_once(';').and_then(|(entity, rest)| Some((character(entity)?, rest))) {
            Some((c, rest)) => {
                out.push(c);
                out.push_str(rest);
            }
            None => {
                out.push('&');
                out.push_str(part);
            }
        }
    }
    out
}

fn character(entity: &str) -> Option<char> {
    match entity {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let code = entity.strip_prefix('#')?;
            let number = code.strip_prefix('x').map_or_else(|| code.parse(), |hex| u32::from_str_radix(hex, 16));
            char::from_u32(number.ok()?)
        }
    }
}
