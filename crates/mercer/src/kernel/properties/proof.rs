//! Proof trees and verdicts.

use std::fmt;

/// Why a statement about a kernel is true: the statement, the rule, and what the rule was applied
/// to.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// use mercer::kernel::{Property, Verdict};
/// let k: Kernel = "2*linear()".parse()?;
/// let Verdict::Proven(proof) = k.property(Property::PositiveSemidefinite) else { panic!() };
/// assert_eq!(proof.to_string(), "2*linear() is PSD: a positive multiple of a PSD kernel\n\
///                                └─ linear() is PSD: its Gram matrix is XXᵀ");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The statement, such as `linear() is PSD`.
    pub claim: String,
    /// The theorem, in words.
    pub rule: String,
    /// The statements that the theorem needs, each with its own proof.
    pub premises: Vec<Proof>,
}

impl Proof {
    /// The number of statements in the tree.
    pub fn size(&self) -> usize {
        1 + self.premises.iter().map(Self::size).sum::<usize>()
    }

    fn write_premises(&self, f: &mut fmt::Formatter<'_>, indent: &str) -> fmt::Result {
        for (i, premise) in self.premises.iter().enumerate() {
            let last = i + 1 == self.premises.len();
            let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            write!(f, "\n{indent}{branch}{}: {}", premise.claim, premise.rule)?;
            premise.write_premises(f, &format!("{indent}{below}"))?;
        }
        Ok(())
    }
}

impl fmt::Display for Proof {
    /// One statement per line, premises below what they prove.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.claim, self.rule)?;
        self.write_premises(f, "")
    }
}

/// The result of the rules for a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds, and why.
    Proven(Proof),
    /// It does not hold, and why.
    Refuted(Proof),
    /// No rule decides it, and what is missing.
    Unknown(String),
}

impl Verdict {
    /// `true`, `false`, or neither.
    pub fn as_option(&self) -> Option<bool> {
        match self {
            Self::Proven(_) => Some(true),
            Self::Refuted(_) => Some(false),
            Self::Unknown(_) => None,
        }
    }

    /// The proof that it holds.
    pub fn proven(&self) -> Option<&Proof> {
        if let Self::Proven(proof) = self { Some(proof) } else { None }
    }

    /// The proof that it does not hold.
    pub fn refuted(&self) -> Option<&Proof> {
        if let Self::Refuted(proof) = self { Some(proof) } else { None }
    }

    /// Whether it holds by proof.
    pub fn is_proven(&self) -> bool {
        self.proven().is_some()
    }

    /// Whether it is false by proof.
    pub fn is_refuted(&self) -> bool {
        self.refuted().is_some()
    }

    /// Whether it is open.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }
}
