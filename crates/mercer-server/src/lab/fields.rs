//! The fields of a request.

use serde_json::{Map, Value};

use super::refusal::Refusal;

/// Characters of a text, such as the name of a column.
const LONGEST: usize = 4_000;

/// The fields of a JSON object, read with messages that name them.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'v>(&'v Map<String, Value>);

impl<'v> Fields<'v> {
    /// Of a request.
    pub fn of(value: &'v Value) -> Result<Self, Refusal> {
        value.as_object().map(Self).ok_or_else(|| Refusal::request("the request must be a JSON object"))
    }

    fn present(self, name: &str) -> Option<&'v Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A field that may be absent.
    pub fn optional(self, name: &str) -> Option<&'v Value> {
        self.present(name)
    }

    /// A text.
    pub fn text(self, name: &str) -> Result<&'v str, Refusal> {
        self.optional_text(name)?.ok_or_else(|| Refusal::request(format!("`{name}` is missing")))
    }

    /// A text, where there is one.
    pub fn optional_text(self, name: &str) -> Result<Option<&'v str>, Refusal> {
        let Some(value) = self.present(name) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| Refusal::request(format!("`{name}` must be a text")))?;
        if text.len() > LONGEST {
            return Err(Refusal::too_large(format!("`{name}` is longer than {LONGEST} bytes")));
        }
        Ok(Some(text))
    }

    /// A finite number, where there is one.
    pub fn optional_number(self, name: &str) -> Result<Option<f64>, Refusal> {
        let Some(value) = self.present(name) else { return Ok(None) };
        let number = value.as_f64().filter(|v| v.is_finite());
        number.map(Some).ok_or_else(|| Refusal::request(format!("`{name}` must be a finite number")))
    }

    /// A whole number up to a limit, where there is one.
    pub fn optional_count(self, name: &str, most: u64) -> Result<Option<usize>, Refusal> {
        let Some(value) = self.present(name) else { return Ok(None) };
        match value.as_u64() {
            Some(count) if count <= most => Ok(Some(count as usize)),
            _ => Err(Refusal::request(format!("`{name}` must be a whole number from 0 to {most}"))),
        }
    }

    /// Yes or no; absent is no.
    pub fn flag(self, name: &str) -> Result<bool, Refusal> {
        let Some(value) = self.present(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| Refusal::request(format!("`{name}` must be true or false")))
    }

    /// A list of texts, where there is one.
    pub fn optional_texts(self, name: &str) -> Result<Option<Vec<String>>, Refusal> {
        let Some(value) = self.present(name) else { return Ok(None) };
        let wrong = || Refusal::request(format!("`{name}` must be a list of texts"));
        let list = value.as_array().ok_or_else(wrong)?;
        list.iter().map(|text| text.as_str().map(str::to_owned).ok_or_else(wrong)).collect::<Result<_, _>>().map(Some)
    }

    /// A list of finite numbers, where there is one.
    pub fn optional_numbers(self, name: &str) -> Result<Option<Vec<f64>>, Refusal> {
        let Some(value) = self.present(name) else { return Ok(None) };
        let wrong = || Refusal::request(format!("`{name}` must be a list of finite numbers"));
        let list = value.as_array().ok_or_else(wrong)?;
        let number = |v: &Value| v.as_f64().filter(|v| v.is_finite()).ok_or_else(wrong);
        list.iter().map(number).collect::<Result<_, _>>().map(Some)
    }

    /// An object, where there is one.
    pub fn optional_object(self, name: &str) -> Result<Option<Fields<'v>>, Refusal> {
        let Some(value) = self.present(name) else { return Ok(None) };
        let wrong = || Refusal::request(format!("`{name}` must be an object"));
        value.as_object().map(|map| Some(Fields(map))).ok_or_else(wrong)
    }

    /// One of several words; absent is the first.
    pub fn word<T: Copy>(self, name: &str, words: &[(&str, T)]) -> Result<T, Refusal> {
        let Some(text) = self.optional_text(name)? else { return Ok(words[0].1) };
        let known = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        found.ok_or_else(|| Refusal::request(format!("`{name}` is `{text}`; it must be one of {}", known())))
    }

    /// All fields.
    pub fn iter(self) -> impl Iterator<Item = (&'v String, &'v Value)> {
        self.0.iter()
    }
}
