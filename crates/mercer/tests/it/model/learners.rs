//! What every learner of the catalogue must satisfy, whatever it computes.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mercer::compute::Progress;
use mercer::learn::svm::{Classes, Svc};
use mercer::learner::{FitInput, Goal, LearnerEntry, Targets, ViewCount};
use mercer::model::{self, AnyFit, Inputs, LEARNERS, Model};
use mercer::settings::Settings;
use mercer::{Cancel, Compute, Error, Expansion, Points, Seed, assert_close, io};
use ndarray::{Array1, Array2, Axis};

/// Rows of the data.
const ROWS: usize = 40;
/// Rows of data on which the work is divided among threads, and takes many steps.
const MANY_ROWS: usize = 300;

/// Data that suits a learner.
#[derive(Clone)]
struct Data {
    views: Vec<Array2<f64>>,
    y: Array2<f64>,
    classes: Vec<usize>,
    names: Vec<String>,
    entry: &'static LearnerEntry,
    settings: Settings,
}

impl Data {
    /// Two blobs with two columns; a spline takes one.
    fn new(entry: &'static LearnerEntry) -> Self {
        Self::sized(entry, ROWS)
    }

    /// The same with this number of rows.
    fn sized(entry: &'static LearnerEntry, rows: usize) -> Self {
        let columns = if entry.name == "spline" { 1 } else { 2 };
        let mut stream = Seed(3).stream("data of a learner", 0);
        let classes: Vec<usize> = (0..rows).map(|i| i % 2).collect();
        let mut x = Array2::from_shape_fn((rows, columns), |(i, _)| 1.5 * (i % 2) as f64 + 0.4 * stream.normal());
        if entry.name == "ica" {
            x = Array2::from_shape_fn((rows, columns), |_| stream.uniform());
        }
        let noise = Array2::from_shape_fn((rows, 1), |_| 0.1 * stream.normal());
        let y = x.column(0).mapv(f64::sin).insert_axis(Axis(1)) + noise;
        let second = x.mapv(|v| (1.3 * v).tanh() + 0.2);
        let views = if entry.views == ViewCount::One { vec![x] } else { vec![x, second] };
        let names = vec!["left".to_owned(), "right".to_owned()];
        Self { views, y, classes, names, entry, settings: settings(entry) }
    }

    fn input(&self) -> FitInput<'_> {
        let targets = match self.entry.goal {
            Goal::Values => Targets::Values(self.y.view()),
            Goal::Classes => Targets::Classes(&self.classes, &self.names),
            _ => Targets::None,
        };
        let mut input = FitInput::views(self.views.iter().map(Points::from).collect()).with_targets(targets);
        if self.entry.views == ViewCount::Two {
            input.labels = vec![&self.classes, &self.classes];
        }
        input
    }

    fn fit(&self, compute: &Compute) -> mercer::Result<AnyFit> {
        self.entry.build(&self.settings)?.fit(&self.input(), compute).map(AnyFit::from)
    }

    fn rows(&self, order: &[usize]) -> Self {
        Self {
            views: self.views.iter().map(|x| x.select(Axis(0), order)).collect(),
            y: self.y.select(Axis(0), order),
            classes: order.iter().map(|&row| self.classes[row]).collect(),
            ..self.clone()
        }
    }
}

/// What must be given, and what keeps a fit small.
fn settings(entry: &LearnerEntry) -> Settings {
    let given: &[(&str, &str)] = &[
        ("components", "2"),
        ("grids", "20"),
        ("buckets", "64"),
        ("clusters", "2"),
        ("inducing_count", "10"),
        ("levels", "0.3, 0.7"),
        ("kernel", "gaussian(lengthscale=0.8)"),
        ("kernels", "gaussian(lengthscale=0.8); linear()"),
        ("kernel_low", "gaussian(lengthscale=0.8)"),
        ("kernel_high", "gaussian(lengthscale=0.9)"),
    ];
    let mut settings = Settings::new();
    for (name, text) in given.iter().filter(|(name, _)| entry.parameter(name).is_some()) {
        let text = match (entry.name, *name) {
            ("scaling", "kernel") => "sqdist()",
            ("binning" | "binned" | "binned_classes", "kernel") => "laplacian(lengthscale=0.8, norm=l1)",
            ("explicit", "kernel") => "polynomial(degree=2, offset=1, scale=1)",
            ("cca", "kernels") => "gaussian(lengthscale=0.8)",
            _ => text,
        };
        settings.insert(name, entry.parse(name, text).unwrap());
    }
    if entry.parameter("C").is_some() {
        settings.insert("C", 1.0);
    }
    if entry.name.starts_with("binned") {
        settings.insert("tolerance", 1e-11);
    }
    settings
}

