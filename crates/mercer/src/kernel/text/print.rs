//! Kernels as text: what is printed reads back as the same kernel.

use std::fmt;

use crate::kernel::{ColumnRef, Kernel};
use crate::wording::{list_text, number_text, quoted, shortened};

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base(base) => write_call(f, base.entry().name, &base.arguments()),
            Self::Scale(a, k) => write!(f, "{}*{}", number_text(a.get()), FactorText(k)),
            Self::Sum(terms) => write_joined(f, terms.iter().map(ToString::to_string), " + "),
            Self::Product(terms) => write_joined(f, terms.iter().map(|k| FactorText(k).to_string()), " * "),
            Self::Power(k, m) => write!(f, "{}^{}", Atom(k), m.get()),
            Self::Exp(k) => write!(f, "exp({k})"),
            Self::Series(series, k) => write!(f, "series({}, {k})", series.text()),
            Self::Normalized(k) => write!(f, "normalized({k})"),
            Self::On(columns, k) => write!(f, "on([{}], {k})", join_columns(columns)),
            Self::Minus(a, b) => write!(f, "minus({a}, {b})"),
            Self::Conformal(factor, k) => write!(f, "conformal({k}, by={})", factor.text()),
            Self::Transformed(map, k) => write!(f, "transformed({k}, by={})", map.text()),
            Self::Schoenberg(t, k) => write!(f, "schoenberg({k}, t={})", number_text(t.get())),
            Self::Based(at, k) => write!(f, "based({k}, at={})", list_text(at.coordinates())),
            Self::Induced(points, k) => write!(f, "induced({k}, at={})", points.text()),
            Self::Embedded(form, k) => write!(f, "{}({k}{})", form.name(), form.arguments()),
            Self::NodePaths(true, k) => write!(f, "shortest_path(nodes={k})"),
            Self::NodePaths(false, k) => write!(f, "shortest_path(labels=false, nodes={k})"),
        }
    }
}

impl Kernel {
    /// The text for people: of long lists in it (the vocabulary of a fitted `words()`, points) the
    /// first items, and how many there are. The whole text, which reads back, is that of `Display`.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Kernel, points::Strings};
    /// let strings: Strings = (0..900).map(|i| format!("word{i}")).collect();
    /// let k = "words(weights=tfidf)".parse::<Kernel>()?.resolve(&strings, &Compute::new())?;
    /// assert!(k.to_string().len() > 10_000);
    /// assert_eq!(
    ///     k.short(),
    ///     r#"words(weights=tfidf, documents=900, words=["word0", "word1", "word10", … 900 in all], counts=[1, 1, 1, … 900 in all])"#
    /// );
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn short(&self) -> String {
        shortened(self.to_string())
    }
}

fn write_call(f: &mut fmt::Formatter<'_>, name: &str, arguments: &[(&'static str, String)]) -> fmt::Result {
    write!(f, "{name}(")?;
    write_joined(
        f,
        arguments.iter().map(|(name, value)| match *name {
            "" => value.clone(),
            name => format!("{name}={value}"),
        }),
        ", ",
    )?;
    write!(f, ")")
}

fn write_joined(f: &mut fmt::Formatter<'_>, parts: impl Iterator<Item = String>, separator: &str) -> fmt::Result {
    for (i, part) in parts.enumerate() {
        write!(f, "{}{part}", if i == 0 { "" } else { separator })?;
    }
    Ok(())
}

fn join_columns(columns: &[ColumnRef]) -> String {
    columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "{index}"),
            Self::Name(name) if is_word(name) => write!(f, "{name}"),
            Self::Name(name) => write!(f, "{}", quoted(name)),
        }
    }
}

/// Whether a name can be read without quotation marks.
fn is_word(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// A kernel as a factor of a product: sums go into brackets.
struct FactorText<'k>(&'k Kernel);

impl fmt::Display for FactorText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kernel::Sum(_) | Kernel::Scale(..) => write!(f, "({})", self.0),
            _ => write!(f, "{}", self.0),
        }
    }
}

/// A kernel under a power: everything that is not a call goes into brackets.
struct Atom<'k>(&'k Kernel);

impl fmt::Display for Atom<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kernel::Sum(_) | Kernel::Scale(..) | Kernel::Product(_) | Kernel::Power(..) => {
                write!(f, "({})", self.0)
            }
            _ => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Kernel;

    #[test]
    fn names_of_columns_read_back_whatever_is_in_them() {
        let names = ["age", "_2", "my review", "color=blue", "7", "a]b", "say \"yes\"", "größe", ""];
        for name in names {
            let columns = vec![crate::kernel::ColumnRef::Name(name.into())];
            let k = "linear()".parse::<Kernel>().unwrap().on(columns).unwrap();
            assert_eq!(k.to_string().parse::<Kernel>().unwrap(), k, "{k}");
        }
        assert_eq!("on([age], linear())".parse::<Kernel>().unwrap().to_string(), "on([age], linear())");
    }
}
