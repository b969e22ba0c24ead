//! Functions of an RKHS: the identities of the theory, and bad input.

use crate::common::{examples, points_for};
use mercer::{Compute, Error, Expansion, Kernel, Seed};
use ndarray::{Array1, Array2, array, s};

fn sample(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut random = Seed(seed).stream("sample", 0);
    Array2::from_shape_fn((n, d), |_| random.normal())
}

fn function(kernel: &str, n: usize, d: usize, seed: u64) -> Expansion {
    let coefficients = sample(n, 1, seed + 1000).column(0).to_owned();
    Expansion::new(&kernel.parse().unwrap(), sample(n, d, seed).view(), coefficients.view(), &Compute::new()).unwrap()
}

#[test]
fn the_reproducing_property() {
    let compute = Compute::new();
    for text in ["gaussian(lengthscale=0.7)", "matern(nu=5/2) + linear()", "polynomial(degree=3)", "cauchy()^2"] {
        let f = function(text, 12, 3, 1);
        let t = sample(5, 3, 2);
        let values = f.evaluate(t.view(), &compute).unwrap();
        for (i, &value) in values.iter().enumerate() {
            let section =
                Expansion::new(f.kernel(), t.slice(ndarray::s![i..=i, ..]), array![1.0].view(), &compute).unwrap();
            assert_close!(f.inner(&section, &compute).unwrap(), value, 1e-12);
        }
        let bounds = f.bound(t.view(), &compute).unwrap();
        assert!(values.iter().zip(&bounds).all(|(v, b)| v.abs() <= b * (1.0 + 1e-12)), "{text}");
    }
}

#[test]
fn repeated_centers_are_merged() {
    let compute = Compute::new();
    let k: Kernel = "gaussian()".parse().unwrap();
    let x = array![[0.0, 1.0], [2.0, 3.0], [-0.0, 1.0]];
    let f = Expansion::new(&k, x.view(), array![1.0, 5.0, 2.0].view(), &compute).unwrap();
    assert_eq!(f.centers().vectors().unwrap(), array![[0.0, 1.0], [2.0, 3.0]]);
    assert_eq!(f.coefficients(), array![3.0, 5.0]);
    let zero = f.minus(&f).unwrap();
    assert_eq!(zero.coefficients(), array![0.0, 0.0]);
    assert_eq!(f.distance(&f, &compute).unwrap(), 0.0);
}

#[test]
fn vector_space_and_parallelogram() {
    let compute = Compute::new();
    let (f, g) = (function("laplacian(lengthscale=2)", 8, 2, 3), function("laplacian(lengthscale=2)", 6, 2, 4));
    let squared = |h: &Expansion| h.squared_norm(&compute).unwrap();
    let (sum, difference) = (f.plus(&g).unwrap(), f.minus(&g).unwrap());
    assert_close!(squared(&sum) + squared(&difference), 2.0 * (squared(&f) + squared(&g)), 1e-12);
    assert_close!(squared(&sum) - squared(&difference), 4.0 * f.inner(&g, &compute).unwrap(), 1e-12);
    assert_close!(squared(&f.scaled(-3.0).unwrap()), 9.0 * squared(&f), 1e-12);
}

#[test]
fn projections_are_orthogonal() {
    let compute = Compute::new();
    let f = function("gaussian(lengthscale=1)", 15, 2, 5);
    let z = sample(6, 2, 6);
    let p = f.project(z.view(), &compute).unwrap();
    let total = f.squared_norm(&compute).unwrap();
    assert_close!(p.function.squared_norm(&compute).unwrap() + p.residual_norm.powi(2), total, 1e-10);
    assert!(p.residual_norm > 1e-3);
    let again = p.function.project(z.view(), &compute).unwrap();
    assert!(again.residual_norm < 1e-7, "{}", again.residual_norm);
    let onto_itself = f.project(f.centers(), &compute).unwrap();
    assert!(onto_itself.residual_norm < 1e-6, "{}", onto_itself.residual_norm);
    // Repeated points make the system singular: the answer stays.
    let doubled = ndarray::concatenate(ndarray::Axis(0), &[z.view(), z.view()]).unwrap();
    let same = f.project(doubled.view(), &compute).unwrap();
    assert!(matches!(same.solved, mercer::solve::Solved::MinimumNorm { rank: 6, .. }), "{:?}", same.solved);
    assert_close!(same.residual_norm, p.residual_norm, 1e-8);
}

