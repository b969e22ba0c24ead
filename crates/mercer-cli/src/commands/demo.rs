//! `mercer demo`: a tour on bundled data.

mod forecast;

use std::path::{Path, PathBuf};

use mercer::definiteness::{self, CheckOptions};
use mercer::gram::{Pairs, dense};
use mercer::io::{ReadOptions, atomic_write, read_table_from};
use mercer::points::{Encoding, Table};
use mercer::{Compute, Error, Expansion, Kernel};
use ndarray::{Array1, Array2};
use serde_json::{Value, json};

use super::{check, describe, explain};
use crate::arguments::DemoArguments;
use crate::failure::Failure;
use crate::plot::{self, Curve, CurvePlot, Figure, HeatMap, Mark};
use crate::report::{Block, Report};
use crate::session::Session;

const IRIS: &str = include_str!("../../../../examples/data/iris.csv");
const PROVEN: &str = "gaussian(lengthscale=2) * periodic(period=7) + 0.1*linear()";
const REFUTED: &str = "tanh(scale=1, offset=0)";
const SIMILAR: &str = "gaussian(lengthscale=median)";
const SPACES: [&str; 3] = ["gaussian(lengthscale=0.1)", "laplacian(lengthscale=0.2)", "periodic(period=0.5)"];

/// Shows a proof, a refutation, a Gram matrix, functions and a forecast, and leaves the pictures in a folder.
pub fn demo(words: &DemoArguments, session: &Session) -> Result<Report, Failure> {
    let folder = &words.output;
    std::fs::create_dir_all(folder).map_err(|source| Error::File { path: folder.clone(), source })?;
    let compute = &session.compute;
    let table = read_table_from(IRIS.as_bytes(), "iris.csv", &ReadOptions::default(), compute)?;
    let mut tour = Tour { report: Report::new("A tour of mercer"), files: Vec::new(), folder };
    let steps: Value = [
        tour.data(&table),
        tour.proof()?,
        tour.refutation(compute)?,
        tour.gram(&table, compute)?,
        tour.functions(compute)?,
        tour.forecast(compute)?,
    ]
    .into_iter()
    .collect();
    Ok(tour.finish(steps))
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

    fn data(&mut self, table: &Table) -> Value {
        self.step("1. Data", "Fisher's irises: four lengths of 150 flowers of three species.");
        let described = describe::tell("iris.csv", table);
        self.report.blocks.extend(described.blocks.into_iter().filter(|b| matches!(b, Block::Table(_))));
        json!({ "step": "data", "result": described.json })
    }

    fn proof(&mut self) -> Result<Value, Failure> {
        let kernel: Kernel = PROVEN.parse()?;
        self.step("2. A kernel with its proof", "Sums and products of positive semi-definite kernels are so again.");
        let told = explain::tell(&kernel);
        self.report.push(Block::Verbatim(told.json["proof"].as_str().unwrap_or_default().into()));
        Ok(json!({ "step": "proof", "result": told.json }))
    }

    fn refutation(&mut self, compute: &Compute) -> Result<Value, Failure> {
        let kernel: Kernel = REFUTED.parse()?;
        self.step("3. A kernel refuted", "tanh, of neural networks, is often used as if it were a kernel. It is not:");
        let found = definiteness::check(&kernel, None, &CheckOptions::default(), compute)?;
        let told = check::tell(&kernel, &found, &[]);
        self.report.blocks.extend(told.blocks);
        Ok(json!({ "step": "refutation", "result": told.json }))
    }

    fn gram(&mut self, table: &Table, compute: &Compute) -> Result<Value, Failure> {
        let measured = table.drop_columns(["species"])?;
        let x = Encoding::default().fit(&measured)?.apply(&measured)?.matrix;
        let kernel: Kernel = SIMILAR.parse()?;
        let bound = kernel.bind(Pairs::within(x.view()), compute)?;
        let matrix = dense(&bound, compute)?;
        let used = bound.kernel().to_string();
        self.step("4. A Gram matrix", "Flowers sorted by species; the first fifty (setosa) resemble only each other.");
        self.report.fields([("kernel", used.clone()), ("asked for as", SIMILAR.to_owned())]);
        let title = format!("{SIMILAR} on 150 irises");
        let heat = HeatMap { shape: matrix.dim(), cells: matrix, title, bar: "k(xᵢ, xⱼ)".into(), labels: None };
        self.draw("gram", Figure::Heat(heat))?;
        Ok(json!({ "step": "gram", "kernel": used }))
    }

    fn functions(&mut self, compute: &Compute) -> Result<Value, Failure> {
        self.step(
            "5. Functions of three spaces",
            "Random expansions f = Σ αᵢ k(·, xᵢ), scaled to ‖f‖ = 1: the kernel decides how rough they are.",
        );
        let plots = SPACES.iter().map(|text| sample_functions(text, compute)).collect::<Result<_, _>>()?;
        self.draw("functions", Figure::Curves(plots))?;
        Ok(json!({ "step": "functions", "kernels": SPACES }))
    }

    fn forecast(&mut self, compute: &Compute) -> Result<Value, Failure> {
        self.step(
            "6. A forecast",
            "Carbon dioxide above Mauna Loa: a Gaussian process sees the years before 1992 and foretells the rest.",
        );
        let forecast = forecast::forecast(compute)?;
        self.report.fields(forecast.fields());
        let json = json!({ "step": "forecast", "result": forecast.json() });
        self.draw("co2", Figure::Curves(vec![forecast.plot]))?;
        Ok(json)
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
    const CENTRES: usize = 12;
    const POINTS: usize = 300;
    let kernel: Kernel = text.parse()?;
    let grid = Array2::from_shape_fn((POINTS, 1), |(i, _)| i as f64 / (POINTS - 1) as f64);
    let mut curves = Vec::new();
    for sample in 0..3 {
        let mut stream = compute.seed().stream("sample functions", sample);
        let centres = Array2::from_shape_fn((CENTRES, 1), |_| stream.uniform());
        let coefficients = Array1::from_shape_fn(CENTRES, |_| stream.normal());
        let f = Expansion::new(&kernel, centres.view(), coefficients.view(), compute)?;
        let f = f.scaled(1.0 / f.norm(compute)?)?;
        let values = f.evaluate(grid.view(), compute)?;
        let points = grid.iter().copied().zip(values).collect();
        curves.push(Curve { label: String::new(), points, mark: Mark::Line });
    }
    Ok(CurvePlot { title: text.to_owned(), x: "x".into(), y: "f(x)".into(), curves })
}
