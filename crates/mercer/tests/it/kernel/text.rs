//! One grammar, one serial form: round trips, and errors that point at the character.

use mercer::kernel::strings::mismatch::Mismatch;
use mercer::{Error, Kernel, Seed, SyntaxError, kernel::catalogue};

#[test]
fn ten_thousand_random_expressions_survive_the_round_trip() {
    for trial in 0..crate::common::effort(10_000, 300_000) {
        let kernel = crate::common::expressions::random_kernel(&mut Seed(1).stream("expressions", trial), 4);
        let text = kernel.to_string();
        let read: Kernel = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(read, kernel, "{text}");
        assert_eq!(read.to_string(), text);
    }
}

#[test]
fn every_example_of_the_catalogue_is_read_and_bears_its_name() {
    for entry in catalogue::entries() {
        assert!(entry.examples.len() >= 2, "{} has too few examples", entry.name);
        for example in entry.examples {
            let kernel: Kernel = example.parse().unwrap_or_else(|e| panic!("{example}: {e}"));
            assert!(kernel.to_string().contains(entry.name), "{example} is not about {}", entry.name);
        }
    }
}

#[test]
fn defaults_of_the_catalogue_are_the_defaults_of_the_parser() {
    for entry in catalogue::entries() {
        let stated: Vec<String> =
            entry.parameters.iter().filter_map(|p| p.default.map(|d| format!("{}={d}", p.name))).collect();
        let optional = ["gamma", "sigma2", "alphabet", "documents", "words", "counts", "nodes"];
        let required = entry.parameters.iter().any(|p| p.default.is_none() && !optional.contains(&p.name));
        if required {
            continue;
        }
        let bare: Kernel = format!("{}()", entry.name).parse().unwrap();
        let spelled: Kernel = format!("{}({})", entry.name, stated.join(", ")).parse().unwrap();
        assert_eq!(bare, spelled, "{}", entry.name);
    }
}

fn syntax_error(text: &str) -> SyntaxError {
    match text.parse::<Kernel>() {
        Err(Error::Syntax(error)) => *error,
        other => panic!("{text}: expected a syntax error, found {other:?}"),
    }
}

/// The text, the position of the caret, a part of the message, the suggestion.
const WRONG: &[(&str, usize, &str, Option<&str>)] = &[
    ("gausian()", 0, "no kernel named", Some("gaussian")),
    ("linear() + lapacian()", 11, "no kernel named", Some("laplacian")),
    ("gaussian(lenghtscale=1)", 9, "no parameter", Some("lengthscale")),
    ("gaussian(lengthscale=0)", 21, "finite and positive", None),
    ("gaussian(lengthscale=-1)", 21, "finite and positive", None),
    ("gaussian(gamma=0)", 15, "finite and positive", None),
    ("gaussian(gamma=1, sigma2=2)", 0, "give one of", None),
    ("gaussian(gamma=1, lengthscale=2)", 0, "give one of", None),
    ("gaussian(1)", 9, "write name=value", None),
    ("gaussian", 0, "with brackets", None),
    ("gaussian(", 9, "found the end", None),
    ("gaussian(lengthscale=1", 22, "expected `)`", None),
    ("linear() linear()", 9, "expected `+`, `*`", None),
    ("linear() - linear()", 9, "minus(k1, k2)", None),
    ("-2*linear()", 0, "at least 0", None),
    ("linear()*-2", 9, "at least 0", None),
    ("linear()^0", 9, "whole number from 1", None),
    ("linear()^1.5", 9, "whole number from 1", None),
    ("on([], linear())", 0, "at least one column", None),
    ("on([0, 0], linear())", 0, "listed once", None),
    ("on([-1], linear())", 4, "whole number from 0", None),
    ("on([0])", 0, "needs a kernel", None),
    ("polynomial(degree=2.5)", 18, "whole number from 1 to 1000", None),
    ("polynomial(offset=-1)", 18, "at least 0", None),
    ("matern(nu=0)", 10, "finite and positive", None),
    ("matern(nu=1/0)", 10, "at most 10000", None),
    ("brownian(hurst=1.5)", 15, "above 0 and at most 1", None),
    ("sobolev(order=0)", 14, "whole number from 1 to 80", None),
    ("sobolev(null_space=maybe)", 19, "one of true, false", None),
    ("laplacian(norm=l3)", 15, "one of l2, l1", None),
    ("series([1, -1], linear())", 0, "at least 0", None),
    ("series([], linear())", 0, "at least one", None),
    ("schoenberg(sqdist(), t=0)", 23, "finite and positive", None),
    ("based(sqdist())", 0, "needs at=", None),
    ("constant(value=1e400)", 15, "too large", None),
    ("gaussian(lengthscale=1, lengthscale=2)", 0, "given twice", None),
    ("", 0, "found the end", None),
    ("+", 0, "expected a kernel", None),
    ("[1, 2]", 0, "found a list", None),
    ("conformal(linear(), by=colum(0))", 23, "by must be one of", None),
    ("gaussian(lengthscale=mean)", 21, "median", None),
    ("\"ACGT\"", 0, "found a text", None),
    ("mismatch(alphabet=\"ACGT", 18, "not closed", None),
    ("mismatch(alphabet=\"A\\C\")", 20, "the escapes are", None),
    ("mismatch(alphabet=\"A\\u{110000}\")", 20, "an escape such as", None),
    ("mismatch(alphabet=\"A\\u41\")", 20, "an escape such as", None),
    ("mismatch(alphabet=\"\")", 18, "at least one symbol", None),
    ("mismatch(alphabet=[1])", 18, "in quotation marks", None),
    ("mismatch(length=3, mismatches=3)", 30, "whole number", None),
    ("mismatch(mismatches=-1)", 20, "whole number", None),
    ("spectrum(length=0)", 16, "whole number from 1", None),
    ("subsequence(decay=1.5)", 18, "at most 1", None),
    ("subsequence(length=600, decay=0.5)", 30, "at least 5.", None),
    ("words(weights=tf)", 14, "one of tfidf, counts", None),
    ("words(documents=3)", 0, "documents, words and counts", None),
    ("words(weights=counts, documents=1, words=[\"a\"], counts=[1])", 0, "no vocabulary", None),
    ("words(documents=3, words=[\"a\", \"b\"], counts=[1])", 44, "one number for each of the 2 words", None),
    ("words(documents=3, words=[\"a\"], counts=[4])", 39, "a whole number, at least 1 and at most 3", None),
    ("words(documents=3, words=[\"a\", \"a\"], counts=[1, 1])", 25, "different from the other words", None),
    ("words(documents=2.5, words=[], counts=[])", 16, "whole number", None),
    ("words(documents=3, words=\"a\", counts=[1])", 25, "a list of texts", None),
];

