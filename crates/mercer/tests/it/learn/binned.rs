//! Linear learning on random grids: the normal equations of the features, the losses of the dense
//! machine on the same kernel, and bad requests.

use mercer::features::RandomBinning;
use mercer::learn::{BinnedClassifier, BinnedMachine, ClassLoss, Loss};
use mercer::solve::solve_positive;
use mercer::{Compute, Error, Seed};
use ndarray::{Array1, Array2, Axis, s};

fn grids(count: usize) -> RandomBinning {
    RandomBinning { buckets: 64, ..RandomBinning::new("laplacian(norm=l1, lengthscale=2)".parse().unwrap(), count) }
}

fn data(n: usize) -> (Array2<f64>, Array2<f64>) {
    let mut stream = Seed(3).stream("data", 0);
    let x = Array2::from_shape_fn((n, 2), |_| 4.0 * stream.uniform() - 2.0);
    let y = Array2::from_shape_fn((n, 2), |(i, j)| {
        let noise = 0.1 * stream.normal();
        if j == 0 { f64::from(x[[i, 0]] > 0.3) + noise } else { x[[i, 0]] * x[[i, 1]] + noise }
    });
    (x, y)
}

#[test]
fn ridge_solves_the_normal_equations_of_the_features() {
    let (compute, (x, y)) = (Compute::new(), data(200));
    let weights = Array1::from_shape_fn(200, |i| 0.5 + (i % 3) as f64);
    let machine = BinnedMachine { intercept: false, tolerance: 1e-12, ..BinnedMachine::new(grids(20), 0.3) };
    let fit = machine.fit(x.view(), y.view(), Some(weights.view()), &compute).unwrap();
    assert!(fit.converged() && fit.iterations() < 500);
    let z =
        grids(20).fit(x.view(), &compute).unwrap().transform(x.view(), &compute).unwrap().to_dense(&compute).unwrap();
    let weighed = &z * &weights.view().insert_axis(Axis(1));
    let matrix = weighed.t().dot(&z) + Array2::<f64>::eye(z.ncols()) * 0.3;
    let w = solve_positive(matrix.view(), weighed.t().dot(&y).view()).unwrap().solution;
    for (found, expected) in fit.fitted().iter().zip(z.dot(&w).iter()) {
        assert_close!(*found, *expected, abs = 1e-8, "{found} ≠ {expected}");
    }
    let again = fit.predict(x.view(), &compute).unwrap();
    assert_close!(&again, &fit.fitted(), each = 1e-12);
}

/// Of few rows most cells are empty; the answer is that of the kernel of the grids all the same.
#[test]
fn few_rows_on_many_buckets_are_ridge_regression_with_the_kernel_of_the_grids() {
    let (compute, (x, y)) = (Compute::new(), data(40));
    let grids = RandomBinning { buckets: 4096, ..grids(30) };
    let machine = BinnedMachine { intercept: false, tolerance: 1e-12, ..BinnedMachine::new(grids.clone(), 0.3) };
    let fit = machine.fit(x.view(), y.view(), None, &compute).unwrap();
    let cells = grids.fit(x.view(), &compute).unwrap().transform(x.view(), &compute).unwrap();
    let k = cells.inner(&cells).unwrap();
    let dual = solve_positive((&k + &(Array2::<f64>::eye(40) * 0.3)).view(), y.view()).unwrap().solution;
    assert_close!(&k.dot(&dual), &fit.fitted(), each = 1e-8);
    assert_eq!(fit.coefficients().dim(), (30 * 4096, 2));
    assert_close!(&fit.predict(x.view(), &compute).unwrap(), &fit.fitted(), each = 1e-12);
    let w = cells.multiply_transposed(dual.view(), &compute).unwrap();
    assert_close!(&w, &fit.coefficients(), each = 1e-8);
}

