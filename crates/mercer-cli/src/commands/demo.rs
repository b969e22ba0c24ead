//! `mercer demo`: a tour on bundled data.

mod forecast;
mod regression;

use std::path::{Path, PathBuf};

use mercer::definiteness::{self, CheckOptions};
use mercer::gram::{Pairs, dense};
use mercer::hypothesis::TwoSample;
use mercer::io::{ReadOptions, atomic_write, read_table_from};
use mercer::points::Encoding;
use mercer::{Compute, Error, Expansion, Kernel};
use ndarray::{Array1, Array2, ArrayView2, s};
use serde_json::{Value, json};

use super::test::null_figure;
use super::{check, explain};
use crate::arguments::DemoArguments;
use crate::failure::Failure;
use crate::numbers::{json as number, short};
use crate::plot::{self, Curve, CurvePlot, Figure, HeatMap, Mark};
use crate::report::{Block, Report};
use crate::session::Session;

const IRIS: &str = include_str!("../../../../examples/data/iris.csv");
const PROVEN: &str = "gaussian(lengthscale=2) * periodic(period=7) + 0.1*linear()";
const REFUTED: &str = "tanh(scale=1, offset=0)";
const SIMILAR: &str = "gaussian(lengthscale=median)";
const SPACES: [&str; 3] = ["gaussian(lengthscale=0.1)", "laplacian(lengthscale=0.2)", "periodic(period=0.5)"];

/// Shows a proof, a refutation, a model chosen on real data, a two-sample test and a forecast;
/// writes the pictures to a folder.
pub fn demo(words: &DemoArguments, session: &Session) -> Result<Report, Failure> {
    let folder = &words.output;
    std::fs::create_dir_all(folder).map_err(|source| Error::File { path: folder.clone(), source })?;
    let compute = &session.compute;
    let iris = Iris::read(compute)?;
    let mut tour = Tour { report: Report::new("A tour of mercer"), files: Vec::new(), folder };
    let steps: Value = [
        tour.proof()?,
        tour.refutation(compute)?,
        tour.regression(compute)?,
        tour.two_sample(&iris, compute)?,
        tour.forecast(compute)?,
        tour.gram(&iris, compute)?,
        tour.functions(compute)?,
    ]
    .into_iter()
    .collect();
    Ok(tour.finish(steps))
}

/// Four measurements of 150 flowers, ordered by species.
struct Iris {
    x: Array2<f64>,
}

impl Iris {
    const FLOWERS: usize = 50;

    fn read(compute: &Compute) -> Result<Self, Failure> {
        let table = read_table_from(IRIS.as_bytes(), "iris.csv", &ReadOptions::default(), compute)?;
        let measured = table.drop_columns(["species"])?;
        Ok(Self { x: Encoding::default().fit(&measured)?.apply(&measured)?.matrix })
    }

    /// The sepals of one species.
    fn sepals(&self, species: usize) -> ArrayView2<'_, f64> {
        self.x.slice(s![species * Self::FLOWERS..(species + 1) * Self::FLOWERS, ..2])
    }
}

struct Tour<'a> {
    report: Report,
    files: Vec<PathBuf>,
    folder: &'a Path,
}

