//! Models in the text format of LIBSVM's `svm-train`.

mod header;
mod kernel;
mod read;
mod write;

use super::{OneClassFit, SvcFit, SvrFit};
use crate::Result;

/// A model that LIBSVM can hold.
///
/// # Formula
/// LIBSVM's kernels are `linear` (`⟨x, y⟩`), `polynomial` (`(γ⟨x, y⟩ + c)ᵈ`), `rbf`
/// (`exp(−γ‖x − y‖²)`, here `gaussian` with the lengthscale `1/√(2γ)`), `sigmoid`
/// (`tanh(γ⟨x, y⟩ + c)`) and `precomputed`. Its `rho` is `−b`.
///
/// # Theory
/// A file stores the function, not how it was found: of a model that was read, the evidence is NaN,
/// the fitted values are empty, and the `ε` of a regression is 0. A file of type C-SVC or ν-SVC
/// (ε-SVR or ν-SVR) gives the same kind of model; C-SVC and ε-SVR are written.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::svm::LibsvmModel};
/// use ndarray::array;
/// let text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 3 7\nnr_sv 1 1\nSV\n0.5 1:1\n-0.5 1:-1\n";
/// let LibsvmModel::Classifier(fit) = LibsvmModel::parse(text, None)? else { panic!("a classifier") };
/// assert_eq!(fit.names(), ["3", "7"]);
/// // f(x) = ½x − ½(−x) = x.
/// assert_eq!(fit.values(array![[2.5]].view(), &Compute::new())?, array![[2.5]]);
/// assert_eq!(LibsvmModel::Classifier(fit).to_text()?, text);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum LibsvmModel {
    /// `c_svc` or `nu_svc`.
    Classifier(SvcFit),
    /// `epsilon_svr` or `nu_svr`.
    Regression(SvrFit),
    /// `one_class`.
    OneClass(OneClassFit),
}

impl LibsvmModel {
    /// Reads the text of a model.
    ///
    /// `columns` is how many columns new points have: what the file leaves out is 0. By default it
    /// is the largest column that the file names. For `precomputed` kernels it is the number of
    /// points of the training data.
    ///
    /// # Errors
    /// [`Error::Format`](crate::Error::Format) with the line, for a text that is not a whole model,
    /// and for kernels that are not positive definite for their numbers where they are refused as
    /// such (a negative `coef0` of a polynomial).
    pub fn parse(text: &str, columns: Option<usize>) -> Result<Self> {
        read::parse(text, columns)
    }

    /// The text of the model. Numbers have as many digits as they need to be read back as they are.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for what LIBSVM does not support: other
    /// kernels, classes against the rest, isotonic probabilities, and classes whose names are not
    /// whole numbers.
    pub fn to_text(&self) -> Result<String> {
        write::text(self)
    }
}
