//! A mean embedding of 500 points, compressed to 20.

use mercer::prelude::*;
use ndarray::Array2;

pub fn run(compute: &Compute) -> Result<()> {
    let mut random = Seed(1).stream("tour", 0);
    let x = Array2::from_shape_fn((500, 2), |_| random.normal());
    let mean = MeanEmbedding::new(&"gaussian(lengthscale=1)".parse()?, &x, None, compute)?;
    println!("20 of 500 points are at MMD {:.4} from all", mean.compress(20, compute)?.distance);
    Ok(())
}