impl Tour<'_> {
    fn step(&mut self, title: &str, sentence: &str) {
        self.report.heading(title).text(sentence);
    }

    fn proof(&mut self) -> Result<Value, Failure> {
        let kernel: Kernel = PROVEN.parse()?;
        self.step(
            "1. A kernel with its proof",
            "Sums and products of positive semi-definite (PSD) kernels are PSD. The proof follows the expression:",
        );
        let summary = explain::summary(&kernel);
        self.report.push(Block::Verbatim(summary.json["proof"].as_str().unwrap_or_default().into()));
        Ok(json!({ "step": "proof", "result": summary.json }))
    }

    fn refutation(&mut self, compute: &Compute) -> Result<Value, Failure> {
        let kernel: Kernel = REFUTED.parse()?;
        self.step(
            "2. A kernel refuted",
            "The tanh kernel of neural networks is often used as if it were PSD. It is not; here is a counterexample:",
        );
        let found = definiteness::check(&kernel, None, &CheckOptions::default(), compute)?;
        let summary = check::summary(&kernel, &found, &[]);
        self.report.blocks.extend(summary.blocks);
        Ok(json!({ "step": "refutation", "result": summary.json }))
    }

    fn regression(&mut self, compute: &Compute) -> Result<Value, Failure> {
        self.step(
            "3. A model chosen and fitted",
            "Compressive strength of 1030 concrete mixtures: kernel, lengthscale and λ of a kernel ridge regression are \
             chosen by leave-one-out on four fifths of the rows; the error is that of the other fifth.",
        );
        let regression = regression::regression(compute)?;
        self.report.fields(regression.fields());
        let json = json!({ "step": "regression", "result": regression.json() });
        self.draw("concrete", Figure::Curves(vec![regression.plot]))?;
        Ok(json)
    }

    fn two_sample(&mut self, iris: &Iris, compute: &Compute) -> Result<Value, Failure> {
        self.step(
            "4. A two-sample test",
            "Do the sepals (length, width) of 50 Iris versicolor and 50 Iris virginica have the same distribution?",
        );
        let test = TwoSample::permutation(SIMILAR.parse()?);
        let outcome = test.test(iris.sepals(1), iris.sepals(2), compute)?;
        let decision = if outcome.reject { "rejected" } else { "not rejected" };
        self.report.fields([
            ("hypothesis", format!("same distribution: {decision} at level {}", short(outcome.level))),
            ("squared MMD", short(outcome.statistic)),
            ("p-value", format!("{} ({} permutations)", short(outcome.p_value), outcome.permutations)),
            ("kernel", outcome.kernel.clone()),
        ]);
        if let Some(figure) = null_figure(&outcome, "Squared MMD under permutations") {
            self.draw("two-sample", figure)?;
        }
        Ok(json!({
            "step": "two-sample",
            "statistic": number(outcome.statistic),
            "p_value": number(outcome.p_value),
            "reject": outcome.reject,
        }))
    }

    fn forecast(&mut self, compute: &Compute) -> Result<Value, Failure> {
        self.step(
            "5. A forecast",
            "Mauna Loa CO₂: a Gaussian process fitted to the years before 1992 predicts the years from 1992 on.",
        );
        let forecast = forecast::forecast(compute)?;
        self.report.fields(forecast.fields());
        let json = json!({ "step": "forecast", "result": forecast.json() });
        self.draw("co2", Figure::Curves(vec![forecast.plot]))?;
        Ok(json)
    }

    fn gram(&mut self, iris: &Iris, compute: &Compute) -> Result<Value, Failure> {
        let kernel: Kernel = SIMILAR.parse()?;
        let bound = kernel.bind(Pairs::within(iris.x.view()), compute)?;
        let matrix = dense(&bound, compute)?;
        let used = bound.kernel().to_string();
        self.step(
            "6. A Gram matrix",
            "150 irises ordered by species; the first 50 (setosa) are similar to each other only.",
        );
        self.report.fields([("kernel", used.clone()), ("as written", SIMILAR.to_owned())]);
        let title = format!("{SIMILAR} on 150 irises");
        let (shape, bar, labels) = (matrix.dim(), "k(xᵢ, xⱼ)".into(), None);
        let heat = HeatMap { shape, cells: matrix, title, bar, labels, groups: Vec::new() };
        self.draw("gram", Figure::Heat(heat))?;
        Ok(json!({ "step": "gram", "kernel": used }))
    }

    fn functions(&mut self, compute: &Compute) -> Result<Value, Failure> {
        self.step(
            "7. Functions of three spaces",
            "Random expansions f = Σ αᵢ k(·, xᵢ), scaled to ‖f‖ = 1: the kernel determines their smoothness.",
        );
        let plots = SPACES.iter().map(|text| sample_functions(text, compute)).collect::<Result<_, _>>()?;
        self.draw("functions", Figure::Curves(plots))?;
        Ok(json!({ "step": "functions", "kernels": SPACES }))
    }

    fn draw(&mut self, name: &str, figure: Figure) -> Result<(), Failure> {
        for ending in ["svg", "png"] {
            let path = self.folder.join(format!("{name}.{ending}"));
            let bytes = plot::encode(&figure, &path)?;
            atomic_write(&path, |out| out.write_all(&bytes))?;
            self.files.push(path);
        }
        self.report.figures.push(figure);
        Ok(())
    }

    fn finish(mut self, steps: Value) -> Report {
        let files: Vec<String> = self.files.iter().map(|path| path.display().to_string()).collect();
        self.report.heading("Pictures").push(Block::Verbatim(files.join("\n")));
        self.report.text("Next: `mercer kernel list`, or `mercer --help`.");
        self.report.json = json!({ "steps": steps, "files": files });
        self.report
    }
}

/// Three random functions of norm 1 of the space of a kernel, on the unit interval.
fn sample_functions(text: &str, compute: &Compute) -> Result<CurvePlot, Failure> {
    const CENTERS: usize = 12;
    const POINTS: usize = 300;
    let kernel: Kernel = text.parse()?;
    let grid = Array2::from_shape_fn((POINTS, 1), |(i, _)| i as f64 / (POINTS - 1) as f64);
    let mut curves = Vec::new();
    for sample in 0..3 {
        let mut stream = compute.seed().stream("sample functions", sample);
        let centers = Array2::from_shape_fn((CENTERS, 1), |_| stream.uniform());
        let coefficients = Array1::from_shape_fn(CENTERS, |_| stream.normal());
        let f = Expansion::new(&kernel, centers.view(), coefficients.view(), compute)?;
        let f = f.scaled(1.0 / f.norm(compute)?)?;
        let values = f.evaluate(grid.view(), compute)?;
        let points = grid.iter().copied().zip(values).collect();
        curves.push(Curve { label: String::new(), points, mark: Mark::Line });
    }
    Ok(CurvePlot { title: text.to_owned(), x: "x".into(), y: "f(x)".into(), curves })
}
