//! A model as named texts and arrays: the fit, the inputs, the notes.

use serde_json::{Value, json};

use super::{Features, Inputs, Model, Target, learner};
use crate::conformal::ConformalFit;
use crate::error::RecordProblem;
use crate::points::{Affine, EncodedColumn, Encoding, FittedEncoding, Missing, PointKind, Scaling};
use crate::record::Record;
use crate::{Compute, Error, Result};

/// What comes before the name of a note.
const NOTE: &str = "note.";
const MISSING: [(Missing, &str); 4] =
    [(Missing::Refuse, "refuse"), (Missing::DropRows, "drop_rows"), (Missing::Mean, "mean"), (Missing::Zero, "zero")];
const SCALING: [(Scaling, &str); 3] =
    [(Scaling::None, "none"), (Scaling::Standardize, "standardize"), (Scaling::UnitInterval, "unit_interval")];

const KINDS: [(PointKind, &str); 5] = [
    (PointKind::Strings, "strings"),
    (PointKind::Graphs, "graphs"),
    (PointKind::Bags, "bags"),
    (PointKind::Diagrams, "diagrams"),
    (PointKind::Mixed, "table"),
];

impl Model {
    /// The complete record of the model.
    pub(crate) fn to_record(&self) -> Record {
        let mut record = self.fitted.to_record();
        if let Some(classes) = &self.classes {
            record.put_list("classes", classes);
        }
        record.put_text("kind", self.fitted.kind());
        record.put_settings(self.fitted.settings());
        for (view, inputs) in self.inputs.iter().enumerate() {
            inputs.put_into(view, &mut record);
        }
        if let Some(conformal) = &self.conformal {
            conformal.put_into(&mut record);
        }
        for (name, text) in &self.notes {
            record.put_text(&format!("{NOTE}{name}"), text);
        }
        record
    }

    /// The model that [`Model::to_record`] wrote.
    pub(crate) fn from_record(mut record: Record, compute: &Compute) -> Result<Self> {
        let mut inputs = Vec::new();
        while inputs.is_empty() || record.has(&text_name(inputs.len())) {
            inputs.push(Inputs::take_from(inputs.len(), &mut record)?);
        }
        let mut nested = ConformalFit::is_in(&record).then(|| record.take_nested("conformal."));
        let settings = record.take_settings()?;
        let kind = record.text("kind")?;
        let entry = learner(kind).ok_or_else(|| Error::parameter("kind", kind, "a kind that this version knows"))?;
        let mut model = Self::of_views((entry.load)(&mut record, settings, compute)?, inputs)?;
        if model.classes.is_some() {
            model = model.with_classes(record.list("classes")?)?;
        }
        if let Some(nested) = &mut nested {
            model.conformal = Some(ConformalFit::take_from(nested, entry, &*model.fitted, compute)?);
        }
        let notes = record.texts.into_iter().filter_map(|(k, v)| Some((k.strip_prefix(NOTE)?.to_owned(), v)));
        model.notes = notes.collect();
        Ok(model)
    }
}

/// The name of the text of a view: files of one view have no number.
fn text_name(view: usize) -> String {
    if view == 0 { "inputs".into() } else { format!("inputs.{view}") }
}

/// What the names of the arrays of a view begin with.
fn array_name(view: usize) -> String {
    if view == 0 { "input".into() } else { format!("input.{view}") }
}

impl Inputs {
    /// Names as JSON, numbers as arrays. Keys are written in the order of the alphabet.
    pub(crate) fn put_into(&self, view: usize, record: &mut Record) {
        let features = match &self.features {
            Features::Vectors { dimension, names } => json!({ "dimension": dimension, "names": names }),
            Features::Columns(encoding) => put_encoding(encoding, &array_name(view), record),
            Features::Objects(kind) => json!({ "kind": word(&KINDS, *kind) }),
        };
        let names: Vec<Value> = self.targets.iter().map(|t| json!(t.name)).collect();
        record.put_text(&text_name(view), json!({ "features": features, "targets": names, "unused": self.unused }));
        let numbers = |value: fn(Affine) -> f64| self.targets.iter().map(|t| value(t.map)).collect::<Vec<f64>>();
        if view > 0 {
            return;
        }
        record.put_slice("target_shift", &numbers(|m| m.shift));
        record.put_slice("target_scale", &numbers(|m| m.scale));
    }

    pub(crate) fn take_from(view: usize, record: &mut Record) -> Result<Self> {
        let inputs: Value = serde_json::from_str(record.text(&text_name(view))?)
            .map_err(|e| Error::record("text `inputs`", RecordProblem::Damaged(format!("it is not JSON: {e}"))))?;
        let features = match (inputs["features"].get("columns"), inputs["features"].get("kind")) {
            (Some(columns), _) => {
                Features::Columns(take_encoding(&inputs["features"], columns, &array_name(view), record)?)
            }
            (None, Some(kind)) => Features::Objects(choice(&KINDS, kind, "kind")?),
            (None, None) => Features::Vectors {
                dimension: inputs["features"]["dimension"].as_u64().ok_or_else(|| damaged("dimension"))? as usize,
                names: optional(&inputs["features"]["names"], "names", texts)?,
            },
        };
        let unused = texts(&inputs["unused"], "unused")?;
        if view > 0 {
            return Ok(Self { features, targets: Vec::new(), unused });
        }
        let names = list(&inputs["targets"], "targets")?;
        let shift = record.take_finite_vector("target_shift", names.len())?;
        let scale = record.take_finite_vector("target_scale", names.len())?;
        let target = |(i, name): (usize, &Value)| {
            let map = Affine { shift: shift[i], scale: scale[i] };
            Ok(Target { name: optional(name, "targets", text)?, map })
        };
        let targets = names.iter().enumerate().map(target).collect::<Result<_>>()?;
        Ok(Self { features, targets, unused })
    }
}

