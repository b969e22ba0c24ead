//! Exact solves on grids: `K + λI` for points that are cells of a regular or a product grid.
//!
//! * A stationary kernel on regular axes has a (block) Toeplitz matrix: products by Fourier
//!   transforms on a torus of twice the size, `O(n log n)`.
//! * A product of kernels of single columns on any product grid has a Kronecker product for its
//!   matrix: the eigendecompositions of small factors solve the whole grid.
//!
//! Rows may come in any order and cells may be missing; a cell with two rows is refused. What a
//! kernel is, is read off its properties: shift-invariance by proof, products over columns by
//! [`Kernel::is_column_product`](crate::Kernel::is_column_product). Every solution is that of
//! conjugate gradients on the observed cells, so that its residual is known; the structures are
//! the preconditioner:
//!
//! | | all cells | some missing |
//! |---|---|---|
//! | product kernel, several axes | eigenvectors of the factors: exact | the missing cells are solved for, with the exact inverse on all cells |
//! | one regular axis | inverse of the circulant embedding, exact but for the ends | the same; the missing cells as above by the formula of Gohberg and Semencul |
//! | other stationary kernels | inverse of the circulant embedding | the same |
//!
//! # Formula
//! With `A = K + λI` on all cells, `B = A⁻¹`, `o` observed and `m` missing:
//! `(A_oo)⁻¹y = B_oo y − B_om (B_mm)⁻¹ B_mo y`. For scattered missing cells `B_mm` is well
//! conditioned, as `B` is `1/λ` but for few smooth functions; for long gaps `B_oo` is the better
//! preconditioner. Which is which is tried, with few steps first.

mod convolution;
mod evidence;
mod fft;
mod function;
mod kronecker;
mod lanczos;
mod line;
mod points;
mod system;
mod toeplitz;

pub(crate) use function::GridFunction;
pub(crate) use points::{Grid, GridPlan, Structure};
pub(crate) use system::GridSystem;
