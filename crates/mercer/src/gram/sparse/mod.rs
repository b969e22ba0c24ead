//! Inner products and distances of sparse vectors.

mod metric;
mod union;

pub(crate) use metric::{MetricColumns, SparseMetric};
pub(crate) use union::Union;
