//! Data that suits a learner.

use mercer::learner::{FitInput, Goal, LearnerEntry, Targets, ViewCount};
use mercer::settings::Settings;
use mercer::{Points, Seed};
use ndarray::{Array2, Axis};

/// Samples, targets and settings.
pub struct Data {
    pub rows: usize,
    pub settings: Settings,
    views: Vec<Array2<f64>>,
    y: Array2<f64>,
    classes: Vec<usize>,
    names: Vec<String>,
    entry: &'static LearnerEntry,
}

impl Data {
    pub fn new(entry: &'static LearnerEntry) -> Self {
        let rows = rows(entry.name);
        let columns = if entry.name == "spline" { 1 } else { 4 };
        let mut stream = Seed(3).stream("data of a learner", 0);
        let classes: Vec<usize> = (0..rows).map(|i| i % 2).collect();
        let mut x = Array2::from_shape_fn((rows, columns), |(i, _)| 1.5 * (i % 2) as f64 + 0.8 * stream.normal());
        if entry.name == "ica" {
            x = Array2::from_shape_fn((rows, columns), |_| stream.uniform());
        }
        let noise = Array2::from_shape_fn((rows, 1), |_| 0.1 * stream.normal());
        let y = x.column(0).mapv(f64::sin).insert_axis(Axis(1)) + noise;
        let second = x.mapv(|v| (1.3 * v).tanh() + 0.2);
        let views = if entry.views == ViewCount::One { vec![x] } else { vec![x, second] };
        let names = vec!["left".to_owned(), "right".to_owned()];
        Self { rows, settings: settings(entry), views, y, classes, names, entry }
    }

    /// The input of a fit.
    pub fn input(&self) -> FitInput<'_> {
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
}

/// Rows at which a fit takes some megabytes, and no more than a second.
fn rows(learner: &str) -> usize {
    match learner {
        "gaussian_process" | "coupled" | "cca" => 300,
        "ica" | "spline" => 20_000,
        _ => 1500,
    }
}

/// What must be given, and what keeps a fit small.
fn settings(entry: &LearnerEntry) -> Settings {
    let given: &[(&str, &str)] = &[
        ("components", "2"),
        ("clusters", "2"),
        ("inducing_count", "100"),
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
            ("cca", "kernels") => "gaussian(lengthscale=0.3)",
            ("binned" | "binned_classes" | "binning", "kernel") => "laplacian(norm=l1, lengthscale=0.8)",
            ("explicit", "kernel") => "polynomial(degree=2, offset=1)",
            ("fourier" | "nystrom" | "binning", "components") => "300",
            _ => text,
        };
        settings.insert(name, entry.parse(name, text).unwrap());
    }
    match entry.name {
        "local" => settings.insert("bandwidth", 0.5),
        "cca" => settings.insert("rank", "exact"),
        "streamed_ridge" | "streamed_logistic" => settings.insert("components", 500.0),
        _ => {}
    }
    if entry.parameter("C").is_some() {
        settings.insert("C", 1.0);
    }
    settings
}