/// Names as JSON; numbers as arrays whose names begin with a word.
fn put_encoding(encoding: &FittedEncoding, prefix: &str, record: &mut Record) -> Value {
    let (mut shift, mut scale, mut fill) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns = Vec::new();
    for column in encoding.columns() {
        let (map, own) = match column {
            EncodedColumn::Number { name, fill, map, constant } => {
                columns.push(json!({ "constant": constant, "kind": "number", "name": name }));
                (*map, *fill)
            }
            EncodedColumn::Category { name, levels, constant } => {
                columns.push(json!({ "constant": constant, "kind": "category", "levels": levels, "name": name }));
                (Affine::IDENTITY, 0.0)
            }
            EncodedColumn::Object { name, kind, members } => {
                let own = format!("{prefix}_members_{}", columns.len());
                let members = members.as_ref().map(|members| put_encoding(members, &own, record));
                columns.push(json!({ "kind": "object", "members": members, "name": name, "of": word(&KINDS, *kind) }));
                (Affine::IDENTITY, 0.0)
            }
        };
        shift.push(map.shift);
        scale.push(map.scale);
        fill.push(own);
    }
    record.put_slice(&format!("{prefix}_shift"), &shift);
    record.put_slice(&format!("{prefix}_scale"), &scale);
    record.put_slice(&format!("{prefix}_fill"), &fill);
    let Encoding { missing, scaling } = encoding.rules();
    json!({ "columns": columns, "missing": word(&MISSING, missing), "scaling": word(&SCALING, scaling) })
}

fn take_encoding(features: &Value, columns: &Value, prefix: &str, record: &mut Record) -> Result<FittedEncoding> {
    let columns = list(columns, "columns")?;
    let rules = Encoding {
        missing: choice(&MISSING, &features["missing"], "missing")?,
        scaling: choice(&SCALING, &features["scaling"], "scaling")?,
    };
    let shift = record.take_finite_vector(&format!("{prefix}_shift"), columns.len())?;
    let scale = record.take_finite_vector(&format!("{prefix}_scale"), columns.len())?;
    let fill = record.take_finite_vector(&format!("{prefix}_fill"), columns.len())?;
    let column = |(i, column): (usize, &Value)| {
        let name = text(&column["name"], "name of a column")?;
        if column["kind"] == "object" {
            let members = &column["members"];
            let own = format!("{prefix}_members_{i}");
            let members = match members.get("columns") {
                Some(columns) => Some(Box::new(take_encoding(members, columns, &own, record)?)),
                None => None,
            };
            return Ok(EncodedColumn::Object {
                name,
                kind: choice(&KINDS, &column["of"], "kind of objects")?,
                members,
            });
        }
        let constant = column["constant"].as_bool().ok_or_else(|| damaged("constant"))?;
        match column["kind"].as_str() {
            Some("number") => {
                let map = Affine { shift: shift[i], scale: scale[i] };
                Ok(EncodedColumn::Number { name, fill: fill[i], map, constant })
            }
            Some("category") => {
                Ok(EncodedColumn::Category { name, levels: texts(&column["levels"], "levels")?, constant })
            }
            _ => Err(damaged("kind of a column")),
        }
    };
    FittedEncoding::from_parts(rules, columns.iter().enumerate().map(column).collect::<Result<_>>()?)
}

fn word<T: PartialEq>(words: &[(T, &'static str)], value: T) -> &'static str {
    words.iter().find(|(known, _)| *known == value).map_or("", |(_, word)| word)
}

fn choice<T: Copy>(words: &[(T, &str)], value: &Value, name: &str) -> Result<T> {
    let found = value.as_str().and_then(|text| words.iter().find(|(_, word)| *word == text));
    found.map(|(known, _)| *known).ok_or_else(|| damaged(name))
}

fn optional<T>(value: &Value, name: &str, read: fn(&Value, &str) -> Result<T>) -> Result<Option<T>> {
    if value.is_null() { Ok(None) } else { read(value, name).map(Some) }
}

fn list<'v>(value: &'v Value, name: &str) -> Result<&'v Vec<Value>> {
    value.as_array().ok_or_else(|| damaged(name))
}

fn texts(value: &Value, name: &str) -> Result<Vec<String>> {
    list(value, name)?.iter().map(|item| text(item, name)).collect()
}

fn text(value: &Value, name: &str) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| damaged(name))
}

fn damaged(name: &str) -> Error {
    Error::record("text `inputs`", RecordProblem::Damaged(format!("at `{name}`")))
}
