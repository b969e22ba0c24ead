//! Typed access to the arguments of a call, with errors that point at the argument.

use super::syntax::{Argument, Piece, Syntax, error_at};
use crate::kernel::{ColumnRef, Kernel, Lengthscale};
use crate::wording::nearest;
use crate::{Error, Result};

/// The arguments of one call, taken one by one by the constructor of the kernel.
pub(crate) struct Arguments<'t> {
    text: &'t str,
    call: &'t str,
    start: usize,
    left: Vec<&'t Argument>,
}

impl<'t> Arguments<'t> {
    pub(crate) fn new(text: &'t str, call: &'t str, start: usize, arguments: &'t [Argument]) -> Self {
        Self { text, call, start, left: arguments.iter().collect() }
    }

    /// Runs a constructor and turns an out-of-range parameter into an error at that argument.
    pub(crate) fn build<T>(mut self, construct: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let positions: Vec<(String, usize)> =
            self.left.iter().filter_map(|a| Some((a.name.clone()?, a.value.start))).collect();
        match construct(&mut self) {
            Ok(value) => self.finish().map(|()| value),
            Err(Error::Parameter { name, value, allowed }) => {
                let position = positions.iter().find(|(n, _)| *n == name).map_or(self.start, |(_, at)| *at);
                Err(error_at(self.text, position, format!("{name} = {value} is not allowed: it must be {allowed}")))
            }
            Err(other) => Err(other),
        }
    }

    /// Whatever was not taken is not an argument of this call.
    fn finish(&self) -> Result<()> {
        match self.left.first() {
            None => Ok(()),
            Some(Argument { name: Some(name), start, .. }) => {
                let known = crate::kernel::catalogue::parameter_names(self.call);
                let mut error = error_at(
                    self.text,
                    *start,
                    format!("{} has no parameter `{name}`; it has {}", self.call, list_or_none(&known)),
                );
                if let Error::Syntax(e) = &mut error {
                    e.suggestion = nearest(name, known).map(Into::into);
                }
                Err(error)
            }
            Some(argument) => Err(error_at(
                self.text,
                argument.start,
                format!("{} takes no further unnamed argument; write name=value", self.call),
            )),
        }
    }

    fn error(&self, at: usize, message: impl Into<String>) -> Error {
        error_at(self.text, at, message)
    }

