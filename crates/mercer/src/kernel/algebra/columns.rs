//! Choice of columns.

use crate::kernel::prelude::*;

/// A column, by number or by name. Names are resolved with [`Kernel::with_column_names`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ColumnRef {
    /// Counted from 0.
    Index(usize),
    /// As the table calls it.
    Name(String),
}

/// The name of the one column that is chosen, if it is chosen by its name.
pub(crate) fn named_column(columns: &[ColumnRef]) -> Option<&str> {
    match columns {
        [ColumnRef::Name(name)] => Some(name),
        _ => None,
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "on",
    family: Family::Algebra,
    formula: "k(x_J, y_J)",
    domain: Domain::Inherited,
    parameters: &[
        ParameterEntry { name: "", default: None, range: "a list of columns", meaning: "J: numbers from 0, or names" },
        KERNEL,
    ],
    theory: "A space transformation, so it keeps positive semi-definiteness; products of it are tensor products.",
    cost: "that of k",
    examples: &["on([0], gaussian(lengthscale=2))", "on([0, 1], linear()) * on([2], periodic(period=7))"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let columns = arguments.columns()?;
    arguments.kernel()?.on(columns)
}
