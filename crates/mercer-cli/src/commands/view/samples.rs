//! The data of a view: one sample, or several of the same rows.

use mercer::learner::LearnerEntry;
use mercer::model::{Features, Inputs, TablePoints};
use mercer::points::{Encoding, Missing, Scaling, Table};
use mercer::settings::{Setting, Settings};
use mercer::{Kernel, Points, Sample};
use ndarray::Array1;

use super::super::fit::{Goal, Reading, Training};
use crate::arguments::ViewData;
use crate::data::{self, few, named, shown};
use crate::failure::Failure;
use crate::session::Session;

/// The colors of the points of a picture.
pub struct Colors {
    /// The name of the column.
    pub name: String,
    /// The class of every row, or the part of the range of numbers.
    pub of: Vec<usize>,
    /// The names of the classes.
    pub names: Vec<String>,
}

/// What a view gets.
pub struct Samples {
    /// The file, as messages name it.
    pub name: String,
    /// The points of every view.
    pub views: Vec<Sample>,
    /// What the model will expect as every view.
    pub inputs: Vec<Inputs>,
    /// The names of the inputs of every view.
    pub names: Vec<Vec<String>>,
    /// The weights of the rows.
    pub weights: Option<Array1<f64>>,
    /// The colors of the rows.
    pub colors: Option<Colors>,
    /// Remarks on the data.
    pub remarks: Vec<String>,
}

/// Ranges of a numeric column that are told apart by colors.
const RANGES: usize = 4;

impl Samples {
    /// One sample.
    pub fn read(
        entry: &LearnerEntry,
        words: &ViewData,
        weights: Option<&str>,
        kernel: Option<&str>,
        session: &Session,
    ) -> Result<Self, Failure> {
        let goal = if words.color.is_some() { Goal::Either } else { Goal::Nothing };
        let scaling = if kernel.is_some() { Scaling::None } else { Scaling::Standardize };
        let how = Reading { scaling, sparse: entry.sparse };
        let mut training = Training::read_for(goal, &words.as_fit(), weights, kernel, how, session)?;
        training.remarks.retain(|remark| !remark.contains("The target `"));
        let colors = words.color.as_ref().map(|name| match &training.classes {
            Some(classes) => Colors { name: name.clone(), of: classes.of().to_vec(), names: classes.names().to_vec() },
            None => by_range(name, training.y.column(0).to_vec()),
        });
        let mut inputs = training.inputs.clone();
        inputs.unused.extend(inputs.targets.drain(..).filter_map(|target| target.name));
        Ok(Self {
            name: training.name.clone(),
            names: vec![training.input_names()],
            views: vec![training.x],
            inputs: vec![inputs],
            weights: training.weights,
            colors,
            remarks: training.remarks,
        })
    }

    /// Several views of the rows of a table, each of some columns.
    pub fn read_views(
        words: &ViewData,
        columns: &[String],
        kernels: &[String],
        session: &Session,
    ) -> Result<Self, Failure> {
        let table =
            data::with_labels(data::read_table(&words.data, session)?, words.objects.labels.as_deref(), session)?;
        let all: Vec<String> = table.names().map(str::to_owned).collect();
        let chosen = columns.iter().map(|columns| {
            let list: Vec<String> = columns.split(',').map(str::to_owned).collect();
            data::choose(table.clone(), &list)
        });
        let chosen = chosen.collect::<Result<Vec<Table>, Failure>>()?;
        let complete = match words.missing.map(Missing::from) {
            Some(Missing::DropRows) => {
                let missing = |row: usize| {
                    chosen.iter().any(|table| table.columns().iter().any(|column| column.data.is_missing(row)))
                };
                (0..table.rows()).filter(|&row| !missing(row)).collect()
            }
            _ => (0..table.rows()).collect::<Vec<usize>>(),
        };
        if complete.is_empty() {
            return Err(Failure::request(format!("{}: there is no row of data", shown(&words.data))));
        }
        let mut found = Self {
            name: shown(&words.data),
            views: Vec::new(),
            inputs: Vec::new(),
            names: Vec::new(),
            weights: None,
            colors: color_of(&table, words, &complete)?,
            remarks: Vec::new(),
        };
        if complete.len() < table.rows() {
            found.remarks.push(format!("{} rows with missing values were dropped.", table.rows() - complete.len()));
        }
        let default = if kernels.is_empty() { Scaling::Standardize } else { Scaling::None };
        for (view, table) in chosen.iter().enumerate() {
            let kernel = kernels.get(view).or(kernels.first()).map(|text| text.parse::<Kernel>()).transpose()?;
            let rules = Encoding {
                missing: words.missing.map(Into::into).unwrap_or_default(),
                scaling: words.as_fit().scaling(default),
            };
            let table = table.select_rows(&complete)?;
            let points = TablePoints::new(&table, rules, kernel.as_ref()).map_err(|e| named(e, &words.data))?;
            let TablePoints { encoding, encoded, kind, .. } = points;
            let used: Vec<&str> = encoding.columns().iter().map(|column| column.name()).collect();
            let unused = all.iter().filter(|name| !used.contains(&name.as_str())).cloned().collect();
            found.names.push(used.iter().map(|name| (*name).to_owned()).collect());
            found.inputs.push(Inputs { features: Features::Columns(encoding), targets: Vec::new(), unused });
            found.views.push(encoded.into_sample(kind)?);
        }
        Ok(found)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.views.first().map_or(0, Sample::len)
    }