fn model(fit: &AnyFit) -> Model {
    let inputs = (0..fit.views()).map(|view| match view {
        0 => Inputs::of(&**fit),
        _ => Inputs::of_view(&**fit, view),
    });
    Model::of_views(fit.clone(), inputs.collect()).unwrap()
}

fn bytes(fit: &AnyFit) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, &model(fit)).unwrap();
    bytes
}

fn outputs(fit: &AnyFit, data: &Data, compute: &Compute) -> Vec<Array2<f64>> {
    let x = || Points::from(&data.views[0]);
    // Which side a point at the border is on depends on the last bits.
    let mut all = vec![match data.entry.goal {
        Goal::Novelty => fit.decision_values(x(), compute).unwrap(),
        _ => fit.predict(x(), compute).unwrap(),
    }];
    if matches!(data.entry.goal, Goal::Features | Goal::Clusters) {
        all.extend((0..fit.views()).map(|view| fit.transform(view, Points::from(&data.views[view]), compute).unwrap()));
    }
    all
}

#[test]
fn declarations_are_complete() {
    let mut names: Vec<&str> = LEARNERS.iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), LEARNERS.len(), "two learners have one name");
    for entry in LEARNERS {
        assert!(!entry.title.is_empty() && !entry.summary.ends_with('.'), "{}", entry.name);
        assert!(entry.summary.chars().next().is_some_and(char::is_lowercase), "{}: {}", entry.name, entry.summary);
        assert!(std::ptr::eq(model::learner(entry.name).unwrap(), *entry));
        if let Some(name) = entry.streamed {
            let streamed = model::learner(name).unwrap_or_else(|| panic!("{}: there is no {name}", entry.name));
            assert_eq!((streamed.goal, streamed.views), (entry.goal, ViewCount::One), "{name}");
        }
        for (i, parameter) in entry.parameters.iter().enumerate() {
            let what = format!("{}.{}", entry.name, parameter.name);
            assert!(!parameter.meaning.is_empty() && !parameter.meaning.ends_with('.'), "{what}");
            assert!(entry.parameters[..i].iter().all(|other| other.name != parameter.name), "{what} stands twice");
            if let Some(default) = parameter.default {
                entry.parse(parameter.name, default).unwrap_or_else(|e| panic!("{what} = {default}: {e}"));
            }
        }
    }
}

#[test]
fn settings_make_the_same_learner_again() {
    for entry in LEARNERS {
        let learner = entry.build(&settings(entry)).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let listed = learner.settings();
        let again = entry.build(&listed).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        assert_eq!(again.settings(), listed, "{}", entry.name);
        for (name, value) in settings(entry).iter() {
            assert_eq!(listed.get(name), Some(value), "{}: {name}", entry.name);
        }
        let unknown = settings(entry).with("no_such_setting", 1.0);
        assert!(entry.build(&unknown).unwrap_err().to_string().contains("no_such_setting"), "{}", entry.name);
    }
}

