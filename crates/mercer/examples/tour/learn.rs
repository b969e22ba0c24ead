//! Ridge regression with leave-one-out errors, and logistic regression with probabilities.

use mercer::prelude::*;
use ndarray::{Array2, array};

pub fn run(compute: &Compute) -> Result<()> {
    let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 10.0);
    let y = x.mapv(f64::sin);
    let ridge = Ridge { intercept: true, ..Ridge::new("gaussian(lengthscale=1)".parse()?, 1e-3) };
    let fit = ridge.fit(x.view(), y.view(), None, compute)?;
    println!("{}; f(2) = {:.4}", fit.plan(), fit.predict(array![[2.0]].view(), compute)?[[0, 0]]);
    let labels: Vec<usize> = y.iter().map(|v| usize::from(*v > 0.0)).collect();
    let logistic = LogisticRegression::new("gaussian(lengthscale=1)".parse()?, 0.1);
    let chance = logistic.fit(x.view(), &labels, None, compute)?.probabilities(array![[1.0]].view(), compute)?;
    println!("probability of sin 1 > 0: {:.3}", chance[[0, 1]]);
    Ok(())
}
