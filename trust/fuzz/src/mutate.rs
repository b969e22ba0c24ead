//! Inputs from files of a corpus: bytes, numbers and words changed, parts moved, and two files joined.

use crate::random::Random;

const LONGEST: usize = 1 << 16;

/// What parsers stumble over.
const WORDS: [&str; 44] = [
    "nan",
    "inf",
    "-inf",
    "1e999",
    "-1e-999",
    "99999999999999999999",
    "-1",
    "0",
    "1e308",
    "4294967296",
    "18446744073709551615",
    "0x10",
    "1e",
    "+",
    "--",
    "\"",
    "'",
    "\u{feff}",
    "\r",
    "\r\n",
    "\n\n",
    "\t",
    ",",
    ";",
    "|",
    "(",
    ")",
    "((((((((((((((((",
    "[",
    "]",
    "{",
    "}",
    "=",
    "*",
    "^",
    "<",
    ">",
    "</",
    "&lt;",
    "&#x110000;",
    ":",
    "é",
    "\u{1F600}",
    "null",
];

/// The input with a number.
pub fn input(number: u64, files: &[Vec<u8>]) -> Vec<u8> {
    let mut random = Random::new(number);
    let Some(file) = files.get(random.below(files.len())) else { return noise(&mut random) };
    // Files with a header whose length stands in front are changed inside, and the length is set right.
    if random.below(2) == 0
        && let Some((header, rest)) = framed(file)
    {
        let changed = changes(header.to_vec(), files, &mut random);
        let mut whole = (changed.len() as u64).to_le_bytes().to_vec();
        whole.extend(changed);
        whole.extend(rest);
        return whole;
    }
    changes(file.clone(), files, &mut random)
}

/// The parts of a safetensors file.
fn framed(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u64::from_le_bytes(file.get(..8)?.try_into().ok()?);
    let end = usize::try_from(length).ok()?.checked_add(8)?;
    (file.get(8) == Some(&b'{')).then_some(())?;
    Some((file.get(8..end)?, file.get(end..)?))
}

fn noise(random: &mut Random) -> Vec<u8> {
    (0..random.below(200)).map(|_| random.bits() as u8).collect()
}

fn changes(mut bytes: Vec<u8>, files: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    for _ in 0..1 + random.below(6) {
        change(&mut bytes, files, random);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, files: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(32)).min(bytes.len());
    match random.below(11) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
        1 if !bytes.is_empty() => bytes[at] = random.bits() as u8,
        2 => drop(bytes.drain(at.min(end)..end)),
        3 => {
            let part = bytes[at.min(end)..end].to_vec();
            let to = random.below(bytes.len() + 1);
            drop(bytes.splice(to..to, part));
        }
        4 => {
            let word = WORDS[random.below(WORDS.len())];
            drop(bytes.splice(at..at, word.bytes()));
        }
        5 => number(bytes, random),
        6 => bytes.truncate(at),
        7 => {
            if let Some(other) = files.get(random.below(files.len())) {
                let from = random.below(other.len());
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
        }
        8 => {
            let part = bytes[at.min(end)..end].to_vec();
            for _ in 0..random.below(40) {
                bytes.splice(at..at, part.iter().copied()).for_each(drop);
                if bytes.len() > LONGEST {
                    break;
                }
            }
        }
        9 if bytes.len() >= 8 => {
            let value = [0, 1, 255, u64::from(u32::MAX), u64::MAX, 1 << 40, random.bits()][random.below(7)];
            let width = [1, 2, 4, 8][random.below(4)];
            let at = random.below(bytes.len() - 7);
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        _ => line(bytes, random),
    }
}

/// Replaces a run of digits.
fn number(bytes: &mut Vec<u8>, random: &mut Random) {
    let from = random.below(bytes.len());
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|p| from + p) else { return };
    let end = bytes[start..].iter().position(|b| !b.is_ascii_digit()).map_or(bytes.len(), |p| start + p);
    bytes.splice(start..end, WORDS[random.below(12)].bytes()).for_each(drop);
}

/// Repeats or removes a line.
fn line(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
    let end = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |p| at + p + 1);
    let kept = bytes[start..end].to_vec();
    if random.below(2) == 0 {
        bytes.drain(start..end);
    } else {
        bytes.splice(start..start, kept).for_each(drop);
    }
}