    /// The points of every view.
    pub fn points(&self) -> Vec<Points<'_>> {
        self.views.iter().map(Sample::as_points).collect()
    }

    /// The settings with names of columns in kernels replaced by their numbers, and with a kernel
    /// for points that are not vectors where none is given.
    pub fn settings(&self, entry: &LearnerEntry, given: &Settings) -> Result<Settings, Failure> {
        let mut settings = given.clone();
        let resolved = |view: usize, text: &str| -> mercer::Result<String> {
            let (points, names) = (self.views[view].as_points(), self.coordinates(view));
            Ok(data::with_names(&text.parse()?, points.kind(), &names)?.to_string())
        };
        for (name, value) in given.iter() {
            match value {
                Setting::Text(text) if name == "kernel" => settings.insert(name, resolved(0, text)?),
                Setting::Texts(texts) if name == "kernels" && self.views.len() > 1 => {
                    let each = texts.iter().enumerate().map(|(at, text)| resolved(at.min(self.views.len() - 1), text));
                    settings.insert(name, &each.collect::<mercer::Result<Vec<String>>>()?[..]);
                }
                _ => {}
            }
        }
        if entry.parameter("kernel").is_some() && !given.has("kernel") && self.views[0].as_points().kind().is_object() {
            settings.insert("kernel", &Kernel::default_of(self.views[0].as_points())?);
        }
        if entry.parameter("kernels").is_some() && !given.has("kernels") && self.views.len() > 1 {
            let default = |sample: &Sample| match sample.as_points().kind().is_object() {
                true => Kernel::default_of(sample.as_points()).map(|kernel| kernel.to_string()),
                false => Ok("gaussian(lengthscale=median)".to_owned()),
            };
            let all = self.views.iter().map(default).collect::<mercer::Result<Vec<String>>>()?;
            settings.insert("kernels", &all[..]);
        }
        Ok(settings)
    }

    fn coordinates(&self, view: usize) -> Vec<String> {
        self.inputs[view].coordinate_names().unwrap_or_default()
    }

    /// The inputs, for a report.
    pub fn described(&self) -> String {
        let one = |names: &Vec<String>| {
            format!("{} ({})", names.len(), few(&names.iter().map(String::as_str).collect::<Vec<_>>()))
        };
        self.names.iter().map(one).collect::<Vec<_>>().join(" and ")
    }
}

fn color_of(table: &Table, words: &ViewData, rows: &[usize]) -> Result<Option<Colors>, Failure> {
    let Some(name) = &words.color else { return Ok(None) };
    let column = table.column(name.as_str()).map_err(|e| Failure::request(format!("--color: {e}")))?;
    let texts: Vec<String> = rows.iter().map(|&row| super::super::predict_write::cell(&column.data, row)).collect();
    let numbers: Option<Vec<f64>> = texts.iter().map(|text| text.parse().ok()).collect();
    if let Some(numbers) = numbers.filter(|numbers| distinct(numbers) > RANGES * 2) {
        return Ok(Some(by_range(name, numbers)));
    }
    let mut names = texts.clone();
    names.sort();
    names.dedup();
    let of = texts.iter().map(|text| names.binary_search(text).unwrap_or(0)).collect();
    Ok(Some(Colors { name: name.clone(), of, names }))
}

fn distinct(values: &[f64]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    sorted.len()
}

/// Numbers by quarters of their order; few different ones by value.
fn by_range(name: &str, values: Vec<f64>) -> Colors {
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let short = crate::numbers::short;
    if distinct(&values) <= 2 * RANGES {
        sorted.dedup();
        let of = values.iter().map(|v| sorted.iter().position(|s| s == v).unwrap_or(0)).collect();
        return Colors { name: name.to_owned(), of, names: sorted.iter().map(|v| short(*v)).collect() };
    }
    let quantile = |part: usize| sorted[(sorted.len() - 1) * part / RANGES];
    let ends: Vec<f64> = (0..=RANGES).map(quantile).collect();
    let part = |v: &f64| (1..RANGES).filter(|&at| *v > ends[at]).count();
    let names = (0..RANGES).map(|at| format!("{} to {}", short(ends[at]), short(ends[at + 1]))).collect();
    Colors { name: name.to_owned(), of: values.iter().map(part).collect(), names }
}
