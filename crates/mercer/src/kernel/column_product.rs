//! Kernels that are products over the columns.

use super::Kernel;

impl Kernel {
    /// Whether `k(x, y) = Πⱼ kⱼ(xⱼ, yⱼ)` over the columns, by rule: on a product grid its matrix is
    /// then a Kronecker product.
    ///
    /// # Example
    /// ```
    /// use mercer::Kernel;
    /// let k: Kernel = "2*gaussian() * on([0], periodic())".parse()?;
    /// assert!(k.is_column_product(3));
    /// let k: Kernel = "matern(nu=3/2)".parse()?;
    /// assert!(k.is_column_product(1) && !k.is_column_product(2));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn is_column_product(&self, columns: usize) -> bool {
        if self.used_columns(columns).len() <= 1 {
            return true;
        }
        match self {
            Self::Base(base) => base.is_column_product(),
            Self::Scale(_, k) | Self::Power(k, _) | Self::Normalized(k) => k.is_column_product(columns),
            Self::Product(terms) => terms.iter().all(|k| k.is_column_product(columns)),
            Self::On(chosen, k) => k.is_column_product(chosen.len()),
            _ => false,
        }
    }
}
