//! A chat server on loopback that answers as a test wants it to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// All words of the question.
    pub fn words(&self) -> String {
        let messages = self.body["messages"].as_array().expect("messages");
        messages.iter().filter_map(|message| message["content"].as_str()).collect()
    }
}

/// What the server does with a request.
pub enum Behaviour {
    /// Answers with a status, headers and a body.
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Promises more bytes than it sends.
    CutShort(Vec<u8>),
    /// Says nothing until the client gives up.
    Hang,
}

impl Behaviour {
    pub fn json(status: u16, body: &Value) -> Self {
        let kind = ("content-type", "application/json".to_owned());
        Self::Answer(status, vec![kind], body.to_string().into_bytes())
    }

    /// A choice with this message.
    pub fn choice(choice: &Value) -> Self {
        let usage = json!({ "prompt_tokens": 100, "completion_tokens": 10 });
        Self::json(200, &json!({ "choices": [choice], "usage": usage }))
    }

    /// A choice that says this.
    pub fn says(content: &str) -> Self {
        let message = json!({ "role": "assistant", "content": content });
        Self::choice(&json!({ "index": 0, "message": message, "finish_reason": "stop" }))
    }
}

type Handler = dyn Fn(&Received, usize) -> Behaviour + Send + Sync;

struct State {
    received: Mutex<Vec<Received>>,
    news: Condvar,
    is_over: AtomicBool,
}

pub struct ChatServer {
    address: SocketAddr,
    state: Arc<State>,
}

impl ChatServer {
    /// Starts a server. The handler gets a request and the number of requests before it.
    pub fn start(handler: impl Fn(&Received, usize) -> Behaviour + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State {
            received: Mutex::default(),
            news: Condvar::new(),
            is_over: AtomicBool::new(false),
        });
        let (shared, handler): (_, Arc<Handler>) = (state.clone(), Arc::new(handler));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(stream), state, handler) = (stream, shared.clone(), handler.clone()) else {
                    continue;
                };
                thread::spawn(move || serve(&stream, &state, &*handler));
            }
        });
        Self { address, state }
    }

    /// The base address.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn received(&self) -> Vec<Received> {
        self.state.received.lock().expect("no panic").clone()
    }

    pub fn count(&self) -> usize {
        self.state.received.lock().expect("no panic").len()
    }

    /// Waits until so many requests came; false when they do not come for a long time.
    pub fn wait_for(&self, count: usize) -> bool {
        let end = Instant::now() + Duration::from_mins(1);
        let mut received = self.state.received.lock().expect("no panic");
        while received.len() < count {
            let rest = end.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return false;
            }
            received = self.state.news.wait_timeout(received, rest).expect("no panic").0;
        }
        true
    }
}

impl Drop for ChatServer {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts connections.
        let _ = TcpStream::connect(self.address);
    }
}

/// Serves one connection, which may bring several requests.
fn serve(stream: &TcpStream, state: &State, handler: &Handler) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        let number = {
            let mut received = state.received.lock().expect("no panic");
            received.push(request.clone());
            state.news.notify_all();
            received.len() - 1
        };
        let mut writer = stream;
        match handler(&request, number) {
            Behaviour::Answer(status, headers, body) => {
                let mut head =
                    format!("HTTP/1.1 {status} Said\r\ncontent-length: {}\r\n", body.len());
                for (name, value) in headers {
                    head.extend([name, ": ", &value, "\r\n"]);
                }
                let sent = writer.write_all((head + "\r\n").as_bytes());
                if sent.and_then(|()| writer.write_all(&body)).is_err() {
                    return;
                }
            }
            Behaviour::CutShort(body) => {
                let head =
                    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len() + 50);
                let _ = writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(&body));
                return;
            }
            Behaviour::Hang => {
                // Returns when the client closes the connection.
                let _ = reader.read(&mut [0]);
                return;
            }
        }
    }
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length?.1.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(Received { path, headers, body: serde_json::from_slice(&body).ok()? })
}