#[test]
fn an_intercept_takes_the_mean() {
    let (compute, (x, y)) = (Compute::new(), data(150));
    let fit = BinnedMachine::new(grids(10), 1e9).fit(x.view(), (&y + 5.0).view(), None, &compute).unwrap();
    let means = (&y + 5.0).mean_axis(Axis(0)).unwrap();
    for (b, mean) in fit.intercept().iter().zip(&means) {
        assert_close!(*b, *mean, abs = 1e-4, "{b} ≠ {mean}");
    }
}

#[test]
fn smooth_losses_reach_a_point_without_slope() {
    let (compute, (x, y)) = (Compute::new(), data(300));
    let sides = y.slice(s![.., ..1]).mapv(|v| if v > 0.5 { 1.0 } else { -1.0 });
    for loss in [Loss::Logistic, Loss::SquaredHinge, Loss::LogCosh] {
        let machine =
            BinnedMachine { loss, tolerance: 1e-12, max_iterations: 5000, ..BinnedMachine::new(grids(20), 0.2) };
        let fit = machine.fit(x.view(), sides.view(), None, &compute).unwrap();
        assert!(fit.converged(), "{loss}");
        let map = grids(20).fit(x.view(), &compute).unwrap().transform(x.view(), &compute).unwrap();
        let slopes = Array2::from_shape_fn((300, 1), |(i, _)| loss.slope(sides[[i, 0]], fit.fitted()[[i, 0]]));
        let gradient = map.multiply_transposed(slopes.view(), &compute).unwrap() + &fit.coefficients() * 0.4;
        let largest = gradient.iter().fold(slopes.sum().abs(), |m, g| m.max(g.abs()));
        assert!(largest < 1e-3, "{loss}: {largest}");
        let right = fit.fitted().iter().zip(&sides).filter(|(f, y)| (**f > 0.0) == (**y > 0.0)).count();
        assert!(right > 270, "{loss}: {right}");
        assert_eq!(fit.probabilities(x.view(), &compute).is_ok(), loss == Loss::Logistic);
    }
}

#[test]
fn several_outputs_of_a_loss_are_fitted_one_by_one() {
    let (compute, (x, y)) = (Compute::new(), data(120));
    let machine = BinnedMachine { loss: Loss::LogCosh, ..BinnedMachine::new(grids(10), 0.2) };
    let both = machine.fit(x.view(), y.view(), None, &compute).unwrap();
    let mut objective = 0.0;
    for j in 0..2 {
        let one = machine.fit(x.view(), y.slice(s![.., j..=j]), None, &compute).unwrap();
        assert_eq!(both.coefficients().column(j), one.coefficients().column(0));
        assert_eq!(both.intercept()[j], one.intercept()[0]);
        objective += one.objective();
    }
    assert_eq!(both.objective(), objective);
}

/// At the minimum `Zᵀ(p − e_y) + 2λw = 0` for every class, and the constants have no slope.
#[test]
fn the_softmax_reaches_a_point_without_slope() {
    let (compute, (x, y)) = (Compute::new(), data(300));
    let classes: Vec<usize> = (0..300).map(|i| usize::from(y[[i, 0]] > 0.5) + usize::from(x[[i, 1]] > 0.5)).collect();
    let spec = BinnedClassifier {
        tolerance: 1e-13,
        max_iterations: 20_000,
        ..BinnedClassifier::new(grids(20), ClassLoss::Softmax, 0.2)
    };
    let fit = spec.fit(x.view(), &classes, 3, None, &compute).unwrap();
    assert!(fit.converged() && fit.has_probabilities() && fit.class_count() == Some(3));
    let p = fit.probabilities(x.view(), &compute).unwrap();
    let slopes = Array2::from_shape_fn((300, 3), |(i, c)| p[[i, c]] - f64::from(classes[i] == c));
    let map = grids(20).fit(x.view(), &compute).unwrap().transform(x.view(), &compute).unwrap();
    let gradient = map.multiply_transposed(slopes.view(), &compute).unwrap() + &fit.coefficients() * 0.4;
    let largest = gradient.iter().chain(&slopes.sum_axis(Axis(0))).fold(0.0_f64, |m, g| m.max(g.abs()));
    assert!(largest < 1e-3, "{largest}");
    let right = fit.predict_classes(x.view(), &compute).unwrap().iter().zip(&classes).filter(|(a, b)| a == b).count();
    assert!(right > 270, "{right}");
    // The mean probability of every class is its share.
    for (c, mean) in p.mean_axis(Axis(0)).unwrap().iter().enumerate() {
        let share = classes.iter().filter(|class| **class == c).count() as f64 / 300.0;
        assert_close!(*mean, share, abs = 1e-5);
    }
}

