//! Kernels of a program: the values of a known kernel must give the same answers under another name.

use mercer::definiteness::{CheckOptions, check};
use mercer::features::Nystrom;
use mercer::function::Expansion;
use mercer::gram::{self, Pairs};
use mercer::hypothesis::{Independence, TwoSample};
use mercer::kernel::{ColumnRef, CustomKernel, Property};
use mercer::learn::svm::{Classes, OneClass, Svc, Svr};
use mercer::learn::{GaussianProcess, KernelMachine, LogisticRegression, Loss, Ridge};
use mercer::model::{Inputs, Model};
use mercer::points::{Mixed, PointKind, Strings};
use mercer::{Compute, Error, Kernel, Points, Result, Seed, io};
use ndarray::{Array1, Array2, ArrayViewMut2, Axis, array, s};

/// Another kernel under a name of its own.
#[derive(Debug)]
struct Twin(Kernel, PointKind);

impl CustomKernel for Twin {
    fn name(&self) -> String {
        "a twin".into()
    }

    fn point_kind(&self) -> PointKind {
        self.1
    }

    fn tile(&self, rows: Points<'_>, cols: Points<'_>, mut out: ArrayViewMut2<'_, f64>) -> Result<()> {
        let compute = Compute::new();
        let (rows, cols) = (mercer::Sample::from(rows), mercer::Sample::from(cols));
        let bound = self.0.bind(Pairs::Between(rows.as_points(), cols.as_points()), &compute)?;
        out.assign(&gram::dense(&bound, &compute)?);
        Ok(())
    }
}

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn twin(text: &str) -> Kernel {
    let known = kernel(text);
    let kind = known.point_kind().unwrap();
    Kernel::custom(Twin(known, kind)).unwrap()
}

/// Words over three letters; the second half has more of the first letter.
fn words(count: usize) -> Strings {
    let mut stream = Seed(11).stream("words of a program", 0);
    let letter = |u: f64, more: f64| {
        if u < 0.2 + more {
            'a'
        } else if u < 0.6 + more / 2.0 {
            'b'
        } else {
            'c'
        }
    };
    (0..count)
        .map(|i| {
            let more = if i < count / 2 { 0.0 } else { 0.5 };
            (0..4 + i % 5).map(|_| letter(stream.uniform(), more)).collect::<String>()
        })
        .collect()
}

fn matrix<'a>(kernel: &Kernel, points: impl Into<Points<'a>>, compute: &Compute) -> Array2<f64> {
    gram::dense(&kernel.bind(Pairs::Within(points.into()), compute).unwrap(), compute).unwrap()
}

fn assert_same(found: &[f64], expected: &[f64]) {
    assert_close!(found, expected, each = 1e-7);
}

#[test]
fn the_algebra_takes_a_kernel_of_a_program() {
    let (strings, compute) = (words(150), Compute::new());
    let known = kernel("spectrum(length=2)");
    let own = twin("spectrum(length=2)");
    let both = [
        (own.clone(), known.clone()),
        (own.clone() + kernel("spectrum(length=1)"), known.clone() + kernel("spectrum(length=1)")),
        (own.clone() * own.clone(), known.clone().power(2.0).unwrap()),
        (own.clone().normalized(), known.clone().normalized()),
        (own.clone().scaled(0.01).unwrap(), known.clone().scaled(0.01).unwrap()),
    ];
    for (own, known) in both {
        let found = matrix(&own, &strings, &compute);
        assert_close!(found.as_slice().unwrap(), matrix(&known, &strings, &compute).as_slice().unwrap(), each = 1e-12);
        // Too little memory to keep the values: they are made again for every tile.
        let little = Compute::new().with_memory(8 * 150 * 150 + 1);
        assert_eq!(found, matrix(&own, &strings, &little));
    }
    let exponential = Kernel::Exp(Box::new(own.clone().scaled(0.01).unwrap()));
    assert!(matrix(&exponential, &strings, &compute).iter().all(|v| *v >= 1.0));
    assert_eq!(own, own.clone());
    assert_ne!(own, twin("spectrum(length=2)"));
}