#[test]
fn gradients_agree_with_differences() {
    let compute = Compute::new();
    let smooth = [
        "gaussian(lengthscale=[0.5, 2])",
        "matern(nu=3/2)",
        "matern(nu=5/2, lengthscale=2)",
        "matern(nu=1.8)",
        "rational_quadratic(shape=0.5)",
        "inverse_multiquadric()",
        "cauchy()",
        "periodic(period=3)",
        "sinc(bandlimit=2)",
        "polynomial(degree=3)",
        "exponential(scale=3)",
        "normalized(polynomial(degree=2))",
        "on([1], gaussian())*on([0], linear())",
        "exp(0.5*gaussian())",
        "brownian(hurst=0.8)",
        "conformal(gaussian(), by=quadratic())",
        "schoenberg(log_distance(), t=0.7)",
        "transformed(gaussian(), by=square())",
        "induced(gaussian(), at=[[0, 0], [1, 1]])",
        "based(sqdist(), at=[1, 2])",
    ];
    for text in smooth {
        let f = function(text, 5, 2, 7);
        let x = sample(4, 2, 8);
        let gradient = f.gradient(x.view(), &compute).unwrap();
        let h = 1e-5;
        for j in 0..2 {
            let moved = |step: f64| {
                let mut y = x.clone();
                y.column_mut(j).mapv_inplace(|v| v + step);
                f.evaluate(y.view(), &compute).unwrap()
            };
            let quotient = (moved(h) - moved(-h)) / (2.0 * h);
            for i in 0..4 {
                assert_close!(gradient[[i, j]], quotient[i], 2e-8 * (1.0 + gradient[[i, j]].abs()));
            }
        }
        // At a center, where distances vanish, the gradient is finite.
        assert!(f.gradient(f.centers().vectors().unwrap(), &compute).unwrap().iter().all(|v| v.is_finite()), "{text}");
    }
}

/// Kernels with a kink have a gradient everywhere else; at the kink the center is named.
#[test]
fn gradients_are_refused_at_kinks_alone() {
    let compute = Compute::new();
    let kinked = [
        "laplacian()",
        "laplacian(norm=l1)",
        "laplacian(lengthscale=[0.5, 2], norm=l1)",
        "matern(nu=1/2)",
        "matern(nu=0.3)",
        "distance(power=1)",
        "distance(power=0.5)",
        "schoenberg(distance(power=1), t=2)",
        "brownian(hurst=0.5)",
        "brownian(hurst=0.2)",
        "delta() + gaussian()",
        "linear() + laplacian(norm=l1)",
        "gaussian()*matern(nu=1/2)",
        "normalized(1 + brownian(hurst=0.5))",
        "normalized(laplacian() + linear())",
        "on([1], laplacian())",
        "exp(laplacian())",
        "laplacian()^3",
        "series([1, 0.5, 0.25], laplacian(norm=l1))",
        "conformal(laplacian(), by=quadratic())",
        "transformed(laplacian(norm=l1), by=matrix([[1, 2], [0, 1]]))",
        "based(distance(power=1), at=[0.3, 0.4])",
        "minus(gaussian(), 0.5*laplacian())",
    ];
    for text in kinked {
        let f = function(text, 5, 2, 7);
        let x = sample(4, 2, 8);
        assert_gradient(&f, &x, 2e-7);
        let mut mixed = x.clone();
        mixed.row_mut(2).assign(&f.centers().vectors().unwrap().row(3));
        let error = f.gradient(mixed.view(), &compute).unwrap_err().to_string();
        assert!(error.contains("no gradient at row 2") && error.contains("center 3"), "{text}: {error}");
    }
    // With the norm l1 a shared coordinate is enough, with the others it is not.
    for (text, refused) in [("laplacian(norm=l1)", true), ("on([0], laplacian())", true), ("laplacian()", false)] {
        let f = function(text, 5, 2, 7);
        let mut x = sample(1, 2, 8);
        x[[0, 0]] = f.centers().vectors().unwrap()[[1, 0]];
        assert_eq!(f.gradient(x.view(), &compute).is_err(), refused, "{text}");
    }
    // The sphere of the ball, the origin of absolute values and norms, the center with coefficient
    // 0, the factor that vanishes.
    let one = |text: &str, center: f64| {
        let k: Kernel = text.parse().unwrap();
        Expansion::new(&k, array![[center]].view(), array![2.0].view(), &compute).unwrap()
    };
    let at = |f: &Expansion, x: f64| f.gradient(array![[x]].view(), &compute).map(|g| g[[0, 0]]);
    assert_eq!(at(&one("ball(radius=2)", 1.0), 1.0).unwrap(), 0.0);
    assert!(at(&one("ball(radius=2)", 1.0), 3.0).is_err());
    assert!(at(&one("transformed(gaussian(), by=abs())", 1.0), 0.0).is_err());
    assert_eq!(at(&one("transformed(gaussian(), by=abs())", 0.0), 0.0).unwrap(), 0.0);
    assert!(at(&one("conformal(gaussian(), by=norm())", 1.0), 0.0).is_err());
    assert!(at(&one("brownian(hurst=0.5)", 1.0), 0.0).is_err());
    assert_eq!(at(&one("brownian(hurst=0.5)", 0.0), 0.0).unwrap(), 0.0);
    assert!(at(&one("histogram_intersection()", 1.5), 1.5).is_err());
    assert_eq!(at(&one("histogram_intersection()", 1.5), 1.0).unwrap(), 2.0);
    // Of |x − 1|³ and |x − 1|² there is a derivative at 1.
    assert_eq!(at(&one("distance(power=1)*sqdist()", 1.0), 1.0).unwrap(), 0.0);
    assert_eq!(at(&one("distance(power=1)^2", 1.0), 1.0).unwrap(), 0.0);
}

