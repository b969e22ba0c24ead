//! Golden files: their numbers and their tolerances.

use ndarray::Array2;
use serde_json::Value;

/// A golden case.
pub struct Golden {
    name: String,
    root: Value,
}

impl Golden {
    pub fn load(name: &str) -> Self {
        let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        Self { name: name.into(), root: serde_json::from_str(&text).expect("golden files are JSON") }
    }

    pub fn input(&self, key: &str) -> &Value {
        &self.root["inputs"][key]
    }

    pub fn expected(&self) -> &serde_json::Map<String, Value> {
        self.root["expected"].as_object().expect("expected is an object")
    }

    /// `(rtol, atol)` of a key of `expected`.
    pub fn tolerance(&self, key: &str) -> (f64, f64) {
        let own = &self.root["tolerance_by_key"][key];
        let source = if own.is_object() { own } else { &self.root };
        (source["rtol"].as_f64().expect("rtol"), source["atol"].as_f64().expect("atol"))
    }

    /// `|g − e| ≤ atol + rtol·|e|`.
    pub fn check(&self, key: &str, what: &str, found: f64, expected: f64) {
        let (rtol, atol) = self.tolerance(key);
        assert_close!(
            found,
            expected,
            abs = atol + rtol * expected.abs(),
            "{} {key} {what}: found {found:?}, expected {expected:?}",
            self.name
        );
    }

    pub fn check_all(&self, key: &str, what: &str, found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len(), "{} {key} {what}", self.name);
        for (i, (f, e)) in found.iter().zip(expected).enumerate() {
            self.check(key, &format!("{what}[{i}]"), *f, *e);
        }
    }
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

/// A list of rows, or a list of numbers as one column.
pub fn matrix(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = value
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| if row.is_array() { numbers(row) } else { vec![number(row)] })
        .collect();
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}