#[test]
fn vectors_columns_and_tables_take_it() {
    let compute = Compute::new();
    let x = array![[0.0, 1.0], [1.0, 3.0], [2.0, -1.0], [0.5, 0.5]];
    let on = |k: Kernel, j: usize| k.on(vec![ColumnRef::Index(j)]).unwrap();
    let same = |own: Kernel, text: &str| {
        let (found, expected) = (matrix(&own, &x, &compute), matrix(&kernel(text), &x, &compute));
        assert_close!(found.as_slice().unwrap(), expected.as_slice().unwrap(), each = 1e-14);
    };
    same(twin("gaussian(lengthscale=2)"), "gaussian(lengthscale=2)");
    same(on(twin("gaussian(lengthscale=2)"), 1), "on([1], gaussian(lengthscale=2))");
    same(on(twin("linear()"), 0) * kernel("gaussian()"), "on([0], linear()) * gaussian()");
    same(twin("linear()").normalized(), "normalized(linear())");
    same(twin("sqdist()").hilbert_embedding(vec![1.0, 1.0]).unwrap(), "0.5*based(sqdist(), at=[1, 1])");
    let factor = |k: Kernel| {
        let Kernel::Conformal(factor, _) = kernel("conformal(linear(), by=gaussian())") else { panic!() };
        Kernel::Conformal(factor, Box::new(k))
    };
    same(factor(twin("linear()")), "conformal(linear(), by=gaussian())");
    assert_eq!(twin("linear()").evaluate(&[1.0, 2.0], &[3.0, 4.0]).unwrap(), 11.0);

    let names = vec!["a".into(), "b".into()];
    let rows = Mixed::new(x.clone(), names, vec![("text".into(), words(4).into())]).unwrap();
    let named = |k: Kernel, name: &str| k.on(vec![ColumnRef::Name(name.into())]).unwrap();
    let own = named(twin("spectrum(length=1)"), "text") * named(twin("linear()"), "b");
    let expected = matrix(&kernel("on([text], spectrum(length=1)) * on([b], linear())"), &rows, &compute);
    assert_eq!(matrix(&own, &rows, &compute), expected);
}

#[test]
fn every_learner_takes_it() {
    let (strings, compute) = (words(40), Compute::new());
    let new = words(11);
    let own = twin("spectrum(length=2)").normalized();
    let known = kernel("normalized(spectrum(length=2))");
    let y = Array1::from_shape_fn(40, |i| if i < 20 { -1.0 } else { 1.0 } + 0.1 * (i % 3) as f64);
    let labels: Vec<usize> = (0..40).map(|i| usize::from(i >= 20)).collect();
    let classes = Classes::from_texts(labels.iter().map(|&label| ["first", "second"][label]));
    let column = y.clone().insert_axis(Axis(1));

    let svc = |k: &Kernel| Svc::new(k.clone(), 1.0).fit(&strings, &classes, None, &compute).unwrap();
    assert_same(
        svc(&own).values(&new, &compute).unwrap().as_slice().unwrap(),
        svc(&known).values(&new, &compute).unwrap().as_slice().unwrap(),
    );
    let ridge = |k: &Kernel| Ridge::new(k.clone(), 0.1).fit(&strings, column.view(), None, &compute).unwrap();
    assert_same(
        ridge(&own).predict(&new, &compute).unwrap().as_slice().unwrap(),
        ridge(&known).predict(&new, &compute).unwrap().as_slice().unwrap(),
    );
    type Predict<'a> = &'a dyn Fn(&Kernel) -> Vec<f64>;
    let predictions: [Predict<'_>; 5] = [
        &|k| {
            let fit = Svr::new(k.clone(), 1.0, 0.1).fit(&strings, y.view(), None, &compute).unwrap();
            fit.predict(&new, &compute).unwrap().to_vec()
        },
        &|k| {
            let fit = OneClass::new(k.clone(), 0.3).fit(&strings, None, &compute).unwrap();
            fit.decisions(&new, &compute).unwrap().to_vec()
        },
        &|k| {
            let fit = GaussianProcess::new(k.clone(), 0.3).fit(&strings, y.view(), &compute).unwrap();
            fit.predict(&new, &compute).unwrap().mean.to_vec()
        },
        &|k| {
            let fit = LogisticRegression::new(k.clone(), 0.1).fit(&strings, &labels, None, &compute).unwrap();
            fit.probabilities(&new, &compute).unwrap().into_iter().collect()
        },
        &|k| {
            let machine = KernelMachine::new(Loss::Logistic, k.clone(), 0.1);
            let signs = y.mapv(f64::signum);
            machine.fit(&strings, signs.view(), None, &compute).unwrap().predict(&new, &compute).unwrap().to_vec()
        },
    ];
    for predict in predictions {
        assert_same(&predict(&own), &predict(&known));
    }
    let features = Nystrom::new(own, 8).fit(&strings, &compute).unwrap();
    assert_eq!(features.landmarks().kind(), PointKind::Strings);
    assert_eq!(features.transform(&new, &compute).unwrap().nrows(), 11);
}

#[test]
fn tests_take_it() {
    let compute = Compute::new();
    let all = words(40);
    let part = |rows: std::ops::Range<usize>| rows.map(|i| all.get(i).to_owned()).collect::<Strings>();
    let (own, known) = (twin("spectrum(length=1)"), kernel("spectrum(length=1)"));
    let two = |k: &Kernel| TwoSample::permutation(k.clone()).test(&part(0..20), &part(20..40), &compute).unwrap();
    assert!(two(&own).reject);
    assert_eq!(two(&own).p_value, two(&known).p_value);
    let group = Array2::from_shape_fn((40, 1), |(i, _)| f64::from(u8::from(i >= 20)));
    let independence = |k: &Kernel| {
        let test = Independence { kernel_x: Some(k.clone()), ..Independence::with_method(permutation()) };
        test.test(&all, &group, &compute).unwrap().p_value
    };
    assert_eq!(independence(&own), independence(&known));
}