/// Every kernel of the catalogue, at points of its domain.
#[test]
fn gradients_of_the_catalogue_agree_with_differences() {
    let mut stream = Seed(5).stream("points", 0);
    for text in examples() {
        let k: Kernel = text.parse().unwrap();
        let Some(points) = points_for(&k, 9, &mut stream) else { continue };
        let coefficients = array![0.7, -1.1, 0.4, 1.3, -0.2];
        let f = Expansion::new(&k, points.slice(s![..5, ..]), coefficients.view(), &Compute::new()).unwrap();
        assert_gradient(&f, &points.slice(s![5.., ..]).to_owned(), 1e-6);
    }
}

/// The gradient against central differences; rows that a difference would take out of the domain
/// are left out.
fn assert_gradient(f: &Expansion, x: &Array2<f64>, tolerance: f64) {
    let (compute, h) = (Compute::new(), 1e-6);
    let gradient = f.gradient(x.view(), &compute).unwrap_or_else(|e| panic!("{}: {e}", f.kernel()));
    for j in 0..x.ncols() {
        for (i, row) in x.rows().into_iter().enumerate() {
            let moved = |step: f64| {
                let mut y = row.to_owned().insert_axis(ndarray::Axis(0));
                y[[0, j]] += step;
                f.evaluate(y.view(), &compute).map(|v| v[0])
            };
            let (Ok(after), Ok(before)) = (moved(h), moved(-h)) else { continue };
            let quotient = (after - before) / (2.0 * h);
            let size = 1.0 + gradient[[i, j]].abs() + 1e-3 * after.abs();
            let error = (gradient[[i, j]] - quotient).abs();
            assert!(error <= tolerance * size, "{}: {} is not {quotient}", f.kernel(), gradient[[i, j]]);
        }
    }
}

#[test]
fn components_split_the_norm() {
    let compute = Compute::new();
    let f = function("2*(on([0], gaussian()) + on([1], matern(nu=3/2))) + 0.5*linear()", 10, 2, 10);
    let parts = f.components(&compute).unwrap();
    let texts: Vec<String> = parts.iter().map(|c| c.function.kernel().to_string()).collect();
    assert_eq!(
        texts,
        ["2*on([0], gaussian(lengthscale=1))", "2*on([1], matern(nu=1.5, lengthscale=1))", "0.5*linear()"]
    );
    assert_close!(parts.iter().map(|c| c.squared_norm).sum::<f64>(), f.squared_norm(&compute).unwrap(), 1e-12);
    assert_close!(parts.iter().map(|c| c.share).sum::<f64>(), 1.0, 1e-14);
    let t = sample(6, 2, 11);
    let total = f.evaluate(t.view(), &compute).unwrap();
    let sum = parts.iter().fold(Array1::zeros(6), |s, c| s + c.function.evaluate(t.view(), &compute).unwrap());
    for (a, b) in total.iter().zip(&sum) {
        assert_close!(*a, *b, 1e-12);
    }
}

