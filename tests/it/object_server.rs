//! A server on loopback that gives out the files of a folder, in parts and with the faults a test wants.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use xxhash_rust::xxh3::xxh3_64;

/// What goes wrong with an answer.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    None,
    /// Another status, with this body.
    Status(u16, &'static str),
    /// The connection ends after so many bytes.
    CutAfter(usize),
    /// Bytes come a few at a time.
    InDrops,
    /// The range is ignored and everything is sent.
    Whole,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub range: Option<String>,
    pub if_match: Option<String>,
}

type Faults = dyn Fn(&Asked, usize) -> Fault + Send + Sync;

struct State {
    folder: PathBuf,
    asked: Mutex<Vec<Asked>>,
    sent: AtomicU64,
    is_over: AtomicBool,
    faults: Box<Faults>,
}

pub struct ObjectServer {
    address: SocketAddr,
    state: Arc<State>,
}

impl ObjectServer {
    /// Gives out the files of a folder.
    pub fn start(folder: impl Into<PathBuf>) -> Self {
        Self::with_faults(folder, |_, _| Fault::None)
    }

    /// The same with faults, by the request and the number of requests before it.
    pub fn with_faults(
        folder: impl Into<PathBuf>,
        faults: impl Fn(&Asked, usize) -> Fault + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State {
            folder: folder.into(),
            asked: Mutex::default(),
            sent: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            faults: Box::new(faults),
        });
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(stream), state) = (stream, shared.clone()) else { continue };
                thread::spawn(move || serve(&stream, &state));
            }
        });
        Self { address, state }
    }

    /// The address of a file or folder.
    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.state.asked.lock().expect("no panic").clone()
    }

    /// Bytes of files that were sent.
    pub fn sent(&self) -> u64 {
        self.state.sent.load(Ordering::Relaxed)
    }
}

impl Drop for ObjectServer {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts connections.
        let _ = TcpStream::connect(self.address);
    }
}

/// Serves one connection until it ends.
fn serve(stream: &TcpStream, state: &State) {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read_request(&mut reader) {
        let number = {
            let mut all = state.asked.lock().expect("no panic");
            all.push(asked.clone());
            all.len() - 1
        };
        if answer(stream, state, &asked, (state.faults)(&asked, number)).is_none() {
            return;
        }
    }
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    let mut asked = Asked { path, range: None, if_match: None };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { return Some(asked) };
        match name.to_lowercase().as_str() {
            "range" => asked.range = Some(value.trim().to_owned()),
            "if-match" => asked.if_match = Some(value.trim().to_owned()),
            _ => {}
        }
    }
}

/// Sends an answer; none when the connection is to end.
fn answer(mut stream: &TcpStream, state: &State, asked: &Asked, fault: Fault) -> Option<()> {
    let mut plain = |status: u16, body: &str| {
        let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all((head + body).as_bytes()).ok()
    };
    if let Fault::Status(status, body) = fault {
        return plain(status, body);
    }
    let path = asked.path.split('?').next()?.trim_start_matches('/');
    let Ok(bytes) = fs::read(state.folder.join(path)) else { return plain(404, "") };
    let tag = format!("\"{:016x}\"", xxh3_64(&bytes));
    if asked.if_match.as_ref().is_some_and(|wanted| *wanted != tag) {
        return plain(412, "");
    }
    let size = bytes.len() as u64;
    let range = asked.range.as_deref().filter(|_| !matches!(fault, Fault::Whole));
    let part = range.map_or(Some(0..size), |range| part(range, size));
    let Some(part) = part.filter(|part| !part.is_empty() || size == 0) else {
        return plain(416, "");
    };
    let length = (part.end - part.start).to_string();
    let mut head = if range.is_some() {
        let Range { start, end } = part;
        format!("HTTP/1.1 206 Part\r\ncontent-range: bytes {start}-{}/{size}\r\n", end - 1)
    } else {
        "HTTP/1.1 200 OK\r\n".to_owned()
    };
    head.extend(["etag: ", &tag, "\r\ncontent-length: ", &length, "\r\n\r\n"]);
    stream.write_all(head.as_bytes()).ok()?;
    let body = &bytes[part.start as usize..part.end as usize];
    let body =
        if let Fault::CutAfter(count) = fault { &body[..count.min(body.len())] } else { body };
    let step = if matches!(fault, Fault::InDrops) { 1000 } else { usize::MAX };
    for drop in body.chunks(step.min(body.len().max(1))) {
        stream.write_all(drop).ok()?;
        state.sent.fetch_add(drop.len() as u64, Ordering::Relaxed);
    }
    (!matches!(fault, Fault::CutAfter(_))).then_some(())
}

/// The bytes that a header asks for.
fn part(range: &str, size: u64) -> Option<Range<u64>> {
    let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
    if start.is_empty() {
        return Some(size.saturating_sub(end.parse().ok()?)..size);
    }
    let start = start.parse().ok().filter(|start| *start < size)?;
    Some(start..end.parse::<u64>().map_or(size, |end| end + 1).min(size))
}
