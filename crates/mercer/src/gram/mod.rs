//! K: tiles of the Gram matrix, and what is built from them.
//!
//! [`Metric`] computes distances and inner products, [`simd`] applies a formula to them, [`Tiles`] is the matrix
//! that results, and [`dense`] and [`multiply`] store it or use it without storing.
//!
//! # Example
//! The linear kernel of the points 1 and 2, and its product with (1, 1):
//! ```
//! use mercer::gram::{Metric, MetricKind, Tiles, dense, multiply};
//! use mercer::{Compute, Result};
//! use ndarray::array;
//! use std::ops::Range;
//!
//! struct Linear(Metric);
//! impl Tiles for Linear {
//!     fn shape(&self) -> (usize, usize) {
//!         self.0.shape()
//!     }
//!     fn symmetric(&self) -> bool {
//!         self.0.symmetric()
//!     }
//!     fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
//!         self.0.fill(rows, cols, out);
//!     }
//!     fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
//!         self.0.fill(rows, cols, out);
//!     }
//!     fn diagonal(&self) -> Result<Vec<f64>> {
//!         Ok(self.0.diagonal())
//!     }
//! }
//!
//! let x = array![[1.0], [2.0]];
//! let tiles = Linear(Metric::new(MetricKind::Dot, x.view(), None, None)?);
//! assert_eq!(dense(&tiles, &Compute::new())?, array![[1.0, 2.0], [2.0, 4.0]]);
//! assert_eq!(multiply(&tiles, array![[1.0], [1.0]].view(), &Compute::new())?, array![[3.0], [6.0]]);
//! # Ok::<(), mercer::Error>(())
//! ```

mod dense;
pub(crate) mod metric;
mod multiply;
pub mod simd;
mod tiles;

pub use dense::{dense, dense_single};
pub use metric::{Metric, MetricKind};
pub use multiply::multiply;
pub use tiles::Tiles;
