//! The files of the page, which the program carries with it.

/// A file: its path, its type, its contents.
pub struct Asset {
    /// The path of the address.
    pub path: &'static str,
    /// The content type.
    pub kind: &'static str,
    /// The contents.
    pub text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! script {
    ($name:literal) => {
        Asset { path: concat!("/", $name), kind: SCRIPT, text: include_str!(concat!("assets/", $name)) }
    };
}

/// All files but the page itself.
pub const FILES: [Asset; 13] = [
    Asset { path: "/style.css", kind: "text/css; charset=utf-8", text: include_str!("assets/style.css") },
    Asset { path: "/icon.svg", kind: "image/svg+xml", text: include_str!("assets/icon.svg") },
    script!("app.js"),
    script!("api.js"),
    script!("ui.js"),
    script!("plot.js"),
    script!("report.js"),
    script!("kernel_input.js"),
    script!("kernel.js"),
    script!("data.js"),
    script!("fit.js"),
    script!("compare.js"),
    script!("view.js"),
];

/// The page.
pub const PAGE: &str = include_str!("assets/index.html");

/// The file of this path.
pub fn find(path: &str) -> Option<&'static Asset> {
    FILES.iter().find(|asset| asset.path == path)
}
