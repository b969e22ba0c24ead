//! Tokens: who may send requests.

use std::fmt;
use std::hint::black_box;

/// Characters that a token of the user must have at least.
const LEAST: usize = 16;

/// A secret that requests must carry. Its text appears in no log and no debug output.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token of the user's.
    ///
    /// # Errors
    /// The reason, for a token of fewer than 16 characters or with other characters than letters,
    /// digits and `-._~+/=`.
    ///
    /// # Example
    /// ```
    /// use mercer_server::http::Token;
    /// let token = Token::new("correct-horse-battery").unwrap();
    /// assert!(token.is("correct-horse-battery") && !token.is("correct-horse-batterz"));
    /// assert!(Token::new("short").is_err());
    /// ```
    pub fn new(text: &str) -> Result<Self, String> {
        if text.len() < LEAST {
            return Err(format!("a token has at least {LEAST} characters; this one has {}", text.len()));
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
        if !text.chars().all(allowed) {
            return Err("a token consists of letters, digits and the characters - . _ ~ + / =".into());
        }
        Ok(Self(text.into()))
    }

    /// A random token of 128 bits.
    ///
    /// # Errors
    /// The reason, where the system has no random numbers.
    pub fn random() -> Result<Self, String> {
        Ok(Self(random_text()?))
    }

    /// Its text, to be shown to the user.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is the token. The time depends on the lengths only, not on the characters.
    pub fn is(&self, found: &str) -> bool {
        let (own, found) = (self.0.as_bytes(), found.as_bytes());
        let mut difference = own.len() ^ found.len();
        for (i, byte) in found.iter().enumerate() {
            difference |= usize::from(own[i % own.len()] ^ byte);
        }
        black_box(difference) == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// 128 random bits as hexadecimal digits.
pub(super) fn random_text() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|e| format!("the system has no random numbers: {e}"))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_equal_only_as_a_whole() {
        let token = Token::new("0123456789abcdef").unwrap();
        assert!(token.is("0123456789abcdef"));
        for wrong in ["", "0123456789abcde", "0123456789abcdeg", "0123456789abcdef0123456789abcdef", "é"] {
            assert!(!token.is(wrong), "{wrong}");
        }
    }

    #[test]
    fn random_tokens_differ_and_are_not_shown() {
        let (a, b) = (Token::random().unwrap(), Token::random().unwrap());
        assert!(a.text() != b.text() && a.text().len() == 32);
        assert!(!format!("{a:?}").contains(a.text()));
        assert!(Token::new(a.text()).is_ok());
    }

    #[test]
    fn weak_tokens_are_refused() {
        assert!(Token::new("fifteen-letters").unwrap_err().contains("15"));
        assert!(Token::new("sixteen letters!").is_err());
    }
}
