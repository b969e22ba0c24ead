//! Amari distances (times 100) of kernel independent component analysis beside FastICA on the 18
//! source densities of Bach and Jordan (2002): two sources of the same density, random mixing
//! matrices with a condition number between 1 and 2, means over replicates.
//!
//! `cargo run --release --example ica_densities -- [replicates] [rows …]`, 20 replicates of 250 and
//! 1000 rows by default.
//!
//! The densities (weights; means; standard deviations, of mixtures of Gaussian variables):
//!
//! | | |
//! |---|---|
//! | a | Student t with 3 degrees of freedom |
//! | b | Laplace |
//! | c | uniform |
//! | d | Student t with 5 degrees of freedom |
//! | e | exponential |
//! | f | ½ ½ of Laplace at ∓1, standard deviation 0.5 |
//! | g | 1:1; ∓0.5; 0.15 |
//! | h | 1:1; ∓0.5; 0.4 |
//! | i | 1:1; ∓0.5; 0.5 |
//! | j | 1:3; ∓0.5; 0.15 |
//! | k | 1:2; −0.7, 0.5; 0.4 |
//! | l | 1:2; −0.7, 0.5; 0.5 |
//! | m | 1:2:2:1; −1, −0.33, 0.33, 1; 0.16 |
//! | n | 1:2:2:1; −1, −0.2, 0.2, 1; 0.2, 0.3, 0.3, 0.2 |
//! | o | 1:2:2:1; −0.7, −0.2, 0.2, 0.7; 0.2, 0.3, 0.3, 0.2 |
//! | p | 1:1:2:1; −1, 0.3, −0.3, 1.1; 0.2 |
//! | q | 1:3:2:½; −1, −0.2, 0.3, 1; 0.2, 0.3, 0.2, 0.2 |
//! | r | 1:2:2:1; −0.8, −0.2, 0.2, 0.5; 0.22, 0.3, 0.3, 0.2 |

use std::time::Instant;

use mercer::solve::symmetric_eigen;
use mercer::view::ica::{Contrast, KernelIca, amari_distance};
use mercer::{Compute, Result, Seed, Stream};
use ndarray::{Array1, Array2, Axis, array};

/// A mixture of Gaussian variables.
struct Mixture {
    weights: &'static [f64],
    means: &'static [f64],
    deviations: &'static [f64],
}

impl Mixture {
    fn draw(&self, stream: &mut Stream) -> f64 {
        let mut rest = stream.uniform() * self.weights.iter().sum::<f64>();
        let mut at = 0;
        while at + 1 < self.weights.len() && rest >= self.weights[at] {
            rest -= self.weights[at];
            at += 1;
        }
        self.means[at] + self.deviations[at] * stream.normal()
    }
}

const MIXTURES: [Mixture; 12] = [
    Mixture { weights: &[1.0, 1.0], means: &[-0.5, 0.5], deviations: &[0.15, 0.15] },
    Mixture { weights: &[1.0, 1.0], means: &[-0.5, 0.5], deviations: &[0.4, 0.4] },
    Mixture { weights: &[1.0, 1.0], means: &[-0.5, 0.5], deviations: &[0.5, 0.5] },
    Mixture { weights: &[1.0, 3.0], means: &[-0.5, 0.5], deviations: &[0.15, 0.15] },
    Mixture { weights: &[1.0, 2.0], means: &[-0.7, 0.5], deviations: &[0.4, 0.4] },
    Mixture { weights: &[1.0, 2.0], means: &[-0.7, 0.5], deviations: &[0.5, 0.5] },
    Mixture { weights: &[1.0, 2.0, 2.0, 1.0], means: &[-1.0, -0.33, 0.33, 1.0], deviations: &[0.16; 4] },
    Mixture { weights: &[1.0, 2.0, 2.0, 1.0], means: &[-1.0, -0.2, 0.2, 1.0], deviations: &[0.2, 0.3, 0.3, 0.2] },
    Mixture { weights: &[1.0, 2.0, 2.0, 1.0], means: &[-0.7, -0.2, 0.2, 0.7], deviations: &[0.2, 0.3, 0.3, 0.2] },
    Mixture { weights: &[1.0, 1.0, 2.0, 1.0], means: &[-1.0, 0.3, -0.3, 1.1], deviations: &[0.2; 4] },
    Mixture { weights: &[1.0, 3.0, 2.0, 0.5], means: &[-1.0, -0.2, 0.3, 1.0], deviations: &[0.2, 0.3, 0.2, 0.2] },
    Mixture { weights: &[1.0, 2.0, 2.0, 1.0], means: &[-0.8, -0.2, 0.2, 0.5], deviations: &[0.22, 0.3, 0.3, 0.2] },
];

/// One value of the density with this letter.
fn draw(density: char, stream: &mut Stream) -> f64 {
    match density {
        'a' => student(3, stream),
        'b' => laplace(stream),
        'c' => 2.0 * stream.uniform() - 1.0,
        'd' => student(5, stream),
        'e' => -(1.0 - stream.uniform()).ln() - 1.0,
        'f' => laplace(stream) * 0.5 + if stream.uniform() < 0.5 { -1.0 } else { 1.0 },
        other => MIXTURES[other as usize - 'g' as usize].draw(stream),
    }
}

