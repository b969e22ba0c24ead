//! `mercer explain kernel gram`: the plan of a Gram matrix before it is computed.

use mercer::Kernel;
use mercer::compute::human_bytes;
use serde_json::json;

use super::gram::Request;
use crate::arguments::GramArguments;
use crate::failure::Failure;
use crate::matrix::strip_rows;
use crate::numbers::{grouped, short};
use crate::report::{Report, Truth};
use crate::session::Session;

/// Rows and columns of a tile of the engine.
const TILE: usize = 192;

/// Sizes, bytes and work of the matrix requested.
pub fn gram(words: &GramArguments, session: &Session) -> Result<Report, Failure> {
    let request = Request::read(words, session)?;
    request.pairs()?;
    let (n, d) = (request.rows.sample.len(), request.rows.sample.as_points().columns());
    let m = request.columns.as_ref().map_or(n, |c| c.sample.len());
    let number_bytes: u64 = if words.single { 4 } else { 8 };
    let bytes = (n as u64).saturating_mul(m as u64).saturating_mul(number_bytes);
    let (leaves, limit) = (leaves(&request.kernel), session.compute.memory());
    let strip = strip_rows(m, &request.compute);
    let flops = n as f64 * m as f64 * leaves as f64 * (2 * d + 20) as f64;
    let tiles = n.div_ceil(TILE) * m.div_ceil(TILE);
    let block = strip.as_ref().map_or(0, |rows| *rows.min(&n) as u64 * m as u64 * 8);

    let mut report = Report::new(format!("Plan: Gram matrix of {}", request.kernel));
    report.heading("Plan of the Gram matrix").fields([
        ("kernel", request.kernel.to_string()),
        ("points", points(n, m, d, words.against.is_some())),
        ("matrix", format!("{} × {} = {}", grouped(n as u64), grouped(m as u64), human_bytes(bytes))),
        ("tiles", format!("{} of {TILE} × {TILE}", grouped(tiles as u64))),
        ("work", format!("about {} floating-point operations in {leaves} base kernels", short(flops))),
        ("threads", session.compute.threads().to_string()),
        ("memory limit", human_bytes(limit)),
        ("in memory at a time", format!("{} (blocks of rows)", human_bytes(block))),
    ]);
    report.push(crate::report::Block::Verdict(Truth::from_option(Some(strip.is_ok())), verdict(bytes, limit, &strip)));
    report.json = json!({
        "command": "kernel gram",
        "kernel": request.kernel.to_string(),
        "rows": n,
        "columns": m,
        "dimension": d,
        "bytes": bytes,
        "tiles": tiles,
        "flops": flops,
        "threads": session.compute.threads(),
        "memory_limit": limit,
        "block_bytes": block,
        "fits_in_memory": bytes <= limit,
        "fits_in_blocks": strip.is_ok(),
    });
    Ok(report)
}

fn points(n: usize, m: usize, d: usize, between: bool) -> String {
    let rows = grouped(n as u64);
    if between {
        format!("{rows} against {} in {d} columns", grouped(m as u64))
    } else {
        format!("{rows} in {d} columns")
    }
}

fn verdict(bytes: u64, limit: u64, strip: &mercer::Result<usize>) -> String {
    match strip {
        Err(error) => error.to_string(),
        Ok(_) if bytes <= limit => "the whole matrix would fit into the memory limit".into(),
        Ok(_) => "the matrix is over the memory limit; it is written block by block with -o".into(),
    }
}

/// Base kernels in the expression: each computes a distance or an inner product and a formula per
/// pair.
fn leaves(kernel: &Kernel) -> usize {
    let children = kernel.children();
    if children.is_empty() { 1 } else { children.into_iter().map(leaves).sum() }
}
