//! The parameters of a learner: type, range, default and meaning.

use crate::error::{Allowed, AllowedRange};
use crate::settings::Setting;
use crate::{Error, Kernel, Result};

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A kernel of the language.
    Kernel,
    /// Several kernels.
    Kernels,
    /// A number of this range.
    Number(AllowedRange),
    /// A number of this range, or infinity.
    Limit(AllowedRange),
    /// Several numbers, each of this range.
    Numbers(AllowedRange),
    /// A whole number, at least this.
    Count(usize),
    /// Yes or no.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any text.
    Text,
    /// Several texts.
    Texts,
    /// The seed of random numbers.
    Seed,
}

/// A parameter of a learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name in settings, and on the command line with hyphens for underscores.
    pub name: &'static str,
    /// The type and the range.
    pub kind: ParameterKind,
    /// The default as it is written; none for a parameter that may be absent, or must be given.
    pub default: Option<&'static str>,
    /// Whether it must be given.
    pub required: bool,
    /// What it means, in one sentence without a full stop.
    pub meaning: &'static str,
}

impl Parameter {
    /// A parameter that may be absent.
    pub const fn optional(name: &'static str, kind: ParameterKind, meaning: &'static str) -> Self {
        Self { name, kind, default: None, required: false, meaning }
    }

    /// A parameter with a default, as it is written.
    pub const fn with_default(
        name: &'static str,
        kind: ParameterKind,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { name, kind, default: Some(default), required: false, meaning }
    }

    /// A parameter that must be given.
    pub const fn required(name: &'static str, kind: ParameterKind, meaning: &'static str) -> Self {
        Self { name, kind, default: None, required: true, meaning }
    }

    /// The values that are allowed.
    pub fn allowed(&self) -> Allowed {
        match self.kind {
            ParameterKind::Kernel => Allowed::Words("a kernel".into()),
            ParameterKind::Kernels => Allowed::Words("one kernel or more".into()),
            ParameterKind::Number(range) => Allowed::Range(range),
            ParameterKind::Limit(range) => Allowed::Words(format!("{} or infinite", range.words())),
            ParameterKind::Numbers(range) => Allowed::Words(format!("numbers, each {}", range.words())),
            ParameterKind::Count(least) => Allowed::Whole(AllowedRange::at_least(least as f64)),
            ParameterKind::Flag => Allowed::Words("true or false".into()),
            ParameterKind::Word(words) => Allowed::OneOf(words.iter().map(|word| (*word).to_owned()).collect()),
            ParameterKind::Text => Allowed::Words("a text".into()),
            ParameterKind::Texts => Allowed::Words("a list of texts".into()),
            ParameterKind::Seed => Allowed::Words("a whole number from 0 to 2⁶⁴ − 1".into()),
        }
    }

    /// The default as a value.
    pub(super) fn default_value(&self) -> Result<Option<Setting>> {
        match self.default {
            Some(text) => self.parse(text).map(Some),
            None if self.required => Err(Error::parameter(self.name, "nothing", self.allowed())),
            None => Ok(None),
        }
    }