fn student(degrees: usize, stream: &mut Stream) -> f64 {
    let squares: f64 = (0..degrees).map(|_| stream.normal().powi(2)).sum();
    stream.normal() / (squares / degrees as f64).sqrt()
}

/// Of variance 1.
fn laplace(stream: &mut Stream) -> f64 {
    let size = -(1.0 - stream.uniform()).ln() / 2.0_f64.sqrt();
    if stream.uniform() < 0.5 { -size } else { size }
}

/// A mixing matrix of two sources with a condition number between 1 and 2.
fn mixing(stream: &mut Stream) -> Array2<f64> {
    let turn = |angle: f64| array![[angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]];
    let (first, second) = (stream.uniform() * 7.0, stream.uniform() * 7.0);
    let sizes = Array2::from_diag(&array![1.0, 1.0 + stream.uniform()]);
    turn(first).dot(&sizes).dot(&turn(second))
}

/// The unmixing matrix of symmetric FastICA with the function tanh.
fn fast_ica(x: &Array2<f64>, stream: &mut Stream) -> Result<Array2<f64>> {
    let (compute, n, m) = (Compute::new(), x.nrows() as f64, x.ncols());
    let centered = x - &x.mean_axis(Axis(0)).unwrap_or_default();
    let covariance = centered.t().dot(&centered) / n;
    let whitening = symmetric_eigen(covariance.view(), &compute)?.map(|v| 1.0 / v.sqrt());
    let z = centered.dot(&whitening);
    let orthogonal = |w: Array2<f64>| -> Result<Array2<f64>> {
        Ok(symmetric_eigen(w.dot(&w.t()).view(), &compute)?.map(|v| 1.0 / v.sqrt()).dot(&w))
    };
    let mut w = orthogonal(Array2::from_shape_simple_fn((m, m), || stream.normal()))?;
    for _ in 0..500 {
        let g = z.dot(&w.t()).mapv(f64::tanh);
        let slopes: Array1<f64> = g.columns().into_iter().map(|g| 1.0 - g.dot(&g) / n).collect();
        let next = orthogonal(g.t().dot(&z) / n - &w * &slopes.insert_axis(Axis(1)))?;
        let change = (&next * &w).sum_axis(Axis(1)).fold(0.0_f64, |most, cos| most.max((1.0 - cos.abs()).abs()));
        w = next;
        if change < 1e-8 {
            break;
        }
    }
    Ok(w.dot(&whitening))
}

fn main() -> Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let replicates = numbers.first().copied().unwrap_or(20);
    let sizes = if numbers.len() > 1 { numbers[1..].to_vec() } else { vec![250, 1000] };
    let contrasts = [Contrast::Kgv, Contrast::Kcc, Contrast::Hsic];
    for n in sizes {
        println!("n = {n}, {replicates} replicates: mean Amari distance × 100");
        println!("{:8}{:>9}{:>9}{:>9}{:>9}", "density", "FastICA", "KGV", "KCC", "HSIC");
        let (mut totals, mut seconds) = ([0.0; 4], [0.0; 4]);
        for density in 'a'..='r' {
            let mut sums = [0.0; 4];
            for replicate in 0..replicates {
                let mut stream = Seed(replicate as u64).stream(&format!("density {density}"), n as u64);
                let s = Array2::from_shape_simple_fn((n, 2), || draw(density, &mut stream));
                let a = mixing(&mut stream);
                let x = s.dot(&a.t());
                let clock = Instant::now();
                sums[0] += amari_distance(fast_ica(&x, &mut stream)?.view(), a.view())?;
                seconds[0] += clock.elapsed().as_secs_f64();
                for (k, contrast) in contrasts.into_iter().enumerate() {
                    let clock = Instant::now();
                    let fit = KernelIca { contrast, ..KernelIca::default() }.fit(&x, &Compute::new())?;
                    seconds[k + 1] += clock.elapsed().as_secs_f64();
                    sums[k + 1] += amari_distance(fit.components(), a.view())?;
                }
            }
            let means = sums.map(|sum| 100.0 * sum / replicates as f64);
            totals.iter_mut().zip(&means).for_each(|(total, mean)| *total += mean / 18.0);
            println!("{density:8}{:9.2}{:9.2}{:9.2}{:9.2}", means[0], means[1], means[2], means[3]);
        }
        println!("{:8}{:9.2}{:9.2}{:9.2}{:9.2}", "mean", totals[0], totals[1], totals[2], totals[3]);
        let each = seconds.map(|s| 1e3 * s / (18 * replicates) as f64);
        println!("{:8}{:9.2}{:9.2}{:9.2}{:9.2}\n", "ms", each[0], each[1], each[2], each[3]);
    }
    Ok(())
}
