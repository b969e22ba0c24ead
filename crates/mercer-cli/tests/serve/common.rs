//! A server of its own for each test, and a client that sends exactly the bytes that it is given.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// How long a client waits for an answer before the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    log: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

/// The program.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mercer"))
}

/// Runs a command that must succeed, and returns its standard output.
pub fn mercer(words: &[&str]) -> String {
    let output = program().args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

impl Server {
    /// Serves on a free port with these words.
    pub fn start(words: &[&str]) -> Self {
        let mut child = program()
            .arg("serve")
            .args(words)
            .args(["--port", "0", "--threads", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (found, address) = channel();
        let kept = log.clone();
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if line.contains("\"listening\"") {
                    let value: Value = serde_json::from_str(&line).unwrap();
                    let _ = found.send(value["address"].as_str().unwrap().parse::<SocketAddr>().unwrap());
                }
                kept.lock().unwrap().push(line);
            }
        });
        let address = address.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            let _ = child.kill();
            panic!("the server did not start: {:?}", log.lock().unwrap());
        });
        Self { child, address, log, reader: Some(reader) }
    }

    /// The lab on a free port, and the header with its token.
    pub fn lab() -> (Self, String) {
        let mut child = program()
            .args(["lab", "--no-browser", "--json", "--threads", "2"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let value: Value = serde_json::from_str(&line).unwrap();
        let (address, token) = value["address"].as_str().unwrap().split_once("/?token=").unwrap();
        let address = address.strip_prefix("http://").unwrap().parse().unwrap();
        (Self { child, address, log: Arc::default(), reader: None }, format!("Authorization: Bearer {token}\r\n"))
    }

    /// A new connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The `Host` of this server.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Sends bytes as they are, and reads one answer.
    pub fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server may refuse before it has read all.
        let _ = stream.write_all(bytes);
        Reply::read(&mut stream).expect("an answer")
    }

    /// GET with more headers.
    pub fn get_with(&self, path: &str, headers: &str) -> Reply {
        self.raw(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", self.host()).as_bytes())
    }

    /// GET.
    pub fn get(&self, path: &str) -> Reply {
        self.get_with(path, "")
    }

    /// POST of a type, with more headers.
    pub fn post_with(&self, path: &str, kind: &str, headers: &str, body: &str) -> Reply {
        self.raw(request(&self.host(), path, kind, headers, body).as_bytes())
    }

    /// POST of JSON.
    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.post_with(path, "application/json", "", body)
    }

    /// POST of comma-separated values.
    pub fn csv(&self, path: &str, body: &str) -> Reply {
        self.post_with(path, "text/csv", "", body)
    }

    /// The number of the process.
    #[cfg(target_os = "linux")]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let done = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(done.success());
    }

    /// Waits for the end of the program.
    pub fn wait(&mut self) -> ExitStatus {
        let status = self.child.wait().unwrap();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        status
    }

    /// The lines of the log so far.
    pub fn log(&self) -> Vec<Value> {
        self.log.lock().unwrap().iter().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// Waits until a line of the log is of this event.
    pub fn wait_for(&self, event: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(line) = self.log().into_iter().find(|line| line["event"] == event) {
                return line;
            }
            assert!(Instant::now() < until, "no {event} in {:?}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The value of a line of `/metrics`.
    pub fn metric(&self, start: &str) -> f64 {
        let reply = self.get("/metrics");
        let line = reply.body.lines().find(|line| line.starts_with(start));
        line.and_then(|line| line.rsplit(' ').next()).unwrap_or("0").parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes of a POST.
pub fn request(host: &str, path: &str, kind: &str, headers: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    /// Reads one answer; none where the connection ends before it.
    pub fn read(stream: &mut impl Read) -> Option<Self> {
        let mut bytes = Vec::new();
        let mut buffer = [0; 1 << 14];
        loop {
            if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
                let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_ascii_lowercase();
                let length = head.lines().find_map(|l| l.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
                if bytes.len() >= end + 4 + length {
                    let status = head.split(' ').nth(1)?.parse().ok()?;
                    let body = String::from_utf8(bytes[end + 4..end + 4 + length].to_vec()).unwrap();
                    return Some(Self { status, head, body });
                }
            }
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => return None,
                Ok(n) => bytes.extend_from_slice(&buffer[..n]),
            }
        }
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The body, for an answer that is a success.
    pub fn done(self) -> String {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }

    /// The body as JSON, for an answer that is a success.
    pub fn json(self) -> Value {
        serde_json::from_str(&self.done()).unwrap()
    }

    /// A refusal with this status, code and words.
    pub fn refused(self, status: u16, code: &str, words: &str) {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        assert_eq!(self.header("content-type"), Some("application/json"));
        let value: Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(value["code"], code, "{}", self.body);
        assert!(value["error"].as_str().unwrap().contains(words), "`{words}` is not in {}", self.body);
    }
}

/// A file of the bundled data.
pub fn example(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/data").join(name);
    path.to_str().unwrap().to_owned()
}

/// The models of all tests, fitted once.
pub struct Models(TempDir);

impl Models {
    /// The file of a model: `strength`, `process`, `species`, `species_svm`, `verdict`, `pca` or `clusters`.
    pub fn file(&self, name: &str) -> String {
        self.0.path().join(format!("{name}.safetensors")).to_str().unwrap().to_owned()
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }
}

/// The models.
pub fn models() -> &'static Models {
    static MODELS: OnceLock<Models> = OnceLock::new();
    MODELS.get_or_init(|| {
        let models = Models(TempDir::new().unwrap());
        let file = |name: &str| models.file(name);
        let (concrete, iris, books) = (example("concrete.csv"), example("iris.csv"), example("books.csv"));
        let ridge = ["fit", "ridge", &concrete, "--target", "strength", "--kernel", "gaussian(lengthscale=median)"];
        mercer(&[&ridge[..], &["--lambda", "0.1", "--scale", "standardize", "-o", &file("strength")]].concat());
        let flowers = ["--target", "species", "--kernel", "gaussian(lengthscale=1)"];
        mercer(&[&["fit", "logistic", &iris], &flowers[..], &["--lambda", "1", "-o", &file("species")]].concat());
        mercer(&[&["fit", "svm", &iris], &flowers[..], &["-C", "1", "-o", &file("species_svm")]].concat());
        let texts = ["--target", "verdict", "--kernel", "on([review], spectrum(length=3)) + on([price], linear())"];
        mercer(&[&["fit", "logistic", &books], &texts[..], &["--lambda", "1", "-o", &file("verdict")]].concat());
        let view = ["embed", "pca", &iris, "--drop", "species", "--components", "2", "--model", &file("pca")];
        mercer(&view);
        mercer(&["cluster", &iris, "--drop", "species", "-k", "3", "--model", &file("clusters")]);
        models
    })
}

/// The first lines of a bundled table, with its header.
pub fn head(name: &str, rows: usize) -> String {
    let text = std::fs::read_to_string(example(name)).unwrap();
    text.lines().take(rows + 1).flat_map(|line| [line, "\n"]).collect()
}

/// The rows of a table of numbers and texts as JSON objects.
pub fn as_json(csv: &str) -> String {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let cell = |text: &str| if text.parse::<f64>().is_ok() { text.to_owned() } else { format!("\"{text}\"") };
    let row = |cells: Vec<&str>| {
        let pairs: Vec<String> = names.iter().zip(cells).map(|(n, c)| format!("\"{n}\":{}", cell(c))).collect();
        format!("{{{}}}", pairs.join(","))
    };
    format!("[{}]", lines.map(row).collect::<Vec<_>>().join(","))
}