fn permutation() -> mercer::hypothesis::IndependenceMethod {
    mercer::hypothesis::IndependenceMethod::Permutation
}

/// What a test needs of a kernel with a fault.
#[derive(Debug)]
enum Fault {
    NotFinite,
    NotSymmetric,
    Fails,
    NotPositive,
    Unnamed,
    Table,
}

impl CustomKernel for Fault {
    fn name(&self) -> String {
        if let Self::Unnamed = self { String::new() } else { format!("{self:?}") }
    }

    fn point_kind(&self) -> PointKind {
        if let Self::Table = self { PointKind::Mixed } else { PointKind::Vectors }
    }

    fn tile(&self, rows: Points<'_>, cols: Points<'_>, mut out: ArrayViewMut2<'_, f64>) -> Result<()> {
        let (x, y) = (rows.vectors()?, cols.vectors()?);
        for ((i, j), value) in out.indexed_iter_mut() {
            let (x, y) = (x[[i, 0]], y[[j, 0]]);
            *value = match self {
                Self::NotFinite if x.max(y) == 70.0 && x.min(y) == 3.0 => f64::NAN,
                Self::NotSymmetric => x - y,
                Self::Fails => return Err(Error::request("these points are not mine")),
                Self::NotPositive => -1.0 - (x - y).abs(),
                _ => x * y,
            };
        }
        Ok(())
    }
}

#[test]
fn faults_are_named_with_the_pair_of_points() {
    let compute = Compute::new();
    let x = Array2::from_shape_fn((80, 1), |(i, _)| i as f64);
    let bind = |fault: Fault| {
        let kernel = Kernel::custom(fault).unwrap() + kernel("linear()");
        kernel.bind(Pairs::within(x.view()), &compute).map(|_| ()).unwrap_err().to_string()
    };
    let not_finite = "custom(\"NotFinite\"): row 3, column 70 holds NaN: it must be a finite number";
    assert_eq!(bind(Fault::NotFinite), not_finite);
    assert_eq!(
        bind(Fault::NotSymmetric),
        "custom(\"NotSymmetric\"): row 0, column 10 holds -10: it must equal the entry across the diagonal, which is 10"
    );
    assert_eq!(bind(Fault::Fails), "these points are not mine");
    // Too large to be kept: the matrix of 80 rows takes 51 200 bytes.
    let small = Compute::new().with_memory(20_000);
    for (fault, expected) in [(Fault::NotFinite, not_finite), (Fault::Fails, "these points are not mine")] {
        let kernel = Kernel::custom(fault).unwrap();
        assert_eq!(kernel.bind(Pairs::within(x.view()), &small).map(drop).unwrap_err().to_string(), expected);
    }
    let between = Kernel::custom(Fault::NotFinite).unwrap();
    let found = between.bind(Pairs::between(x.slice(s![..10, ..]), x.view()), &small).map(drop);
    assert_eq!(found.unwrap_err().to_string(), not_finite);
    let refused = Kernel::custom(Fault::Unnamed).unwrap_err().to_string();
    assert_eq!(refused, "a kernel of your own needs a name, which is empty");
    assert!(Kernel::custom(Fault::Table).unwrap_err().to_string().contains("takes rows of a table"));
    let own = Kernel::custom(Fault::NotPositive).unwrap();
    let wrong = own.bind(Pairs::Within((&words(3)).into()), &compute).unwrap_err().to_string();
    assert_eq!(wrong, "custom(\"NotPositive\") takes vectors; the points are strings");
    // Nothing is assumed: the matrix of the data decides.
    let found = check(&own, Some(Points::from(&x)), &CheckOptions::default(), &compute).unwrap();
    assert!(found.counterexample().is_some_and(|c| c.value < 0.0));
    assert!(own.evaluate_precisely(&[1.0], &[2.0]).is_err());
}

#[test]
fn its_text_is_a_name_that_no_reader_takes() {
    let own = twin("gaussian()") + kernel("linear()");
    assert_eq!(own.to_string(), "custom(\"a twin\") + linear()");
    let refused = own.to_string().parse::<Kernel>().unwrap_err().to_string();
    assert!(refused.contains("stands for a kernel that a program defined"), "{refused}");
    assert!(own.property(Property::PositiveSemidefinite).as_option().is_none());

    let (x, y) = (array![[0.0], [1.0], [2.0]], array![[0.0], [1.0], [0.0]]);
    let compute = Compute::new();
    let fit = Ridge::new(own.clone(), 0.1).fit(&x, y.view(), None, &compute).unwrap();
    let model = Model::new(fit, Inputs::vectors(1, 1)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let refused = io::save_model(&path, &model).unwrap_err();
    assert!(refused.to_string().contains("custom(\"a twin\")"), "{refused}");
    assert!(matches!(refused, Error::Unsupported { .. }) && !path.exists());

    let f = Expansion::new(&own, x.view(), array![1.0, 2.0, 3.0].view(), &compute).unwrap();
    assert!(matches!(f.gradient(x.view(), &compute), Err(Error::Unsupported { .. })));
}
