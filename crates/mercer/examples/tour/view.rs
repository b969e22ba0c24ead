//! Principal components and clusters.

use mercer::prelude::*;
use mercer::view::ClusterCount;
use ndarray::array;

pub fn run(compute: &Compute) -> Result<()> {
    let x = array![[0.0], [2.0], [10.0], [12.0]];
    let pca = KernelPca::new("linear()".parse()?, Some(1)).fit(&x, compute)?;
    let clusters = KernelKMeans::new("linear()".parse()?, ClusterCount::Fixed(2)).fit(&x, None, compute)?;
    println!("first eigenvalue {:.1}; clusters {:?}", pca.eigenvalues()[0], clusters.labels());
    Ok(())
}
