//! The catalogue: one page per name of the kernel language. It drives the parser,
//! `mercer kernel list`, the Python functions, the table in the docs and the conformance tests, so
//! that none of them can forget a kernel.

use super::text::Arguments;
use super::{
    Kernel, algebra, bags, columnwise, domain::Domain, elementary, graphs, inner_product, negative, process, radial,
    strings,
};
use crate::Result;
use crate::wording::nearest;

/// Which part of the theory an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Functions of `‖x − y‖`.
    Radial,
    /// Functions of `⟨x, y⟩`.
    InnerProduct,
    /// Covariances of processes and Sobolev kernels on the line.
    Process,
    /// One pass over the columns.
    Columnwise,
    /// Constants, indicators, precomputed matrices.
    Elementary,
    /// The negative-definite side.
    Negative,
    /// Kernels on strings.
    Strings,
    /// Kernels on graphs.
    Graphs,
    /// Kernels on bags and on persistence diagrams.
    Bags,
    /// Operations that make kernels out of kernels.
    Algebra,
}

impl Family {
    /// All of them, in the order of a textbook.
    pub const ALL: [Self; 10] = [
        Self::Radial,
        Self::InnerProduct,
        Self::Process,
        Self::Columnwise,
        Self::Elementary,
        Self::Negative,
        Self::Strings,
        Self::Graphs,
        Self::Bags,
        Self::Algebra,
    ];

    /// As a heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Radial => "Radial kernels",
            Self::InnerProduct => "Inner-product kernels",
            Self::Process => "Processes and Sobolev spaces",
            Self::Columnwise => "Column by column",
            Self::Elementary => "Elementary",
            Self::Negative => "Negative-definite side",
            Self::Strings => "Strings",
            Self::Graphs => "Graphs",
            Self::Bags => "Bags and persistence diagrams",
            Self::Algebra => "Algebra",
        }
    }
}

/// A parameter of an entry.
#[derive(Clone, Copy, Debug)]
pub struct ParameterEntry {
    /// The name in the text; empty for an unnamed argument.
    pub name: &'static str,
    /// The default as text, or `None` if it must be given.
    pub default: Option<&'static str>,
    /// The allowed values.
    pub range: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// A page of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in the text.
    pub name: &'static str,
    /// The part of the theory.
    pub family: Family,
    /// The formula.
    pub formula: &'static str,
    /// Where it is defined.
    pub domain: Domain,
    /// Its parameters.
    pub parameters: &'static [ParameterEntry],
    /// One or two sentences of theory.
    pub theory: &'static str,
    /// Cost per pair.
    pub cost: &'static str,
    /// At least two texts that build it.
    pub examples: &'static [&'static str],
    pub(crate) build: fn(&mut Arguments<'_>) -> Result<Kernel>,
}

/// A lengthscale among the parameters of an entry.
pub(crate) const LENGTHSCALE: ParameterEntry = ParameterEntry {
    name: "lengthscale",
    default: Some("1"),
    range: "> 0, a list with one per column, or median",
    meaning: "distance over which values decay",
};

/// A kernel as the unnamed argument of an entry.
pub(crate) const KERNEL: ParameterEntry =
    ParameterEntry { name: "", default: None, range: "a kernel", meaning: "the kernel inside" };

/// The pages of each family, in the order of a textbook; a family lists its own.
const FAMILIES: &[&[&Entry]] = &[
    inner_product::ENTRIES,
    radial::ENTRIES,
    columnwise::ENTRIES,
    process::ENTRIES,
    elementary::ENTRIES,
    negative::ENTRIES,
    strings::ENTRIES,
    graphs::ENTRIES,
    bags::ENTRIES,
    algebra::ENTRIES,
];

/// Every entry, in the order of a textbook.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.iter().flat_map(|family| family.iter().copied())
}

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().find(|e| e.name == name)
}

/// Every name.
pub fn names() -> impl Iterator<Item = &'static str> {
    entries().map(|e| e.name)
}

/// Names of other programs and of papers, and ours: an unknown kernel is asked about by these.
const ELSEWHERE: &[(&str, &str)] = &[
    ("rbf", "gaussian"),
    ("se", "gaussian"),
    ("squared_exponential", "gaussian"),
    ("exp_quad", "gaussian"),
    ("rq", "rational_quadratic"),
    ("poly", "polynomial"),
    ("sigmoid", "tanh"),
    ("cosine", "normalized"),
    ("exp_sine_squared", "periodic"),
    ("dot_product", "linear"),
    ("bias", "constant"),
    ("dirac", "delta"),
    ("ngram", "spectrum"),
    ("ssk", "subsequence"),
    ("gap_weighted", "subsequence"),
    ("tfidf", "words"),
    ("bag_of_words", "words"),
    ("wl", "weisfeiler_lehman"),
    ("subtree", "weisfeiler_lehman"),
    ("sp", "shortest_path"),
    ("mmd", "squared_mmd"),
    ("scale_space", "persistence"),
];

/// The name that was probably meant by one that is no entry.
pub(crate) fn suggestion(name: &str) -> Option<&'static str> {
    let word = name.to_lowercase();
    let elsewhere = ELSEWHERE.iter().find(|(theirs, _)| *theirs == word).map(|&(_, ours)| ours);
    elsewhere.or_else(|| nearest(name, names()))
}

/// The names of an entry's named parameters.
pub(crate) fn parameter_names(entry: &str) -> Vec<&'static str> {
    find(entry).map_or(Vec::new(), |e| e.parameters.iter().map(|p| p.name).filter(|n| !n.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_elsewhere_are_those_of_entries() {
        for (theirs, ours) in ELSEWHERE {
            assert!(find(theirs).is_none() && find(ours).is_some(), "{theirs}: {ours}");
        }
        assert_eq!([suggestion("RBF"), suggestion("gausian")], [Some("gaussian"); 2]);
        assert_eq!(suggestion("wl"), Some("weisfeiler_lehman"));
    }
}