#[test]
fn files_give_back_predictions_and_settings_to_the_byte() {
    let compute = Compute::new();
    for entry in LEARNERS {
        let data = Data::new(entry);
        let fit = data.fit(&compute).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let written = bytes(&fit);
        let loaded = io::read_model(&written[..], "a test", &compute).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        assert_eq!(loaded.fitted().kind(), entry.name);
        assert_eq!(loaded.fitted().settings(), fit.settings(), "{}", entry.name);
        assert_eq!(loaded.fitted().facts().iter().count(), fit.facts().iter().count(), "{}", entry.name);
        let loaded = loaded.into_fitted();
        assert_eq!(outputs(&loaded, &data, &compute), outputs(&fit, &data, &compute), "{}", entry.name);
        assert_eq!(bytes(&loaded), written, "{}: a second copy differs", entry.name);
        let novelty = fit.novelty(Points::from(&data.views[0]), &compute);
        assert_eq!(novelty.is_ok(), entry.novelty, "{}: {novelty:?}", entry.name);
        // What the settings of a fit build is the learner that was fitted.
        let again = entry.build(fit.settings()).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        let again = AnyFit::from(again.fit(&data.input(), &compute).unwrap());
        assert_eq!(outputs(&again, &data, &compute), outputs(&fit, &data, &compute), "{}", entry.name);
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    for entry in LEARNERS {
        let data = Data::new(entry);
        let run = |threads: usize| bytes(&data.fit(&Compute::new().with_threads(threads).unwrap()).unwrap());
        let one = run(1);
        assert_eq!(one, run(2), "{}", entry.name);
        assert_eq!(one, run(8), "{}", entry.name);
    }
}

/// A thread that does a part of the work looks whether the fit is canceled: for most learners these
/// are several.
#[test]
fn the_same_bytes_where_threads_share_the_work() {
    let mut shared = Vec::new();
    for entry in LEARNERS {
        let data = Data::sized(entry, MANY_ROWS);
        let seen = Arc::new(Mutex::new(HashSet::new()));
        let run = |threads: usize| {
            let seen = seen.clone();
            let look = Cancel::when(move || {
                if threads > 1 {
                    seen.lock().unwrap().insert(std::thread::current().id());
                }
                false
            });
            let compute = Compute::new().with_threads(threads).unwrap().with_cancel(look);
            let fit = data.fit(&compute).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
            let values = outputs(&fit, &data, &compute);
            (bytes(&fit), values)
        };
        let one = run(1);
        for threads in [2, 8] {
            let other = run(threads);
            assert!(one.0 == other.0, "{}: the file of {threads} threads differs", entry.name);
            assert_eq!(one.1, other.1, "{}: {threads} threads", entry.name);
        }
        if seen.lock().unwrap().len() > 1 {
            shared.push(entry.name);
        }
    }
    assert!(shared.len() > LEARNERS.len() / 2, "the work of few learners is shared by threads: {shared:?}");
}

#[test]
fn wrong_data_is_refused() {
    let compute = Compute::new();
    for entry in LEARNERS {
        let refused = |data: &Data, why: &str| {
            let error = match data.fit(&compute) {
                Err(error) => error,
                Ok(_) => panic!("{}: {why} was accepted", entry.name),
            };
            assert!(!matches!(error, Error::Canceled), "{}: {why}: {error}", entry.name);
        };
        let data = Data::new(entry);
        for bad in [f64::NAN, f64::INFINITY] {
            let mut wrong = data.clone();
            wrong.views[0][[3, 0]] = bad;
            refused(&wrong, &format!("a point of {bad}"));
        }
        if entry.goal == Goal::Values {
            let mut wrong = data.clone();
            wrong.y[[5, 0]] = f64::NAN;
            refused(&wrong, "a target of NaN");
        }
        refused(&data.rows(&[]), "no row");
        if entry.goal.has_targets() {
            let mut short = data.clone();
            short.views[0] = short.views[0].select(Axis(0), &(0..ROWS - 1).collect::<Vec<_>>());
            refused(&short, "a point less than targets");
        }
        let input = FitInput { views: Vec::new(), ..data.input() };
        assert!(entry.build(&data.settings).unwrap().fit(&input, &compute).is_err(), "{}: no sample", entry.name);
    }
}

#[test]
fn one_row_is_fitted_or_refused() {
    for entry in LEARNERS {
        let data = Data::new(entry).rows(&[0]);
        if let Ok(fit) = data.fit(&Compute::new()) {
            let values = fit.predict(Points::from(&data.views[0]), &Compute::new()).unwrap();
            assert!(values.iter().all(|v| v.is_finite()), "{}: {values}", entry.name);
        }
    }
}

#[test]
fn a_canceled_fit_returns() {
    for entry in LEARNERS {
        let cancel = Cancel::default();
        cancel.cancel();
        // A solver with an answer at any moment may give it.
        if let Err(error) = Data::new(entry).fit(&Compute::new().with_cancel(cancel)) {
            assert!(matches!(error, Error::Canceled), "{}: {error}", entry.name);
        }
    }
}

/// Raises a flag at a report of progress.
struct StopAt {
    report: usize,
    reports: AtomicUsize,
    cancel: Cancel,
}

impl Progress for StopAt {
    fn report(&self, _: &str, _: u64, _: u64) {
        if self.reports.fetch_add(1, Ordering::Relaxed) + 1 == self.report {
            self.cancel.cancel();
        }
    }
}

/// A canceled fit gave no result, or one that predicts.
fn assert_canceled_or_usable(found: mercer::Result<AnyFit>, data: &Data, what: &str) {
    match found {
        Err(Error::Canceled) => {}
        Err(error) => panic!("{}, {what}: {error}", data.entry.name),
        Ok(fit) => {
            let values = outputs(&fit, data, &Compute::new());
            assert!(values.iter().flatten().all(|v| v.is_finite()), "{}, {what}", data.entry.name);
        }
    }
}

/// The first report of progress, one in the middle, and the last one raise the flag.
#[test]
fn a_fit_that_is_canceled_on_the_way_returns_and_the_next_is_whole() {
    let one = || Compute::new().with_threads(1).unwrap();
    for entry in LEARNERS {
        let data = Data::sized(entry, MANY_ROWS);
        let listener = |report: usize| {
            let cancel = Cancel::default();
            (Arc::new(StopAt { report, reports: AtomicUsize::new(0), cancel: cancel.clone() }), cancel)
        };
        let (all, _) = listener(usize::MAX);
        let whole = bytes(&data.fit(&one().with_progress(all.clone())).unwrap());
        let reports = all.reports.load(Ordering::Relaxed);
        // The next test cancels work that reports no progress.
        let some: HashSet<usize> = [1, reports.div_ceil(2), reports].into_iter().filter(|_| reports > 0).collect();
        for report in some {
            let (stop, cancel) = listener(report);
            let compute = one().with_progress(stop.clone()).with_cancel(cancel.clone());
            assert_canceled_or_usable(data.fit(&compute), &data, &format!("report {report} of {reports}"));
            let after = stop.reports.load(Ordering::Relaxed).saturating_sub(report);
            assert!(after <= 2, "{}: {after} reports after a cancellation", entry.name);
            // The same computation runs again when the flag is lowered.
            cancel.lower();
            assert!(bytes(&data.fit(&one().with_cancel(cancel)).unwrap()) == whole, "{}: another answer", entry.name);
        }
    }
}

/// Work that goes on looks at the flag for every tile or step, so that few looks are little time.
#[test]
fn a_fit_that_is_aborted_looks_at_the_flag_a_few_times_only() {
    for entry in LEARNERS {
        let data = Data::sized(entry, MANY_ROWS);
        let run = |raised_at: usize| {
            let looks = Arc::new(AtomicUsize::new(0));
            let counter = looks.clone();
            let hook = move || counter.fetch_add(1, Ordering::Relaxed) + 1 >= raised_at;
            let compute = Compute::new().with_threads(1).unwrap().with_cancel(Cancel::when(hook));
            let found = data.fit(&compute);
            (found, looks.load(Ordering::Relaxed))
        };
        let (_, looks) = run(usize::MAX);
        assert!(looks > 0, "{} never looks at the flag", entry.name);
        for raised_at in HashSet::from([1, looks.div_ceil(2), looks]) {
            let (found, until) = run(raised_at);
            // A loop that is divided among threads looks in every part.
            assert!(until <= raised_at + 16, "{}: raised at look {raised_at} of {looks}, ended at {until}", entry.name);
            assert_canceled_or_usable(found, &data, &format!("look {raised_at} of {looks}"));
        }
    }
}

/// Reports of a fit at which it is stopped, each in turn.
const MOST_REPORTS: usize = 12;

#[test]
fn learners_that_keep_their_model_when_stopped_are_those_declared_so() {
    let mut wrong = Vec::new();
    for entry in LEARNERS {
        let data = Data::new(entry);
        let complete = bytes(&data.fit(&Compute::new().with_threads(1).unwrap()).unwrap());
        let mut kept = false;
        for reports in 1..=MOST_REPORTS {
            let whole = Cancel::default();
            let cancel = whole.child();
            let listener = StopAt { report: reports, reports: AtomicUsize::new(0), cancel: cancel.clone() };
            let compute = Compute::new().with_threads(1).unwrap().with_cancel(cancel);
            match data.fit(&compute.with_progress(Arc::new(listener))) {
                Ok(fit) => kept |= bytes(&fit) != complete,
                Err(error) => assert!(matches!(error, Error::Canceled), "{}: {error}", entry.name),
            }
        }
        if kept != entry.anytime {
            wrong.push((entry.name, kept));
        }
    }
    assert!(wrong.is_empty(), "whether they keep a model: {wrong:?}");
}

/// `Σ wᵢ k(x, xᵢ)` at the rows of `x`.
fn weighted(fit: &AnyFit, x: &Array2<f64>, weights: &Array1<f64>, compute: &Compute) -> Array1<f64> {
    let points = fit.points(0).unwrap();
    Expansion::new(fit.kernel().unwrap(), points, weights.view(), compute).unwrap().evaluate(x, compute).unwrap()
}

#[test]
fn weights_of_the_points_make_the_function() {
    let compute = Compute::new();
    let mut found = Vec::new();
    for entry in LEARNERS {
        let data = Data::new(entry);
        let fit = data.fit(&compute).unwrap();
        let classes = fit.class_names().is_some();
        let Some(weights) = fit.point_weights(usize::from(classes)) else { continue };
        found.push(entry.name);
        let x = &data.views[0];
        let values = match entry.goal {
            Goal::Values => fit.predict(Points::from(x), &compute).unwrap(),
            _ => fit.decision_values(Points::from(x), &compute).unwrap(),
        };
        let sums = weighted(&fit, x, &weights, &compute);
        let (offset, first) = (values[[0, 0]] - sums[0], values.column(0));
        for (value, sum) in first.iter().zip(&sums) {
            assert_close!(*value, sum + offset, abs = 1e-9);
        }
        if classes {
            assert_eq!(fit.point_weights(0).unwrap(), -&weights, "{}", entry.name);
        }
        assert!(fit.point_weights(7).is_none(), "{}", entry.name);
    }
    let expected = [
        "ridge",
        "gaussian_process",
        "shared_gaussian_process",
        "logistic",
        "svc",
        "svr",
        "one_class",
        "kernel_machine",
        "quantiles",
        "multiple_ridge",
        "multiple_svm",
        "multiple_one_class",
    ];
    assert_eq!(found, expected);
}

#[test]
fn weights_for_a_class_of_three_sum_up_its_pairs() {
    let compute = Compute::new();
    let x = Array2::from_shape_fn((30, 2), |(i, j)| ((i * 7 + j * 5) % 11) as f64 / 4.0 + (i % 3) as f64);
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let classes = Classes::from_indices((0..30).map(|i| i % 3).collect(), names).unwrap();
    let fit = Svc::new("gaussian()".parse().unwrap(), 2.0).fit(x.view(), &classes, None, &compute).unwrap();
    let pairs = fit.values(x.view(), &compute).unwrap();
    let sums = [
        &pairs.column(0) + &pairs.column(1),
        &pairs.column(2) - &pairs.column(0),
        -(&pairs.column(1) + &pairs.column(2)),
    ];
    let fit = AnyFit::from(fit);
    for (class, expected) in sums.iter().enumerate() {
        let found = weighted(&fit, &x, &fit.point_weights(class).unwrap(), &compute);
        let offset = expected[0] - found[0];
        for (e, f) in expected.iter().zip(&found) {
            assert_close!(f + offset, *e, abs = 1e-9);
        }
    }
}

#[test]
fn the_order_of_the_rows_changes_nothing_but_rounding() {
    let compute = Compute::new();
    for entry in LEARNERS {
        let mut data = Data::new(entry);
        match entry.name {
            // The folds that choose among several penalties are blocks of rows.
            "streamed_ridge" => data.settings.insert("lambdas", entry.parse("lambdas", "0.1").unwrap()),
            // The first of equally good rows is the first inducing point.
            "sparse_gaussian_process" => data.settings.insert("inducing_count", ROWS),
            // The landmarks are drawn by position, but for all rows.
            "nystrom" => data.settings.insert("components", ROWS),
            _ => {}
        }
        let order: Vec<usize> = (0..ROWS).map(|i| (7 * i + 3) % ROWS).collect();
        // Names of classes and clusters are numbered by first appearance.
        let permuted = data.rows(&order);
        let (one, other) = (data.fit(&compute).unwrap(), permuted.fit(&compute).unwrap());
        let (mut a, mut b) = (outputs(&one, &data, &compute), outputs(&other, &data, &compute));
        match entry.name {
            // The coordinates belong to rows: their inner products are the same.
            "nystrom" | "empirical" => {
                a.iter_mut().for_each(|z| *z = z.dot(&z.t()));
                b.iter_mut().for_each(|z| *z = z.dot(&z.t()));
            }
            // The sources have no order.
            "ica" => b.iter_mut().for_each(|z| *z = in_order_of(&a[0], z)),
            _ => {}
        }
        let tolerance = if matches!(
            entry.name,
            "svc" | "svr" | "one_class" | "quantiles" | "multiple_svm" | "multiple_one_class"
        ) {
            5e-2
        } else {
            1e-5
        };
        for (a, b) in a.iter().zip(&b) {
            if entry.goal == Goal::Clusters {
                let pairs = |z: &Array2<f64>, x: usize, y: usize| z[[x, 0]] == z[[y, 0]];
                if a.ncols() == 1 {
                    assert!((0..ROWS).all(|i| pairs(a, 0, i) == pairs(b, 0, i)), "{}", entry.name);
                }
                continue;
            }
            let scale = a.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
            // Eigenvectors have a sign.
            for (u, v) in a.columns().into_iter().zip(b.columns()) {
                let gap = |sign: f64| u.iter().zip(v).map(|(u, v)| (u - sign * v).abs()).fold(0.0, f64::max);
                let free = entry.goal == Goal::Features;
                let gap = if free { gap(1.0).min(gap(-1.0)) } else { gap(1.0) };
                assert!(gap <= tolerance * scale, "{}: {gap}", entry.name);
            }
        }
    }
}

/// The columns of `z` in the order of those of `first` with which they correlate most.
fn in_order_of(first: &Array2<f64>, z: &Array2<f64>) -> Array2<f64> {
    let nearest = |u: ndarray::ArrayView1<f64>| {
        let shares: Vec<f64> = z.columns().into_iter().map(|v| u.dot(&v).abs() / v.dot(&v).sqrt()).collect();
        (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap()
    };
    z.select(Axis(1), &first.columns().into_iter().map(nearest).collect::<Vec<_>>())
}

#[test]
fn weights_are_repetitions() {
    let compute = Compute::new();
    for entry in LEARNERS.iter().filter(|entry| entry.weighted) {
        let mut data = Data::new(entry);
        if entry.parameter("tolerance").is_some() && entry.name.starts_with("sv") || entry.name == "one_class" {
            data.settings.insert("tolerance", 1e-9);
        }
        if entry.parameter("weight_tolerance").is_some() {
            data.settings.insert("weight_tolerance", 1e-10);
        }
        if matches!(entry.name, "multiple_svm" | "multiple_one_class") {
            data.settings.insert("tolerance", 1e-9);
        }
        // Degrees of freedom, folds and medians count rows.
        if entry.name == "spline" {
            data.settings.insert("smoothing", "lambda");
            data.settings.insert("lambda", 0.1);
        }
        let counts: Vec<usize> = (0..ROWS).map(|i| 1 + usize::from(i % 3 == 0)).collect();
        let repeated: Vec<usize> = (0..ROWS).flat_map(|i| std::iter::repeat_n(i, counts[i])).collect();
        let weights: Array1<f64> = counts.iter().map(|&c| c as f64).collect();
        let input = data.input().with_weights(Some(weights.view()));
        let weighted = AnyFit::from(entry.build(&data.settings).unwrap().fit(&input, &compute).unwrap());
        let copies = data.rows(&repeated).fit(&compute).unwrap();
        let (a, b) = (outputs(&weighted, &data, &compute), outputs(&copies, &data, &compute));
        let tolerance = if matches!(entry.name, "quantiles" | "kernel_machine") { 1e-3 } else { 1e-5 };
        for (a, b) in a.iter().zip(&b) {
            assert_close!(a, b, each = tolerance, "{}", entry.name);
        }
    }
}