#[test]
fn two_classes_of_the_softmax_are_the_logistic_loss() {
    let (compute, (x, y)) = (Compute::new(), data(200));
    let classes: Vec<usize> = (0..200).map(|i| usize::from(y[[i, 0]] > 0.5)).collect();
    let spec = |loss, lambda| BinnedClassifier {
        tolerance: 1e-13,
        max_iterations: 20_000,
        ..BinnedClassifier::new(grids(20), loss, lambda)
    };
    // w₁ = −w₀ = w/2: the penalty of both is half of that of their difference.
    let softmax = spec(ClassLoss::Softmax, 0.4).fit(x.view(), &classes, 2, None, &compute).unwrap();
    let sides = spec(ClassLoss::Sides(Loss::Logistic), 0.2).fit(x.view(), &classes, 2, None, &compute).unwrap();
    assert_eq!((softmax.coefficients().ncols(), sides.coefficients().ncols()), (2, 1));
    let [a, b] = [&softmax, &sides].map(|fit| fit.probabilities(x.view(), &compute).unwrap());
    assert_close!(&a, &b, each = 1e-5);
    assert_eq!(
        softmax.predict_classes(x.view(), &compute).unwrap(),
        sides.predict_classes(x.view(), &compute).unwrap()
    );
    let rest = spec(ClassLoss::Sides(Loss::SquaredHinge), 0.2).fit(x.view(), &classes, 2, None, &compute).unwrap();
    assert!(rest.probabilities(x.view(), &compute).is_err() && !rest.has_probabilities());
    assert!(spec(ClassLoss::Softmax, 0.4).fit(x.view(), &classes, 1, None, &compute).is_err());
    assert!(ClassLoss::named("huber").is_err() && ClassLoss::named("softmax").is_ok());
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let (x, y) = data(3000);
    let with = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap();
        BinnedMachine::new(grids(7), 0.1).fit(x.view(), y.view(), None, &compute).unwrap().coefficients().to_owned()
    };
    assert_eq!(with(1), with(2));
}

#[test]
fn plans_and_bad_requests() {
    let (compute, (x, y)) = (Compute::new().with_speed(1e9), data(30));
    let plain = BinnedMachine::new(grids(20), 0.1);
    let plan = plain.plan(1_000_000, 1, &compute.clone().with_memory(2 << 30)).unwrap();
    assert!(plan.bytes > 80_000_000 && plan.seconds.is_some() && plan.to_string().contains("0.95"), "{plan}");
    assert!(matches!(plain.plan(1_000_000, 1, &compute.clone().with_memory(1 << 20)), Err(Error::Memory { .. })));
    let error = |machine: &BinnedMachine| machine.fit(x.view(), y.view(), None, &compute).unwrap_err().to_string();
    assert!(error(&BinnedMachine { lambda: 0.0, ..plain.clone() }).contains("lambda"));
    assert!(error(&BinnedMachine { loss: Loss::Hinge, ..plain.clone() }).contains("kinks"));
    assert!(plain.fit(x.view(), y.slice(s![..7, ..]), None, &compute).is_err());
    let smooth = RandomBinning::new("gaussian()".parse().unwrap(), 5);
    assert!(BinnedMachine::new(smooth, 0.1).fit(x.view(), y.view(), None, &compute).is_err());
}
