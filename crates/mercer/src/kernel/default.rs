//! The kernels that are taken where none is named, by the kind of the points.

use super::{ColumnRef, Kernel};
use crate::Result;
use crate::points::{Mixed, PointKind, Points};

/// Lengths and depths of the kernels of aggregated tests.
const LENGTHS: std::ops::RangeInclusive<usize> = 1..=6;
const DEPTHS: std::ops::RangeInclusive<usize> = 0..=5;
/// Multiples of the median of the kernels of aggregated tests: factors of 2 around it.
const MULTIPLES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

/// Whether a column of strings holds categories: at most half of the strings are distinct.
fn is_category(points: Points<'_>) -> bool {
    let first = match points {
        Points::Strings(_) => points.first_equal(),
        _ => return false,
    };
    let distinct = first.iter().enumerate().filter(|(i, first)| *i == **first).count();
    2 * distinct <= first.len()
}

impl Kernel {
    /// The kernel that is taken where none is named: Gaussian with the median lengthscale on
    /// vectors and on the embeddings of bags, normalized counts of substrings of length 3 on
    /// strings, of Weisfeiler–Lehman labels of depth 3 on graphs, the normalized scale-space kernel
    /// on persistence diagrams.
    ///
    /// # Errors
    /// None: every text is one of the catalogue.
    ///
    /// # Example
    /// ```
    /// use mercer::{Kernel, points::PointKind};
    /// assert_eq!(Kernel::default_for(PointKind::Strings)?.to_string(), "normalized(spectrum(length=3))");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn default_for(kind: PointKind) -> Result<Self> {
        match kind {
            PointKind::Vectors | PointKind::Sparse => "gaussian(lengthscale=median)",
            PointKind::Strings => "normalized(spectrum(length=3))",
            PointKind::Graphs => "normalized(weisfeiler_lehman(depth=3))",
            PointKind::Bags => "gaussian_embedding(gaussian(lengthscale=median), lengthscale=median)",
            PointKind::Diagrams => "normalized(persistence(scale=median))",
            // Which column is compared how depends on the columns.
            PointKind::Mixed => "delta()",
            PointKind::Precomputed => "precomputed()",
        }
        .parse()
    }

    /// The kernel that is taken for these points where none is named: that of their kind; for rows of
    /// a table the sum of one kernel per column of objects, and one on all columns of numbers.
    /// Texts of which at most half are distinct are categories, compared by `delta()`.
    ///
    /// # Errors
    /// None: every text is one of the catalogue.
    ///
    /// # Example
    /// ```
    /// use mercer::{Kernel, points::{Mixed, Strings}};
    /// let review: Strings = ["very good", "good", "bad", "poor"].into_iter().collect();
    /// let color: Strings = ["red", "red", "blue", "blue"].into_iter().collect();
    /// let price = ndarray::array![[1.0], [2.0], [3.0], [4.0]];
    /// let objects = vec![("review".into(), review.into()), ("color".into(), color.into())];
    /// let rows = Mixed::new(price, vec!["price".into()], objects)?;
    /// assert_eq!(
    ///     Kernel::default_of((&rows).into())?.to_string(),
    ///     "on([price], gaussian(lengthscale=median)) + on([review], normalized(spectrum(length=3))) + on([color], delta())"
    /// );
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn default_of(points: Points<'_>) -> Result<Self> {
        match points {
            Points::Mixed(rows) => Self::default_of_table(rows),
            points => Self::default_for(points.kind()),
        }
    }

    fn default_of_table(rows: &Mixed) -> Result<Self> {
        let mut terms = Vec::new();
        if !rows.names().is_empty() {
            let names = rows.names().iter().cloned().map(ColumnRef::Name).collect();
            terms.push(Self::default_for(PointKind::Vectors)?.on(names)?);
        }
        for (name, column) in rows.objects() {
            let points = column.as_points();
            let kernel = if is_category(points) { "delta()".parse()? } else { Self::default_for(points.kind())? };
            terms.push(kernel.on(vec![ColumnRef::Name(name.clone())])?);
        }
        Ok(terms.into_iter().reduce(|sum, term| sum + term).unwrap_or(Self::default_for(PointKind::Mixed)?))
    }

    /// The kernels of a test that is aggregated over many and of a search, on points that are not
    /// vectors: lengths of substrings from 1 to 6, depths of labels from 0 to 5; the default kernel
    /// alone for other kinds.
    ///
    /// # Errors
    /// None: every text is one of the catalogue.
    ///
    /// # Example
    /// ```
    /// use mercer::{Kernel, points::Strings};
    /// let strings: Strings = ["ab", "ba"].into_iter().collect();
    /// let family = Kernel::family_of((&strings).into())?;
    /// assert_eq!(family[1].to_string(), "normalized(spectrum(length=2))");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn family_of(points: Points<'_>) -> Result<Vec<Self>> {
        match points.kind() {
            PointKind::Strings => {
                LENGTHS.map(|length| format!("normalized(spectrum(length={length}))").parse()).collect()
            }
            PointKind::Graphs => {
                DEPTHS.map(|depth| format!("normalized(weisfeiler_lehman(depth={depth}))").parse()).collect()
            }
            _ => Ok(vec![Self::default_of(points)?]),
        }
    }

    /// The same kernel at several multiples of its outermost lengthscale or scale, which is a number
    /// by now; the kernel alone where it has none.
    pub(crate) fn multiples(&self) -> Result<Vec<Self>> {
        let scaled = |factor: f64| self.with_outer_scale(factor);
        let found: Vec<Self> =
            MULTIPLES.iter().filter_map(|&factor| scaled(factor).transpose()).collect::<Result<_>>()?;
        Ok(if found.is_empty() { vec![self.clone()] } else { found })
    }

    fn with_outer_scale(&self, factor: f64) -> Result<Option<Self>> {
        use super::bags::{embedding::EmbeddingForm, persistence::Persistence};
        use super::{Base, Lengthscale};
        Ok(match self {
            Self::Embedded(EmbeddingForm::Gaussian(Lengthscale::Shared(l)), k) => {
                let form = EmbeddingForm::Gaussian(Lengthscale::shared(factor * l.get())?);
                Some(Self::Embedded(form, k.clone()))
            }
            Self::Base(Base::Persistence(kernel)) => match kernel.scale() {
                Some(scale) => Some(Persistence::new(Some(factor * scale))?.into()),
                None => None,
            },
            Self::Normalized(k) => k.with_outer_scale(factor)?.map(|k| Self::Normalized(Box::new(k))),
            _ => None,
        })
    }
}
