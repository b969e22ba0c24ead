//! What a request asks for beside the predictions.

use crate::http::Refusal;

/// Options of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ask {
    /// The coverage probability of intervals.
    pub interval: Option<f64>,
    /// A probability for every class.
    pub probabilities: bool,
    /// A score of novelty, for views that have one.
    pub novelty: bool,
}

/// The query of an address, decoded.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// From its text.
    pub fn new(text: Option<&str>) -> Result<Self, Refusal> {
        let pairs = text.unwrap_or("").split('&').filter(|pair| !pair.is_empty());
        let decoded = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(name)?, decode(value)?))
        });
        let found: Option<_> = decoded.collect();
        found.map(Self).ok_or_else(|| Refusal::bad_request("bad_query", "the query of the address cannot be decoded"))
    }

    /// Takes the value of a name out.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Refuses what was not taken.
    pub fn finish(self, known: &str) -> Result<(), Refusal> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => {
                let message = format!("the query has no option `{name}`; there are {known}");
                Err(Refusal::bad_request("unknown_option", message))
            }
        }
    }
}

fn decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |b: Option<u8>| (b? as char).to_digit(16);
                (digit(bytes.next())? * 16 + digit(bytes.next())?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(out).ok()
}

impl Ask {
    /// Takes the options out of a query.
    pub fn from_query(query: &mut Query) -> Result<Self, Refusal> {
        let flag = |name: &'static str, text: Option<String>| match text.as_deref() {
            None | Some("false" | "0") => Ok(false),
            Some("" | "true" | "1") => Ok(true),
            Some(other) => Err(wrong(name, other, "true or false")),
        };
        let interval = match query.take("interval") {
            None => None,
            Some(text) if text.is_empty() => Some(0.95),
            Some(text) => Some(text.parse().map_err(|_| wrong("interval", &text, "a number between 0 and 1"))?),
        };
        let ask = Self {
            interval,
            probabilities: flag("probabilities", query.take("probabilities"))?,
            novelty: flag("novelty", query.take("novelty"))?,
        };
        ask.checked()
    }

    /// The same, if its values are allowed.
    pub fn checked(self) -> Result<Self, Refusal> {
        match self.interval {
            Some(level) if !(level > 0.0 && level < 1.0) => {
                Err(wrong("interval", &level.to_string(), "a number between 0 and 1"))
            }
            _ => Ok(self),
        }
    }
}

pub(crate) fn wrong(name: &str, found: &str, needed: &str) -> Refusal {
    Refusal::bad_request("parameter", format!("{name} = {found} is not allowed: it must be {needed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(query: &str) -> Result<Ask, Refusal> {
        let mut query = Query::new(Some(query))?;
        let ask = Ask::from_query(&mut query)?;
        query.finish("interval, probabilities and novelty").map(|()| ask)
    }

    #[test]
    fn options_are_read_and_checked() {
        assert_eq!(ask("").unwrap(), Ask::default());
        assert_eq!(ask("interval").unwrap().interval, Some(0.95));
        assert_eq!(
            ask("interval=0%2E5&probabilities=true").unwrap(),
            Ask { interval: Some(0.5), probabilities: true, novelty: false }
        );
        for (query, words) in [
            ("interval=2", "interval = 2 is not allowed"),
            ("interval=NaN", "interval = NaN"),
            ("interval=x", "a number between 0 and 1"),
            ("probabilities=maybe", "true or false"),
            ("coverage=0.5", "no option `coverage`"),
            ("a=%zz", "cannot be decoded"),
            ("a=%ff", "cannot be decoded"),
        ] {
            let refusal = ask(query).unwrap_err();
            assert!(refusal.message.contains(words), "{query}: {}", refusal.message);
        }
    }
}