    /// A value as a person writes it; several kernels or texts are separated by semicolons, several
    /// numbers by commas.
    pub(super) fn parse(&self, text: &str) -> Result<Setting> {
        let refused = || Error::parameter(self.name, text, self.allowed());
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| refused());
        let value = match self.kind {
            ParameterKind::Kernel | ParameterKind::Word(_) | ParameterKind::Text | ParameterKind::Seed => {
                Setting::Text(text.to_owned())
            }
            ParameterKind::Kernels | ParameterKind::Texts => {
                Setting::Texts(text.split(';').map(|part| part.trim().to_owned()).collect())
            }
            ParameterKind::Number(_) | ParameterKind::Limit(_) | ParameterKind::Count(_) => {
                Setting::Number(number(text)?)
            }
            ParameterKind::Numbers(_) => Setting::Numbers(text.split(',').map(number).collect::<Result<_>>()?),
            ParameterKind::Flag => Setting::Flag(text.trim().parse().map_err(|_| refused())?),
        };
        self.check(&value)
    }

    /// The value if it is one of this parameter; a single text or number serves as a list of one.
    pub(super) fn check(&self, value: &Setting) -> Result<Setting> {
        let refused = || Error::parameter(self.name, value, self.allowed());
        let whole = |v: f64, least: usize| v.fract() == 0.0 && v >= least as f64 && v <= 9007199254740992.0;
        let holds = match (self.kind, value) {
            (ParameterKind::Kernel, Setting::Text(text)) => return text.parse::<Kernel>().map(|_| value.clone()),
            (ParameterKind::Kernels, Setting::Texts(texts)) => {
                texts.iter().try_for_each(|text| text.parse::<Kernel>().map(drop))?;
                !texts.is_empty()
            }
            (ParameterKind::Kernels | ParameterKind::Texts, Setting::Text(text)) => {
                return self.check(&Setting::Texts(vec![text.clone()]));
            }
            (ParameterKind::Number(range), Setting::Number(v)) => range.contains(*v),
            (ParameterKind::Limit(range), Setting::Number(v)) => range.contains(*v) || *v == f64::INFINITY,
            (ParameterKind::Numbers(range), Setting::Numbers(values)) => values.iter().all(|v| range.contains(*v)),
            (ParameterKind::Numbers(_), Setting::Number(v)) => return self.check(&Setting::Numbers(vec![*v])),
            (ParameterKind::Count(least), Setting::Number(v)) => whole(*v, least),
            (ParameterKind::Seed, Setting::Number(v)) if whole(*v, 0) => {
                return Ok(Setting::Text(format!("{}", *v as u64)));
            }
            (ParameterKind::Seed, Setting::Text(text)) => text.parse::<u64>().is_ok(),
            (ParameterKind::Word(words), Setting::Text(text)) => words.contains(&text.as_str()),
            (ParameterKind::Flag, Setting::Flag(_))
            | (ParameterKind::Text, Setting::Text(_))
            | (ParameterKind::Texts, Setting::Texts(_)) => true,
            _ => false,
        };
        if holds { Ok(value.clone()) } else { Err(refused()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_checked() {
        let number = Parameter::with_default("lambda", ParameterKind::Number(AllowedRange::POSITIVE), "1", "a penalty");
        assert_eq!(number.parse("0.5").unwrap(), Setting::Number(0.5));
        assert_eq!(number.default_value().unwrap(), Some(Setting::Number(1.0)));
        for wrong in ["-1", "nan", "inf", "x", ""] {
            assert!(number.parse(wrong).is_err(), "{wrong}");
        }
        let limit = Parameter::optional("C", ParameterKind::Limit(AllowedRange::POSITIVE), "a limit");
        assert_eq!(limit.parse("inf").unwrap(), Setting::Number(f64::INFINITY));
        assert_eq!(limit.default_value().unwrap(), None);
        let count = Parameter::required("components", ParameterKind::Count(1), "columns");
        assert!(count.parse("2.5").is_err() && count.parse("0").is_err() && count.default_value().is_err());
        let word = Parameter::with_default("form", ParameterKind::Word(&["a", "b"]), "a", "which");
        assert!(word.parse("c").unwrap_err().to_string().contains("one of a, b"));
        let kernels = Parameter::required("kernels", ParameterKind::Kernels, "the kernels");
        let two = kernels.parse("linear(); gaussian(lengthscale=2)").unwrap();
        assert_eq!(two, Setting::Texts(vec!["linear()".into(), "gaussian(lengthscale=2)".into()]));
        assert!(kernels.parse("nothing()").is_err());
        assert_eq!(kernels.check(&Setting::Text("linear()".into())).unwrap(), Setting::Texts(vec!["linear()".into()]));
        let seed = Parameter::optional("seed", ParameterKind::Seed, "the seed");
        assert_eq!(seed.check(&Setting::Number(7.0)).unwrap(), Setting::Text("7".into()));
        assert!(seed.parse("-1").is_err() && seed.parse("18446744073709551615").is_ok());
    }
}
