//! The shape of a kernel text, before any name is looked up.

use crate::{Error, Result, SyntaxError};

/// A piece of the text with the place where it starts (in characters).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    pub start: usize,
    pub syntax: Syntax,
}

/// What a piece can be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Syntax {
    Number(f64),
    Word(String),
    /// A text in quotation marks.
    Quoted(String),
    List(Vec<Piece>),
    Call(String, Vec<Argument>),
    Sum(Vec<Piece>),
    Product(Vec<Piece>),
    Power(Box<Piece>, Box<Piece>),
}

/// An argument of a call, named or not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    pub name: Option<String>,
    pub start: usize,
    pub value: Piece,
}

/// An error that points at a character of the text.
pub(crate) fn error_at(text: &str, position: usize, message: impl Into<String>) -> Error {
    Error::Syntax(Box::new(SyntaxError { text: text.into(), position, message: message.into(), suggestion: None }))
}

/// How deep brackets may nest: far beyond what people write, far below what the stack holds.
const MAX_DEPTH: usize = 64;

/// Reads a text into its shape.
pub(crate) fn read(text: &str) -> Result<Piece> {
    let mut reader = Reader { text, characters: text.chars().collect(), at: 0, depth: 0 };
    let piece = reader.sum()?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(piece),
        Some('-') => {
            Err(reader.error("a difference is written minus(k1, k2), because it is not assumed to be positive"))
        }
        Some(c) => Err(reader.error(format!("expected `+`, `*`, `^` or the end, found `{c}`"))),
    }
}

struct Reader<'t> {
    text: &'t str,
    characters: Vec<char>,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> Error {
        error_at(self.text, self.at, message)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    /// Takes the character if it comes next (after space).
    fn take(&mut self, requested: char) -> bool {
        self.skip_space();
        let found = self.peek() == Some(requested);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, requested: char, why: &str) -> Result<()> {
        if self.take(requested) {
            return Ok(());
        }
        let found = self.peek().map_or("the end".into(), |c| format!("`{c}`"));
        Err(self.error(format!("expected `{requested}` {why}, found {found}")))
    }

    fn sum(&mut self) -> Result<Piece> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("brackets nest deeper than {MAX_DEPTH}")));
        }
        let piece = self.chain('+', Self::product, Syntax::Sum);
        self.depth -= 1;
        piece
    }

    fn product(&mut self) -> Result<Piece> {
        self.chain('*', Self::power, Syntax::Product)
    }

    /// `part (separator part)*`; a single part is returned as it is.
    fn chain(
        &mut self,
        separator: char,
        part: fn(&mut Self) -> Result<Piece>,
        make: fn(Vec<Piece>) -> Syntax,
    ) -> Result<Piece> {
        let first = part(self)?;
        let start = first.start;
        let mut parts = vec![first];
        while self.take(separator) {
            parts.push(part(self)?);
        }
        match parts.len() {
            1 => Ok(parts.remove(0)),
            _ => Ok(Piece { start, syntax: make(parts) }),
        }
    }

    fn power(&mut self) -> Result<Piece> {
        let mut base = self.atom()?;
        while self.take('^') {
            let exponent = self.atom()?;
            base = Piece { start: base.start, syntax: Syntax::Power(Box::new(base), Box::new(exponent)) };
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Piece> {
        self.skip_space();
        let start = self.at;
        let syntax = match self.peek() {
            Some('(') => return self.bracketed(),
            Some('[') => self.list()?,
            Some('"') => Syntax::Quoted(self.quoted()?),
            Some(c) if c.is_ascii_digit() || c == '.' || c == '-' => Syntax::Number(self.number()?),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.word_or_call()?,
            Some(c) => {
                return Err(self.error(format!("expected a kernel or a number, found `{c}`")));
            }
            None => return Err(self.error("expected a kernel or a number, found the end")),
        };
        Ok(Piece { start, syntax })
    }

    fn bracketed(&mut self) -> Result<Piece> {
        self.at += 1;
        let inside = self.sum()?;
        self.expect(')', "to close the bracket")?;
        Ok(inside)
    }

    fn list(&mut self) -> Result<Syntax> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take(']') {
            return Ok(Syntax::List(items));
        }
        loop {
            items.push(self.sum()?);
            if !self.take(',') {
                break;
            }
        }
        self.expect(']', "or `,` in the list")?;
        Ok(Syntax::List(items))
    }

    /// A text in quotation marks, with the escapes `\"`, `\\`, `\n`, `\r`, `\t` and `\u{…}`.
    fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let character = match self.peek() {
                None => return Err(error_at(self.text, start, "the quotation mark is not closed")),
                Some('"') => break,
                Some('\\') => self.escape()?,
                Some(other) => other,
            };
            text.push(character);
            self.at += 1;
        }
        self.at += 1;
        Ok(text)
    }

    /// The character of an escape; the reader stays at its last character.
    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(same @ ('"' | '\\')) => Ok(same),
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some('u') => {
                self.scalar().ok_or_else(|| error_at(self.text, start, r"expected an escape such as \u{1f642}"))
            }
            _ => Err(error_at(self.text, start, r#"the escapes are \", \\, \n, \r, \t and \u{…}"#)),
        }
    }

    /// The character of `u{…}`.
    fn scalar(&mut self) -> Option<char> {
        let rest = &self.characters[self.at + 1..];
        let close = rest.iter().position(|c| *c == '}')?;
        let digits: String = rest[..close].strip_prefix(&['{'])?.iter().collect();
        self.at += 1 + close;
        char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
    }

    /// A decimal number, or a fraction of two such as `3/2`.
    fn number(&mut self) -> Result<f64> {
        let numerator = self.decimal()?;
        if !self.take('/') {
            return Ok(numerator);
        }
        self.skip_space();
        Ok(numerator / self.decimal()?)
    }

    fn decimal(&mut self) -> Result<f64> {
        let start = self.at;
        if self.peek() == Some('-') {
            self.at += 1;
        }
        while let Some(c) = self.peek() {
            let after_exponent = matches!(self.characters[self.at.saturating_sub(1)], 'e' | 'E') && self.at > start;
            if c.is_ascii_digit() || c == '.' || c == 'e' || c == 'E' || (after_exponent && (c == '+' || c == '-')) {
                self.at += 1;
            } else {
                break;
            }
        }
        let digits: String = self.characters[start..self.at].iter().collect();
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(error_at(self.text, start, format!("{digits} is too large for a number"))),
            Err(_) => Err(error_at(self.text, start, format!("expected a number, found `{digits}`"))),
        }
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        self.characters[start..self.at].iter().collect()
    }

    fn word_or_call(&mut self) -> Result<Syntax> {
        let word = self.word();
        if !self.take('(') {
            return Ok(Syntax::Word(word));
        }
        let mut arguments = Vec::new();
        if !self.take(')') {
            loop {
                arguments.push(self.argument()?);
                if !self.take(',') {
                    break;
                }
            }
            self.expect(')', &format!("or `,` in the arguments of {word}"))?;
        }
        Ok(Syntax::Call(word, arguments))
    }

    /// `name=value` or `value`.
    fn argument(&mut self) -> Result<Argument> {
        self.skip_space();
        let start = self.at;
        if self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            let name = self.word();
            if self.take('=') {
                return Ok(Argument { name: Some(name), start, value: self.sum()? });
            }
            self.at = start;
        }
        Ok(Argument { name: None, start, value: self.sum()? })
    }
}