#[test]
fn errors_point_at_the_character_and_report_what_was_expected() {
    for &(text, position, message, suggestion) in WRONG {
        let error = syntax_error(text);
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert_eq!(error.position, position, "{text}: {}", error.message);
        assert_eq!(error.suggestion.as_deref(), suggestion, "{text}");
    }
}

#[test]
fn the_caret_stands_under_the_character() {
    let shown = syntax_error("linear() + gausian()").render();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines,
        ["there is no kernel named `gausian`; did you mean `gaussian`?", "  linear() + gausian()", "             ^"]
    );
}

#[test]
fn no_text_makes_the_parser_panic() {
    const ALPHABET: &[&str] = &[
        "gaussian",
        "on",
        "series",
        "(",
        ")",
        "[",
        "]",
        ",",
        "=",
        "+",
        "*",
        "^",
        "-",
        "/",
        "1",
        "0.5",
        "1e",
        ".",
        " ",
        "ℓ",
        "lengthscale",
        "by",
        "at",
        "e9",
        "\n",
        "median",
        "linear()",
        "\"",
    ];
    for trial in 0..crate::common::effort(20_000, 1_000_000) {
        let mut random = Seed(2).stream("noise", trial);
        let length = random.below(12);
        let text: String = (0..length).map(|_| ALPHABET[random.below(ALPHABET.len())]).collect();
        let _ = text.parse::<Kernel>();
    }
    let _ = "(".repeat(100_000).parse::<Kernel>();
    let _ = format!("{}linear(){}", "exp(".repeat(5000), ")".repeat(5000)).parse::<Kernel>();
}

#[test]
fn numbers_scales_and_fractions() {
    let same = |a: &str, b: &str| assert_eq!(a.parse::<Kernel>().unwrap(), b.parse::<Kernel>().unwrap(), "{a} and {b}");
    same("2*3*linear()", "6*linear()");
    same("linear()*2", "2*linear()");
    same("2*(3*linear())", "6*linear()");
    same("(2*linear())*(3*delta())", "6*linear()*delta()");
    same("linear() + 1", "linear() + constant(value=1)");
    same("2", "constant(value=2)");
    same("matern(nu=5/2)", "matern(nu=2.5)");
    same("gaussian(sigma2=2)", "gaussian(lengthscale=1)");
    same("gaussian(gamma=0.5)", "gaussian(lengthscale=1)");
    same("(linear() + delta()) + ball()", "linear() + (delta() + ball())");
    same("linear()^2^3", "(linear()^2)^3");
}

#[test]
fn texts_in_quotation_marks_read_back() {
    for alphabet in ["ACGT", "\"\\\n\r\t\0", "é🙂\u{301} \u{7f}", ", )]='"] {
        let kernel = Mismatch::new(3.0, 1.0, Some(alphabet.into())).unwrap();
        let kernel = Kernel::from(kernel);
        assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel, "{kernel}");
    }
    let kernel: Kernel = r#"mismatch(alphabet="a\"\\\u{1f642}")"#.parse().unwrap();
    assert_eq!(kernel.to_string(), r#"mismatch(length=3, mismatches=1, alphabet="a\"\\🙂")"#);
    let word: Kernel = "mismatch(alphabet=ACGT)".parse().unwrap();
    assert_eq!(word, "mismatch(alphabet=\"ACGT\")".parse().unwrap());
}

#[test]
fn column_names_become_numbers() {
    let names = ["age".to_string(), "height".into(), "weight".into()];
    let kernel: Kernel = "on([weight], linear()) + on([age, height], on([height], gaussian()))".parse().unwrap();
    let resolved = kernel.with_column_names(&names).unwrap();
    assert_eq!(resolved, "on([2], linear()) + on([0, 1], on([1], gaussian()))".parse().unwrap());
    let error = "on([hieght], linear())".parse::<Kernel>().unwrap().with_column_names(&names).unwrap_err();
    assert!(error.to_string().contains("did you mean `height`"), "{error}");
}
