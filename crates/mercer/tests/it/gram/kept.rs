//! Centers that are kept after the first prediction change no answer.

use mercer::{Compute, Expansion, Kernel, Precision, Seed};
use ndarray::{Array1, Array2, s};

use crate::common::expressions::random_vector_kernel;
use crate::common::vector_examples;

/// Numbers in `(0, 1)`, the same in every run.
fn points(n: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut stream = Seed(seed).stream("points", 0);
    Array2::from_shape_simple_fn((n, columns), || stream.uniform())
}

#[test]
fn the_first_and_later_values_are_those_of_the_formula() {
    let (centers, x) = (points(40, 3, 1), points(9, 3, 2));
    let coefficients = Array1::from_shape_fn(40, |i| (i as f64).cos());
    let mut random = Seed(7).stream("kernels", 0);
    let examples = vector_examples().into_iter().map(|text| text.parse::<Kernel>().unwrap());
    let composed = (0..40).map(|_| random_vector_kernel(&mut random, 2));
    let mut seen = 0;
    for kernel in examples.chain(composed.collect::<Vec<_>>()) {
        for compute in [Compute::new(), Compute::new().with_precision(Precision::SingleTiles)] {
            // Some live on one column, or have values beyond all numbers there.
            let Ok(f) = Expansion::new(&kernel, centers.view(), coefficients.view(), &compute) else { continue };
            let Ok(first) = f.evaluate(x.view(), &compute) else { continue };
            assert_eq!(first, f.evaluate(x.view(), &compute).unwrap(), "{kernel}");
            assert_eq!(first, f.clone().evaluate(x.view(), &compute).unwrap(), "{kernel}");
            if compute.precision() == Precision::SingleTiles {
                continue;
            }
            seen += 1;
            for (i, row) in x.rows().into_iter().enumerate() {
                let value = |c: usize| f.kernel().evaluate(&row.to_vec(), &centers.row(c).to_vec()).unwrap();
                let terms: Vec<f64> = (0..40).map(|c| coefficients[c] * value(c)).collect();
                let size: f64 = terms.iter().map(|v| v.abs()).sum();
                mercer::assert_close!(first[i], terms.iter().sum::<f64>(), abs = 1e-9 * (1e-300 + size), "{kernel}");
            }
        }
    }
    assert!(seen >= 50, "most of the kernels take three columns: {seen}");
}

#[test]
fn a_row_has_the_value_that_it_has_among_others_in_any_number_of_columns() {
    for columns in [1, 3, 31, 32, 100] {
        let (centers, x) = (points(200, columns, 3), points(40, columns, 4));
        let kernel: Kernel = "gaussian(lengthscale=4)".parse().unwrap();
        let compute = Compute::new();
        let f = Expansion::new(&kernel, centers.view(), Array1::ones(200).view(), &compute).unwrap();
        let all = f.evaluate(x.view(), &compute).unwrap();
        for i in 0..40 {
            let one = f.evaluate(x.slice(s![i..=i, ..]), &compute).unwrap();
            mercer::assert_close!(one[0], all[i], abs = 1e-12 * 200.0);
        }
    }
}

#[test]
fn points_that_do_not_fit_are_refused_before_and_after_the_first_time() {
    let compute = Compute::new();
    let kernel: Kernel = "gaussian()".parse().unwrap();
    let f = Expansion::new(&kernel, points(20, 3, 5).view(), Array1::ones(20).view(), &compute).unwrap();
    for _ in 0..2 {
        let wide = f.evaluate(Array2::zeros((1, 4)).view(), &compute).unwrap_err();
        assert!(wide.to_string().contains("columns"), "{wide}");
        let missing = f.evaluate(Array2::from_elem((1, 3), f64::NAN).view(), &compute).unwrap_err();
        assert!(missing.to_string().contains("NaN"), "{missing}");
        assert_eq!(f.evaluate(Array2::zeros((0, 3)).view(), &compute).unwrap().len(), 0);
        assert!(f.evaluate(points(2, 3, 6).view(), &compute).is_ok());
    }
}
