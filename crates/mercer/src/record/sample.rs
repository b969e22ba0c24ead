//! Points in a record: vectors as a matrix, everything else as a few lists.

use ndarray::{Array1, Array2};

use super::{Record, container, missing};
use crate::points::{Bags, Csr, Diagrams, Mixed, References, Strings};
use crate::{Error, Points, Result, Sample};

impl Record {
    /// Points under a name. The kind of points that are not vectors is a text beside them.
    pub(crate) fn put_points(&mut self, name: &str, points: Points<'_>) {
        match points {
            Points::Vectors(x) => return self.put_matrix(name, x),
            Points::Sparse(rows) => {
                let (starts, columns, values) = rows.parts();
                let columns: Vec<usize> = columns.iter().map(|&column| column as usize).collect();
                self.put_integers(&format!("{name}.width"), &[rows.width()]);
                self.put_integers(&format!("{name}.starts"), starts);
                self.put_integers(&format!("{name}.columns"), &columns);
                self.put_slice(&format!("{name}.values"), values);
            }
            Points::Strings(strings) => {
                let (text, ends) = strings.parts();
                self.bytes.insert(format!("{name}.text"), text.as_bytes().to_vec());
                self.put_ends(name, ends);
            }
            Points::Bags(bags) => {
                let (instances, ends, weights) = bags.parts();
                self.put_matrix(&format!("{name}.instances"), instances);
                self.put_ends(name, ends);
                if let Some(weights) = weights {
                    self.put_slice(&format!("{name}.weights"), weights);
                }
            }
            Points::Diagrams(diagrams) => {
                let (intervals, ends) = diagrams.parts();
                self.put_matrix(&format!("{name}.intervals"), intervals);
                self.put_ends(name, ends);
            }
            Points::Graphs(graphs) => self.put_graphs(name, graphs),
            Points::Mixed(rows) => {
                self.put_matrix(&format!("{name}.numbers"), rows.numbers());
                self.put_list(&format!("{name}.names"), rows.names());
                let names: Vec<String> = rows.objects().iter().map(|(name, _)| name.clone()).collect();
                self.put_list(&format!("{name}.objects"), &names);
                for (at, (_, column)) in rows.objects().iter().enumerate() {
                    self.put_points(&format!("{name}.object{at}"), column.as_points());
                }
            }
            Points::Precomputed(values) => self.put_integers(&format!("{name}.count"), &[values.nrows()]),
            Points::References(references) => {
                self.put_integers(&format!("{name}.count"), &[references.of()]);
                if let Some(kept) = references.kept() {
                    self.put_integers(&format!("{name}.kept"), kept);
                }
            }
        }
        self.put_text(&format!("{name}.kind"), kind_word(points));
    }

    /// Takes the points that [`Record::put_points`] wrote.
    pub(crate) fn take_points(&mut self, name: &str) -> Result<Sample> {
        let kind = self.texts.get(&format!("{name}.kind")).cloned();
        Ok(match kind.as_deref() {
            None => Sample::Vectors(self.take_leading_matrix(name)?),
            Some("sparse") => Sample::Sparse(self.take_sparse(name)?),
            Some("strings") => {
                let text = self.take_bytes(&format!("{name}.text"))?;
                Sample::Strings(Strings::from_parts(text, self.take_ends(name)?)?)
            }
            Some("bags") => {
                let instances = self.take_leading_matrix(&format!("{name}.instances"))?;
                let weights = format!("{name}.weights");
                let weights = self.has(&weights).then(|| self.take_any_vector(&weights)).transpose()?;
                let ends = self.take_ends(name)?;
                Sample::Bags(Bags::from_parts(instances, ends, weights.map(|w: Array1<f64>| w.to_vec()))?)
            }
            Some("diagrams") => {
                let intervals: Array2<f64> = self.take_leading_matrix(&format!("{name}.intervals"))?;
                Sample::Diagrams(Diagrams::from_parts(intervals, self.take_ends(name)?)?)
            }
            Some("graphs") => Sample::Graphs(self.take_graphs(name)?),
            Some("mixed") => {
                let numbers = self.take_leading_matrix(&format!("{name}.numbers"))?;
                let (names, objects) = (self.list(&format!("{name}.names"))?, self.list(&format!("{name}.objects"))?);
                let column =
                    |(at, column): (usize, String)| Ok((column, self.take_points(&format!("{name}.object{at}"))?));
                let objects = objects.into_iter().enumerate().map(column).collect::<Result<Vec<_>>>()?;
                Sample::Mixed(Mixed::new(numbers, names, objects)?)
            }
            Some("precomputed") => Sample::References(self.take_references(name)?),
            Some(other) => {
                return Err(Error::parameter(
                    &format!("{name}.kind"),
                    other,
                    "a kind of points that this version knows",
                ));
            }
        })
    }