#[test]
fn tensor_products_multiply() {
    let compute = Compute::new();
    let (f, g) = (function("gaussian()", 4, 2, 12), function("matern(nu=3/2)", 3, 1, 13));
    let h = f.tensor_product(&g, &compute).unwrap();
    assert_close!(h.norm(&compute).unwrap(), f.norm(&compute).unwrap() * g.norm(&compute).unwrap(), 1e-12);
    let value = h.evaluate(array![[0.1, 0.2, 0.3]].view(), &compute).unwrap()[0];
    let expected = f.evaluate(array![[0.1, 0.2]].view(), &compute).unwrap()[0]
        * g.evaluate(array![[0.3]].view(), &compute).unwrap()[0];
    assert_close!(value, expected, 1e-12);
    let tight = Compute::new().with_memory(100);
    assert!(matches!(f.tensor_product(&g, &tight), Err(Error::Memory { .. })));
}

#[test]
fn bad_input_is_refused() {
    let compute = Compute::new();
    let k: Kernel = "gaussian()".parse().unwrap();
    let x = array![[0.0], [1.0]];
    assert!(matches!(Expansion::new(&k, x.view(), array![1.0].view(), &compute), Err(Error::Shape { .. })));
    assert!(matches!(Expansion::new(&k, x.view(), array![1.0, f64::NAN].view(), &compute), Err(Error::Value { .. })));
    let nan = array![[0.0], [f64::NAN]];
    assert!(matches!(
        Expansion::new(&k, nan.view(), array![1.0, 1.0].view(), &compute),
        Err(Error::Value { row: 1, .. })
    ));
    let f = Expansion::new(&k, x.view(), array![1.0, 2.0].view(), &compute).unwrap();
    assert!(f.evaluate(array![[0.0, 1.0]].view(), &compute).is_err());
    let other = Expansion::new(&"linear()".parse().unwrap(), x.view(), array![1.0, 2.0].view(), &compute).unwrap();
    assert!(f.plus(&other).unwrap_err().to_string().contains("different spaces"));
    assert!(f.scaled(f64::INFINITY).is_err());
    let empty = Expansion::new(&k, Array2::zeros((0, 1)).view(), Array1::zeros(0).view(), &compute).unwrap();
    assert_eq!(empty.norm(&compute).unwrap(), 0.0);
    assert_eq!(empty.evaluate(x.view(), &compute).unwrap(), array![0.0, 0.0]);
    let tight = Compute::new().with_memory(10);
    let error = Expansion::interpolate(&k, x.view(), array![1.0, 2.0].view(), &tight).unwrap_err();
    assert!(error.to_string().contains("96 bytes"), "{error}");
}

#[test]
fn the_median_is_resolved_on_the_centers() {
    let f = function("gaussian(lengthscale=median)", 20, 2, 14);
    assert!(!f.kernel().to_string().contains("median"));
}

/// The squared distance overflows: the value is 0, and the slopes were NaN.
#[test]
fn slopes_far_away_are_numbers_or_refused() {
    let compute = Compute::new();
    let far = array![[1e300, 0.0], [-1e300, 1.0]];
    for text in ["gaussian()", "laplacian()", "rational_quadratic()", "matern(nu=0.8)", "2*gaussian(lengthscale=3)"] {
        let kernel: Kernel = text.parse().unwrap();
        let bound = kernel.bind(mercer::gram::Pairs::within(far.view()), &compute).unwrap();
        for parameter in 0..kernel.parameters().len() {
            let slopes = bound.derivative(parameter, &compute).unwrap();
            assert!(slopes.iter().all(|v| v.is_finite()), "{text}: {slopes}");
        }
    }
    let per_column: Kernel = "gaussian(lengthscale=[1, 2])".parse().unwrap();
    let bound = per_column.bind(mercer::gram::Pairs::within(far.view()), &compute).unwrap();
    assert!(matches!(bound.derivative(0, &compute), Err(Error::Value { .. })));
    let f = Expansion::new(&"gaussian()".parse().unwrap(), far.view(), array![1.0, 1.0].view(), &compute).unwrap();
    let found = f.gradient((&far + 1.0).view(), &compute);
    assert!(found.is_err() || found.unwrap().iter().all(|v| v.is_finite()));
}
