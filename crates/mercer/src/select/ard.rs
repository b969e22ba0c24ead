//! One lengthscale per column.

use crate::kernel::{Kernel, Lengthscale};
use crate::{Error, Result};

/// The kernel with every shared lengthscale written as a list, one per column that its node sees:
/// the same kernel, with more parameters (automatic relevance determination).
///
/// # Errors
/// [`Error::Unresolved`] for a median, which has to be resolved on data first.
///
/// # Example
/// ```
/// use mercer::{Kernel, select::with_column_lengthscales};
/// let k: Kernel = "gaussian(lengthscale=2) + on([0, 2], cauchy(lengthscale=3))".parse()?;
/// let expanded = with_column_lengthscales(&k, 3)?;
/// assert_eq!(expanded.to_string(), "gaussian(lengthscale=[2, 2, 2]) + on([0, 2], cauchy(lengthscale=[3, 3]))");
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn with_column_lengthscales(kernel: &Kernel, columns: usize) -> Result<Kernel> {
    match kernel {
        Kernel::Base(base) => match base.lengthscale() {
            Some(Lengthscale::Shared(l)) if columns > 0 => {
                let list = Lengthscale::per_column(&vec![l.get(); columns])?;
                Ok(Kernel::Base(base.with_lengthscale(list)))
            }
            Some(Lengthscale::Median) => Err(Error::unresolved_median(kernel)),
            _ => Ok(kernel.clone()),
        },
        Kernel::On(chosen, _) => kernel.map_children(&mut |k| with_column_lengthscales(k, chosen.len())),
        Kernel::Transformed(map, _) => kernel.map_children(&mut |k| with_column_lengthscales(k, map.columns(columns))),
        _ => kernel.map_children(&mut |k| with_column_lengthscales(k, columns)),
    }
}