    fn take_sparse(&mut self, name: &str) -> Result<Csr> {
        let width = self.take_integers(&format!("{name}.width"))?;
        let [width] = width[..] else {
            return Err(Error::shape(&format!("numbers in `{name}.width`"), 1, width.len()));
        };
        let (starts, columns) =
            (self.take_integers(&format!("{name}.starts"))?, self.take_integers(&format!("{name}.columns"))?);
        let values: Array1<f64> = self.take_any_vector(&format!("{name}.values"))?;
        Csr::from_parts(width, starts, columns, values.to_vec())
    }

    fn take_references(&mut self, name: &str) -> Result<References> {
        let counts = self.take_integers(&format!("{name}.count"))?;
        let [of] = counts[..] else {
            return Err(Error::shape(&format!("numbers in `{name}.count`"), 1, counts.len()));
        };
        let kept = format!("{name}.kept");
        match self.integers.contains_key(&kept) {
            true => References::some(of, self.take_integers(&kept)?),
            false => Ok(References::all(of)),
        }
    }

    fn put_ends(&mut self, name: &str, ends: &[usize]) {
        self.put_integers(&format!("{name}.ends"), ends);
    }

    fn take_ends(&mut self, name: &str) -> Result<Vec<usize>> {
        self.take_integers(&format!("{name}.ends"))
    }

    /// A list of numbers from 0.
    pub(crate) fn put_integers(&mut self, name: &str, values: &[usize]) {
        self.integers.insert(name.into(), values.iter().map(|&v| v as i64).collect());
    }

    /// Takes a list of numbers from 0.
    pub(crate) fn take_integers(&mut self, name: &str) -> Result<Vec<usize>> {
        let values = self.integers.remove(name).ok_or_else(|| missing(name))?;
        let whole = |v: i64| usize::try_from(v).map_err(|_| Error::parameter(name, v, 0..));
        values.into_iter().map(whole).collect()
    }

    pub(super) fn take_bytes(&mut self, name: &str) -> Result<Vec<u8>> {
        self.bytes.remove(name).ok_or_else(|| missing(name))
    }
}

impl Sample {
    /// The points as bytes, in the container of model files.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut record = Record::default();
        record.put_points("points", self.as_points());
        let mut bytes = Vec::new();
        container::write(&mut bytes, &record).expect("writing to memory does not fail");
        bytes
    }

    /// The points that [`Sample::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Error::Record`] and others for bytes that are not those of a sample.
    ///
    /// # Example
    /// ```
    /// use mercer::{Sample, points::Strings};
    /// let sample = Sample::from(["car", "cat"].into_iter().collect::<Strings>());
    /// assert_eq!(Sample::from_bytes(&sample.to_bytes())?, sample);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        container::read(bytes)?.take_points("points")
    }
}

fn kind_word(points: Points<'_>) -> &'static str {
    match points {
        Points::Vectors(_) => "vectors",
        Points::Sparse(_) => "sparse",
        Points::Strings(_) => "strings",
        Points::Graphs(_) => "graphs",
        Points::Bags(_) => "bags",
        Points::Diagrams(_) => "diagrams",
        Points::Mixed(_) => "mixed",
        Points::Precomputed(_) | Points::References(_) => "precomputed",
    }
}

/// Points of a fit that stored none because there were kernel values in their place, as old files
/// have it.
pub(crate) fn take_points_or_references(
    record: &mut Record,
    name: &str,
    precomputed: bool,
    count: usize,
) -> Result<Sample> {
    let stored = record.has(name) || record.has(&format!("{name}.kind"));
    if precomputed && !stored {
        return Ok(Sample::References(References::all(count)));
    }
    let points = record.take_points(name)?;
    if points.len() != count {
        return Err(Error::shape(
            &format!("points of `{name}`, one per row of `dual_coefficients`"),
            count,
            points.len(),
        ));
    }
    Ok(points)
}
