//! Time of ridge regressions on grids: `grid_speed [side]`.

use std::time::Instant;

use mercer::learn::Ridge;
use mercer::learn::ridge::RidgeSolver;
use mercer::{Compute, Seed};
use ndarray::{Array2, Axis};

fn main() {
    let side: usize = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(1000);
    let third = (side as f64).powf(2.0 / 3.0).round() as usize;
    let lambda: f64 = std::env::args().nth(2).and_then(|s| s.parse().ok()).unwrap_or(0.1);
    let cases: [(&[usize], &str); 6] = [
        (&[side * side], "gaussian(lengthscale=20)"),
        (&[side * side], "rational_quadratic(lengthscale=20)"),
        (&[side, side], "gaussian(lengthscale=20)"),
        (&[side, side], "matern(nu=3/2, lengthscale=20)"),
        (&[third, third, third], "gaussian(lengthscale=5)"),
        (&[third, third, third], "matern(nu=5/2, lengthscale=5)"),
    ];
    let compute = Compute::new();
    for (shape, text) in cases {
        for missing in [0.0, 0.2] {
            let n: usize = shape.iter().product();
            let mut stream = Seed(1).stream("cells", n as u64);
            let kept: Vec<usize> = (0..n).filter(|_| stream.uniform() >= missing).collect();
            let mut x = Array2::zeros((kept.len(), shape.len()));
            for (mut row, &cell) in x.rows_mut().into_iter().zip(&kept) {
                let mut rest = cell;
                for (a, m) in shape.iter().enumerate().rev() {
                    row[a] = (rest % m) as f64;
                    rest /= m;
                }
            }
            let y = x.map_axis(Axis(1), |r| (r.sum() / 30.0).sin() + 0.3 * stream.normal()).insert_axis(Axis(1));
            let ridge = Ridge {
                solver: RidgeSolver::Grid,
                diagnostics: false,
                ..Ridge::new(text.parse().expect("a kernel"), lambda)
            };
            let start = Instant::now();
            match ridge.fit(x.view(), y.view(), None, &compute) {
                Ok(fit) => println!("{shape:?} {text} missing {missing}: {:.2?} {:?}", start.elapsed(), fit.method()),
                Err(e) => println!("{shape:?} {text} missing {missing}: {:.2?} {e}", start.elapsed()),
            }
        }
    }
}
