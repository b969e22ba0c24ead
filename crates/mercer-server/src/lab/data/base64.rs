//! Uploads come as text: the body of every request is JSON.

/// The bytes of a text in base 64 (RFC 4648, with or without padding).
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    for group in text.chunks(4) {
        let mut bits = 0_u32;
        for &letter in group {
            bits = bits << 6 | u32::from(value(letter)?);
        }
        match group.len() {
            4 => bytes.extend_from_slice(&bits.to_be_bytes()[1..]),
            3 => bytes.extend_from_slice(&(bits << 6).to_be_bytes()[1..3]),
            2 => bytes.extend_from_slice(&(bits << 12).to_be_bytes()[1..2]),
            _ => return None,
        }
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn known_texts() {
        for (text, bytes) in
            [("", ""), ("a2Vybg==", "kern"), ("a2VybmU=", "kerne"), ("a2VybmVs", "kernel"), ("a2VybmU", "kerne")]
        {
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
        assert!(decode("Z").is_none() && decode("Zm9*").is_none());
        assert_eq!(decode("AP/+").unwrap(), [0, 255, 254]);
    }
}
