//! How to compute: threads, a memory limit, cancellation; none of them changes a result.

use mercer::gram;
use mercer::prelude::*;
use ndarray::Array2;

pub fn run(compute: &Compute) -> Result<()> {
    let k: Kernel = "gaussian()".parse()?;
    let x = Array2::from_shape_fn((1000, 2), |(i, j)| ((i * 7 + j * 3) % 101) as f64 / 10.0);
    let sums = |compute: &Compute| {
        let bound = k.bind(Pairs::within(x.view()), compute)?;
        gram::multiply(&bound, Array2::ones((1000, 1)).view(), compute)
    };
    let one = compute.clone().with_threads(1)?;
    println!("the same bytes on one thread and on {}: {}", compute.threads(), sums(&one)? == sums(compute)?);
    let small = compute.clone().with_memory(1 << 20);
    match gram::dense(&k.bind(Pairs::within(x.view()), &small)?, &small) {
        Err(error @ Error::Memory { .. }) => println!("{error}"),
        other => println!("a matrix of {:?}", other?.dim()),
    }
    let cancel = Cancel::default();
    cancel.cancel();
    let canceled = sums(&compute.clone().with_cancel(cancel));
    println!("canceled: {}", matches!(canceled, Err(Error::Canceled)));
    Ok(())
}
