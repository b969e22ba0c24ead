//! The picture of a Gram matrix with its rows in an order that shows blocks.

use mercer::Kernel;
use mercer::gram::{Pairs, Tiles};
use mercer::view::pca::KernelPca;

use super::gram::Request;
use crate::arguments::GramArguments;
use crate::data;
use crate::failure::Failure;
use crate::matrix::{self, Digest, Requested};
use crate::numbers::grouped;
use crate::plot::{Figure, HeatMap};
use crate::session::Session;

/// Rows of the picture; of more, evenly spaced ones. The component takes some 10⁹ operations.
const ROWS: usize = 1000;
/// The order along the first principal component.
const SPECTRUM: &str = "spectrum";

/// The groups of the rows, and the columns that are the inputs.
pub struct Groups {
    pub of: Vec<String>,
    pub inputs: Vec<String>,
}

/// The groups that `--order` names.
pub fn groups(words: &GramArguments, session: &Session) -> Result<Option<Groups>, Failure> {
    let Some(name) = words.order.as_deref().filter(|name| *name != SPECTRUM) else { return Ok(None) };
    if data::is_standard_input(&words.data) {
        return Err(Failure::request("--order COL: standard input can be read only once"));
    }
    let table = data::read_table(&words.data, session)?;
    let column = table.column(name).map_err(|e| Failure::request(format!("--order: {e}")))?;
    let of = (0..table.rows()).map(|row| super::predict_write::cell(&column.data, row)).collect();
    let inputs = match &words.options.columns[..] {
        [] => table.names().filter(|other| *other != name).map(str::to_owned).collect(),
        chosen => chosen.to_vec(),
    };
    Ok(Some(Groups { of, inputs }))
}

/// Draws the matrix of some of the rows, in order.
pub fn draw(request: &Request, kernel: &Kernel) -> Result<Figure, Failure> {
    let (sample, compute) = (&request.rows.sample, &request.compute);
    let n = sample.len();
    if request.kernel.is_precomputed() {
        return Err(Failure::request("--order: a precomputed matrix has no points to order"));
    }
    if request.groups.as_ref().is_some_and(|of| of.len() != n) {
        return Err(Failure::request("--order COL: rows were dropped; use --missing mean or zero"));
    }
    let rows: Vec<usize> = (0..n).step_by(n.div_ceil(ROWS).max(1)).collect();
    let some = sample.taken(&rows);
    let (order, groups) = match &request.groups {
        Some(of) => by_group(&rows.iter().map(|&row| of[row].as_str()).collect::<Vec<_>>()),
        None => {
            let scores = KernelPca::new(kernel.clone(), Some(1)).fit(some.as_points(), compute)?;
            let z = scores.transform(some.as_points(), compute)?;
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|&a, &b| z.row(a).iter().partial_cmp(z.row(b).iter()).unwrap_or(std::cmp::Ordering::Equal));
            (order, Vec::new())
        }
    };
    let ordered = some.taken(&order);
    let bound = kernel.bind(Pairs::Within(ordered.as_points()), compute)?;
    let mut digest = Digest::new(bound.shape(), Requested { matrix: false, heat: true });
    matrix::walk(&bound, compute, &mut |rows, block| {
        digest.see(rows, block);
        Ok(())
    })?;
    let of = if rows.len() < n {
        format!(", {} of {} rows", grouped(rows.len() as u64), grouped(n as u64))
    } else {
        String::new()
    };
    let (title, shape) = (format!("{}{of}", kernel.short()), digest.shape);
    let cells = digest.heat().unwrap_or_default();
    Ok(Figure::Heat(HeatMap { title, cells, shape, bar: "k(xᵢ, xⱼ)".into(), labels: None, groups }))
}

/// The rows group by group, in the order in which the names are sorted, and the sizes of the groups.
fn by_group(of: &[&str]) -> (Vec<usize>, Vec<(String, usize)>) {
    let mut order: Vec<usize> = (0..of.len()).collect();
    order.sort_by_key(|&row| of[row]);
    let sizes = order.chunk_by(|&a, &b| of[a] == of[b]).map(|block| (of[block[0]].to_owned(), block.len()));
    let sizes = sizes.collect();
    (order, sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_each_other() {
        let (order, sizes) = by_group(&["b", "a", "b", "a", "c"]);
        assert_eq!(order, [1, 3, 0, 2, 4]);
        assert_eq!(sizes, [("a".to_owned(), 2), ("b".to_owned(), 2), ("c".to_owned(), 1)]);
    }
}