    /// Takes the argument of this name.
    pub(crate) fn named(&mut self, name: &str) -> Result<Option<&'t Piece>> {
        let mut found = None;
        for index in (0..self.left.len()).rev() {
            if self.left[index].name.as_deref() == Some(name) {
                if found.is_some() {
                    return Err(self.error(self.start, format!("{name} is given twice")));
                }
                found = Some(&self.left.remove(index).value);
            }
        }
        Ok(found)
    }

    /// Takes the next unnamed argument.
    pub(crate) fn unnamed(&mut self, what: &str) -> Result<&'t Piece> {
        match self.left.iter().position(|a| a.name.is_none()) {
            Some(index) => Ok(&self.left.remove(index).value),
            None => Err(self.error(self.start, format!("{} needs {what}", self.call))),
        }
    }

    pub(crate) fn number(&mut self, name: &str, default: f64) -> Result<f64> {
        self.named(name)?.map_or(Ok(default), |piece| self.as_number(name, piece))
    }

    /// Takes a number that may be left out.
    pub(crate) fn optional_number(&mut self, name: &str) -> Result<Option<f64>> {
        self.named(name)?.map(|piece| self.as_number(name, piece)).transpose()
    }

    /// Takes a text in quotation marks, which a single word may go without.
    pub(crate) fn quoted(&mut self, name: &str) -> Result<Option<String>> {
        self.named(name)?.map(|piece| self.as_quoted(name, piece)).transpose()
    }

    /// Takes a list of texts in quotation marks.
    pub(crate) fn quoted_list(&mut self, name: &str) -> Result<Option<Vec<String>>> {
        let Some(piece) = self.named(name)? else { return Ok(None) };
        match &piece.syntax {
            Syntax::List(items) => items.iter().map(|item| self.as_quoted(name, item)).collect::<Result<_>>().map(Some),
            _ => Err(self.error(piece.start, format!("{name} must be a list of texts such as [\"a\", \"b\"]"))),
        }
    }

    fn as_quoted(&self, name: &str, piece: &Piece) -> Result<String> {
        match &piece.syntax {
            Syntax::Quoted(text) | Syntax::Word(text) => Ok(text.clone()),
            _ => Err(self.error(piece.start, format!("{name} must be a text in quotation marks"))),
        }
    }

    pub(crate) fn as_number(&self, name: &str, piece: &Piece) -> Result<f64> {
        match piece.syntax {
            Syntax::Number(value) => Ok(value),
            _ => Err(self.error(piece.start, format!("{name} must be a number"))),
        }
    }

    pub(crate) fn flag(&mut self, name: &str, default: bool) -> Result<bool> {
        Ok(self.choice(name, &["true", "false"], if default { "true" } else { "false" })? == "true")
    }

    /// Takes a word out of a few.
    pub(crate) fn choice(
        &mut self,
        name: &str,
        allowed: &[&'static str],
        default: &'static str,
    ) -> Result<&'static str> {
        let Some(piece) = self.named(name)? else {
            return Ok(default);
        };
        let word = match &piece.syntax {
            Syntax::Word(word) => word.as_str(),
            _ => "",
        };
        allowed
            .iter()
            .find(|a| **a == word)
            .copied()
            .ok_or_else(|| self.error(piece.start, format!("{name} must be one of {}", allowed.join(", "))))
    }

    pub(crate) fn numbers(&mut self, name: &str) -> Result<Option<Vec<f64>>> {
        self.named(name)?.map(|piece| self.as_numbers(name, piece)).transpose()
    }

    pub(crate) fn as_numbers(&self, name: &str, piece: &Piece) -> Result<Vec<f64>> {
        match &piece.syntax {
            Syntax::List(items) => items.iter().map(|item| self.as_number(name, item)).collect(),
            _ => Err(self.error(piece.start, format!("{name} must be a list of numbers such as [1, 2]"))),
        }
    }

    pub(crate) fn as_matrix(&self, name: &str, piece: &Piece) -> Result<Vec<Vec<f64>>> {
        match &piece.syntax {
            Syntax::List(rows) => rows.iter().map(|row| self.as_numbers(name, row)).collect(),
            _ => Err(self.error(piece.start, format!("{name} must be a list of points such as [[0, 1], [2, 3]]"))),
        }
    }

    /// Takes a lengthscale: a number, a list, or `median`.
    pub(crate) fn lengthscale(&mut self) -> Result<Lengthscale> {
        match self.named("lengthscale")? {
            None => Lengthscale::shared(1.0),
            Some(Piece { syntax: Syntax::Word(word), .. }) if word == "median" => Ok(Lengthscale::Median),
            Some(piece) => self.as_lengthscale("lengthscale", piece, |l| l),
        }
    }

    /// A number or a list under another name, each converted to a lengthscale.
    pub(crate) fn as_lengthscale(&self, name: &str, piece: &Piece, convert: fn(f64) -> f64) -> Result<Lengthscale> {
        let read = |item: &Piece| -> Result<f64> {
            let value = self.as_number(name, item)?;
            crate::kernel::number::Positive::new(name, value).map(|v| convert(v.get()))
        };
        match &piece.syntax {
            Syntax::List(items) => Lengthscale::per_column(&items.iter().map(read).collect::<Result<Vec<_>>>()?),
            Syntax::Number(_) => Lengthscale::shared(read(piece)?),
            _ => Err(self.error(piece.start, format!("{name} must be a number, a list of numbers, or median"))),
        }
    }

    /// Takes the next unnamed argument as a kernel.
    pub(crate) fn kernel(&mut self) -> Result<Kernel> {
        let piece = self.unnamed("a kernel as its argument")?;
        super::build_kernel(self.text, piece)
    }

    /// Takes the argument of this name as a kernel.
    pub(crate) fn named_kernel(&mut self, name: &str) -> Result<Option<Kernel>> {
        self.named(name)?.map(|piece| super::build_kernel(self.text, piece)).transpose()
    }

    /// Takes the next unnamed argument as a list of columns, by number or by name.
    pub(crate) fn columns(&mut self) -> Result<Vec<ColumnRef>> {
        let piece = self.unnamed("a list of columns such as [0, 2] as its first argument")?;
        let Syntax::List(items) = &piece.syntax else {
            return Err(self.error(piece.start, "expected a list of columns such as [0, 2]"));
        };
        items.iter().map(|item| self.column(item)).collect()
    }

    fn column(&self, piece: &Piece) -> Result<ColumnRef> {
        match &piece.syntax {
            Syntax::Number(value) if *value >= 0.0 && value.fract() == 0.0 && *value < 1e9 => {
                Ok(ColumnRef::Index(*value as usize))
            }
            Syntax::Word(name) | Syntax::Quoted(name) => Ok(ColumnRef::Name(name.clone())),
            _ => {
                Err(self.error(piece.start, "a column is a whole number from 0, a name, or a name in quotation marks"))
            }
        }
    }

    /// The arguments of a call that stands as a value, such as `by=column(0)`.
    pub(crate) fn call_of(&self, name: &str, piece: &'t Piece, expected: &str) -> Result<(&'t str, Arguments<'t>)> {
        match &piece.syntax {
            Syntax::Call(call, arguments) => Ok((call, Arguments::new(self.text, call, piece.start, arguments))),
            _ => Err(self.error(piece.start, format!("{name} must be one of {expected}"))),
        }
    }

    /// An error at the start of this call.
    pub(crate) fn refuse(&self, message: impl Into<String>) -> Error {
        self.error(self.start, message)
    }
}

fn list_or_none(names: &[&str]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
