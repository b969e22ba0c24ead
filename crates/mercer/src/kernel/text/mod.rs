//! One grammar, one serial form: what a user types, what a model file holds, what Python prints,
//! what errors quote.
//!
//! ```text
//! sum     = product { "+" product }
//! product = power { "*" power }
//! power   = atom { "^" whole number }
//! atom    = number | name "(" [ argument { "," argument } ] ")" | "(" sum ")"
//! argument = [ name "=" ] ( sum | list | word | text )
//! text    = '"' { character | escape } '"'
//! number  = decimal [ "/" decimal ]
//! ```

mod arguments;
mod print;
pub(crate) mod syntax;

use std::str::FromStr;

pub(crate) use arguments::Arguments;
use syntax::{Piece, Syntax, error_at};

use super::{Kernel, catalogue, custom};
use crate::{Error, Result};

impl FromStr for Kernel {
    type Err = Error;

    /// Reads a kernel from its text. See the [module](self) for the grammar.
    fn from_str(text: &str) -> Result<Self> {
        build_kernel(text, &syntax::read(text)?)
    }
}

/// Looks up the names and builds the kernel.
pub(crate) fn build_kernel(text: &str, piece: &Piece) -> Result<Kernel> {
    match &piece.syntax {
        Syntax::Number(value) => Kernel::constant(*value).map_err(|e| error_at(text, piece.start, e.to_string())),
        Syntax::Sum(parts) => fold(text, parts, |a, b| a + b),
        Syntax::Product(parts) => build_product(text, parts),
        Syntax::Power(base, exponent) => build_power(text, base, exponent),
        Syntax::Call(name, _) if name == custom::leaf::ENTRY.name => Err(program_kernel(text, piece.start)),
        Syntax::Call(name, arguments) => {
            let entry = catalogue::find(name).ok_or_else(|| unknown(text, piece.start, name))?;
            Arguments::new(text, entry.name, piece.start, arguments).build(entry.build)
        }
        Syntax::Word(word) => Err(bare_word(text, piece.start, word)),
        Syntax::List(_) => Err(error_at(text, piece.start, "expected a kernel, found a list")),
        Syntax::Quoted(_) => Err(error_at(text, piece.start, "expected a kernel, found a text in quotation marks")),
    }
}

fn fold(text: &str, parts: &[Piece], combine: fn(Kernel, Kernel) -> Kernel) -> Result<Kernel> {
    let mut kernels = parts.iter().map(|part| build_kernel(text, part));
    let first = kernels.next().unwrap_or_else(|| Kernel::constant(0.0))?;
    kernels.try_fold(first, |sum, kernel| Ok(combine(sum, kernel?)))
}

/// Numbers among the factors become one scale.
fn build_product(text: &str, parts: &[Piece]) -> Result<Kernel> {
    let mut scale = None;
    let mut factors = Vec::new();
    for part in parts {
        match part.syntax {
            Syntax::Number(value) if value < 0.0 => {
                return Err(error_at(
                    text,
                    part.start,
                    format!(
                        "scale = {value} is not allowed: it must be at least 0 (write minus(k1, k2) for a difference)"
                    ),
                ));
            }
            Syntax::Number(value) => scale = Some(scale.unwrap_or(1.0) * value),
            _ => factors.push(part.clone()),
        }
    }
    let at = |e: Error| error_at(text, parts[0].start, e.to_string());
    match (scale, factors.is_empty()) {
        (Some(scale), true) => Kernel::constant(scale).map_err(at),
        (Some(scale), false) => fold(text, &factors, |a, b| a * b)?.scaled(scale).map_err(at),
        (None, _) => fold(text, &factors, |a, b| a * b),
    }
}

fn build_power(text: &str, base: &Piece, exponent: &Piece) -> Result<Kernel> {
    let Syntax::Number(value) = exponent.syntax else {
        return Err(error_at(text, exponent.start, "the exponent must be a whole number"));
    };
    build_kernel(text, base)?.power(value).map_err(|e| error_at(text, exponent.start, e.to_string()))
}

fn program_kernel(text: &str, position: usize) -> Error {
    let message = "custom(…) stands for a kernel that a program defined, which its text does not hold: make it with \
                   Kernel::custom";
    error_at(text, position, message)
}

fn unknown(text: &str, position: usize, name: &str) -> Error {
    let mut error = error_at(text, position, format!("there is no kernel named `{name}`"));
    if let Error::Syntax(e) = &mut error {
        e.suggestion = catalogue::suggestion(name).map(Into::into);
    }
    error
}

fn bare_word(text: &str, position: usize, word: &str) -> Error {
    match catalogue::find(word) {
        Some(entry) => {
            error_at(text, position, format!("write {word}() with brackets, for example {}", entry.examples[0]))
        }
        None => unknown(text, position, word),
    }
}

/// The word that a piece consists of, if it is one.
pub(crate) fn piece_word(piece: &Piece) -> Option<&str> {
    match &piece.syntax {
        Syntax::Word(word) => Some(word),
        _ => None,
    }
}
