//! The whole-number parameters of an expression: degrees, depths, lengths, orders and exponents.

use super::Kernel;
use super::text::build_kernel;
use super::text::syntax::{Piece, Syntax, read};
use crate::{Error, Result};

/// A whole-number parameter of a kernel expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeParameter {
    /// Where it stands, such as `polynomial.degree`, `spectrum#2.length` or `power`.
    pub name: String,
    /// Its value.
    pub value: u32,
}

/// The calls and parameters that hold a whole number.
const WHOLE: [(&str, &str); 9] = [
    ("polynomial", "degree"),
    ("wendland", "smoothness"),
    ("wendland", "dimension"),
    ("sobolev", "order"),
    ("spectrum", "length"),
    ("mismatch", "length"),
    ("mismatch", "mismatches"),
    ("subsequence", "length"),
    ("weisfeiler_lehman", "depth"),
];

impl Kernel {
    /// The whole-number parameters, in the order of the text: degrees, depths, lengths, orders, and
    /// exponents as `power`. The continuous ones are [`Kernel::parameters`].
    ///
    /// # Example
    /// ```
    /// use mercer::Kernel;
    /// let k: Kernel = "polynomial(degree=2) + linear()^3".parse()?;
    /// let found: Vec<_> = k.whole_parameters().into_iter().map(|p| (p.name, p.value)).collect();
    /// assert_eq!(found, [("polynomial.degree".into(), 2), ("power".into(), 3)]);
    /// assert_eq!(k.with_whole_parameters(&[4, 2])?, "polynomial(degree=4) + linear()^2".parse()?);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn whole_parameters(&self) -> Vec<WholeParameter> {
        let mut found = Vec::new();
        if let Ok(mut tree) = read(&self.to_string()) {
            Visitor {
                seen: Vec::new(),
                each: &mut |name, value| found.push(WholeParameter { name, value: *value as u32 }),
            }
            .visit(&mut tree);
        }
        found
    }

    /// The same expression with other whole-number parameters, in the order of
    /// [`Kernel::whole_parameters`].
    ///
    /// # Errors
    /// [`Error::Shape`] for a wrong count, [`Error::Syntax`] for a value out of range,
    /// [`Error::Unsupported`] for an expression with a kernel of a program.
    pub fn with_whole_parameters(&self, values: &[u32]) -> Result<Self> {
        let expected = self.whole_parameters().len();
        if values.len() != expected {
            return Err(Error::shape(&format!("whole parameters of {self}"), expected, values.len()));
        }
        if values.is_empty() {
            return Ok(self.clone());
        }
        let text = self.to_string();
        let mut tree = read(&text)?;
        let mut left = values.iter();
        let mut replace = |_: String, value: &mut f64| {
            if let Some(&given) = left.next() {
                *value = f64::from(given);
            }
        };
        Visitor { seen: Vec::new(), each: &mut replace }.visit(&mut tree);
        build_kernel(&text, &tree)
    }
}

/// Visits the whole numbers of a tree, in the order of the text, with their names.
struct Visitor<'v> {
    /// The calls so far: the second of a name is numbered.
    seen: Vec<String>,
    each: &'v mut dyn FnMut(String, &mut f64),
}

impl Visitor<'_> {
    fn visit(&mut self, piece: &mut Piece) {
        match &mut piece.syntax {
            Syntax::Number(_) | Syntax::Word(_) | Syntax::Quoted(_) => {}
            Syntax::List(parts) | Syntax::Sum(parts) | Syntax::Product(parts) => {
                parts.iter_mut().for_each(|part| self.visit(part));
            }
            Syntax::Power(base, exponent) => {
                self.visit(base);
                if let Syntax::Number(value) = &mut exponent.syntax {
                    let name = self.numbered("power");
                    (self.each)(name, value);
                }
            }
            Syntax::Call(call, arguments) => {
                let owner = self.numbered(call);
                for argument in arguments {
                    let parameter = argument.name.as_deref().unwrap_or_default();
                    match &mut argument.value.syntax {
                        Syntax::Number(value) if WHOLE.contains(&(call.as_str(), parameter)) => {
                            (self.each)(format!("{owner}.{parameter}"), value);
                        }
                        _ => self.visit(&mut argument.value),
                    }
                }
            }
        }
    }

    fn numbered(&mut self, call: &str) -> String {
        self.seen.push(call.to_owned());
        match self.seen.iter().filter(|seen| *seen == call).count() {
            1 => call.to_owned(),
            count => format!("{call}#{count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::catalogue;

    #[test]
    fn every_whole_parameter_of_the_catalogue_is_one() {
        // The size of a fitted vocabulary is counted, not chosen.
        let chosen = |call: &str, name: &str| (call, name) != ("words", "documents");
        for entry in catalogue::entries() {
            for parameter in entry.parameters.iter().filter(|p| chosen(entry.name, p.name)) {
                let whole = parameter.range.starts_with("whole") || parameter.range.starts_with("a whole number");
                let listed = WHOLE.contains(&(entry.name, parameter.name));
                assert_eq!(listed, whole || parameter.range == "0, 1 or 2", "{}.{}", entry.name, parameter.name);
            }
        }
    }

    #[test]
    fn examples_of_the_catalogue_keep_their_whole_parameters() {
        for text in catalogue::entries().flat_map(|entry| entry.examples) {
            let kernel: Kernel = text.parse().unwrap();
            let found: Vec<u32> = kernel.whole_parameters().iter().map(|p| p.value).collect();
            assert_eq!(kernel.with_whole_parameters(&found).unwrap(), kernel, "{text}");
        }
    }

    #[test]
    fn names_number_the_calls_and_values_are_replaced_in_order() {
        let kernel: Kernel = "on([0], normalized(spectrum(length=3))) + on([1], spectrum(length=5))^2".parse().unwrap();
        let names: Vec<String> = kernel.whole_parameters().into_iter().map(|p| p.name).collect();
        assert_eq!(names, ["spectrum.length", "spectrum#2.length", "power"]);
        let other = kernel.with_whole_parameters(&[1, 2, 4]).unwrap();
        assert_eq!(other, "on([0], normalized(spectrum(length=1))) + on([1], spectrum(length=2))^4".parse().unwrap());
        assert!(kernel.with_whole_parameters(&[1, 2]).is_err());
        let refused = kernel.with_whole_parameters(&[0, 2, 4]).unwrap_err().to_string();
        assert!(refused.contains("length"), "{refused}");
        let three: Kernel = "mismatch(length=3, mismatches=1)".parse().unwrap();
        assert!(three.with_whole_parameters(&[3, 3]).is_err() && three.with_whole_parameters(&[3, 2]).is_ok());
    }
}
