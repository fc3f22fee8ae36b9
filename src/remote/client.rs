//! Asks servers for parts of objects.

use std::io::Read;
use std::ops::Range;
use std::time::{Duration, SystemTime};

use ureq::http::{HeaderMap, Response};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, BodyReader};

use super::RemoteError;
use crate::text::bounded;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a server may say nothing.
const SILENCE: Duration = Duration::from_secs(30);

/// How long the bytes of one answer may take. What came until then is kept.
const BODY: Duration = Duration::from_mins(2);

/// How long a service of the own machine may take to give keys.
const SERVICE: Duration = Duration::from_secs(2);

/// Bytes of a server's words that an error repeats.
const REPEATED: usize = 200;

/// Bytes of an error that are read.
const LARGEST_ERROR: u64 = 1 << 16;

/// The bytes that are asked for.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// The last so many.
    Last(u64),
    /// Those of a range.
    Part(Range<u64>),
    /// All.
    Whole,
}

/// The answer to a question for bytes.
pub(super) struct Reply {
    /// The place of the first byte in the object.
    pub(super) start: u64,
    /// The size of the object, where the server says it.
    pub(super) size: Option<u64>,
    /// What names this version of the object.
    pub(super) tag: Option<String>,
    pub(super) bytes: BodyReader<'static>,
}

/// Why a question was not answered.
#[derive(Debug)]
pub(super) enum Failure {
    /// It may work later.
    Passing { why: String, after: Option<Duration> },
    /// There is no such object.
    Missing,
    /// The server refuses, in these words.
    Denied(String),
    /// The keys are too old.
    Expired(String),
    /// The object is another one now.
    Changed,
    /// The bucket lies in another region.
    Region(String),
    /// It will never work.
    Hopeless(String),
    /// The trouble is on this machine.
    Here(RemoteError),
}

impl Failure {
    pub(super) fn passing(why: impl Into<String>) -> Self {
        Self::Passing { why: why.into(), after: None }
    }
}

/// Asks servers.
#[derive(Clone, Debug)]
pub(super) struct Client {
    agent: Agent,
}

impl Client {
    /// A client that follows so many redirects.
    pub(super) fn new(redirects: u32) -> Self {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(SILENCE))
            .timeout_recv_body(Some(BODY))
            .http_status_as_error(false)
            .max_redirects(redirects)
            .max_redirects_will_error(false)
            .user_agent(concat!("qualm/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            .build();
        Self { agent: config.new_agent() }
    }

    /// Asks for bytes of the object at `url`, once. With a tag, only of that version.
    pub(super) fn ask(
        &self,
        url: &str,
        wanted: &Wanted,
        tag: Option<&str>,
    ) -> Result<Reply, Failure> {
        let mut request = self.agent.get(url);
        match wanted {
            Wanted::Last(count) => request = request.header("range", format!("bytes=-{count}")),
            Wanted::Part(Range { start, end }) => {
                request = request.header("range", format!("bytes={start}-{}", end - 1));
            }
            Wanted::Whole => {}
        }
        // A weak tag and a date name no bytes.
        if let Some(tag) = tag.filter(|tag| tag.starts_with('"')) {
            request = request.header("if-match", tag);
        }
        reply(request.call().map_err(|error| unreachable(&error))?)
    }

    /// Asks a service that gives keys; none where there is no such service.
    pub(super) fn ask_service(
        &self,
        method: &str,
        url: &str,
        headers: &[(&str, String)],
    ) -> Option<Vec<u8>> {
        let mut request = ureq::http::Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = self.agent.configure_request(request.body(()).ok()?);
        let request = request.timeout_global(Some(SERVICE)).proxy(None).build();
        let mut response =
            self.agent.run(request).ok().filter(|answer| answer.status().is_success())?;
        response.body_mut().with_config().limit(LARGEST_ERROR).read_to_vec().ok()
    }
}

fn unreachable(error: &ureq::Error) -> Failure {
    match error {
        ureq::Error::HostNotFound => Failure::Hopeless("there is no such host".to_owned()),
        ureq::Error::Http(_) | ureq::Error::BadUri(_) => {
            Failure::Hopeless("it cannot be asked for".to_owned())
        }
        ureq::Error::Timeout(_) => Failure::passing("no answer within the time limit"),
        ureq::Error::Io(error) => Failure::passing(error.to_string()),
        error => Failure::passing(error.to_string()),
    }
}

/// What a response says.
fn reply(response: Response<Body>) -> Result<Reply, Failure> {
    let status = response.status().as_u16();
    match status {
        200 | 206 => {}
        404 | 410 => return Err(Failure::Missing),
        // 416: it has fewer bytes than the version that was met.
        412 | 416 => return Err(Failure::Changed),
        _ => return Err(refusal(response)),
    }
    let headers = response.headers();
    if text(headers, "content-encoding").is_some_and(|encoding| encoding != "identity") {
        return Err(Failure::Hopeless(
            "the server sends it compressed, so that parts of it mean nothing".to_owned(),
        ));
    }
    let tag = text(headers, "etag").or_else(|| text(headers, "last-modified")).map(str::to_owned);
    let (start, size) = if status == 206 {
        let range = text(headers, "content-range").and_then(content_range);
        range.ok_or_else(|| Failure::passing("the server does not say which part it sends"))?
    } else {
        (0, text(headers, "content-length").and_then(|length| length.parse().ok()))
    };
    Ok(Reply { start, size, tag, bytes: response.into_body().into_reader() })
}

/// The first byte and the size of `bytes 0-99/200`.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, size) = text.trim().strip_prefix("bytes")?.trim().split_once('/')?;
    let (start, _end) = range.split_once('-')?;
    Some((start.trim().parse().ok()?, size.trim().parse().ok()))
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// What an answer without the object says.
fn refusal(mut response: Response<Body>) -> Failure {
    let status = response.status();
    let number = status.as_u16();
    let region = text(response.headers(), "x-amz-bucket-region").map(str::to_owned);
    let after = text(response.headers(), "retry-after").and_then(pause);
    let body = response.body_mut().with_config().limit(LARGEST_ERROR).read_to_vec();
    let body = String::from_utf8_lossy(&body.unwrap_or_default()).into_owned();
    let code = element(&body, "Code").unwrap_or_default();
    let region = region.or_else(|| element(&body, "Region"));
    let words = [code.clone(), element(&body, "Message").unwrap_or_default()];
    let words = words.iter().filter(|word| !word.is_empty());
    let words = words.map(String::as_str).collect::<Vec<_>>().join(": ");
    let words = if words.is_empty() { number.to_string() } else { format!("{number} {words}") };
    let words = bounded(&words, REPEATED).into_owned();
    match (number, code.as_str()) {
        (_, "ExpiredToken" | "TokenRefreshRequired" | "RequestExpired") => Failure::Expired(words),
        (301 | 307 | 308 | 400, _) if region.is_some() => {
            Failure::Region(region.unwrap_or_default())
        }
        (_, "SlowDown" | "RequestTimeout" | "InternalError" | "ServiceUnavailable") => {
            Failure::Passing { why: words, after }
        }
        (401 | 403, _) => Failure::Denied(words),
        (408 | 425 | 429, _) => Failure::Passing { why: words, after },
        _ if status.is_server_error() && number != 501 => Failure::Passing { why: words, after },
        _ => Failure::Hopeless(words),
    }
}

/// The text of the first element of that name.
fn element(body: &str, name: &str) -> Option<String> {
    let (_, rest) = body.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    Some(text.trim().to_owned())
}

/// When a server wants to be asked again.
fn pause(value: &str) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

impl Reply {
    /// Reads some bytes into a block; 0 at the end.
    pub(super) fn read(&mut self, block: &mut [u8]) -> Result<usize, Failure> {
        self.bytes.read(block).map_err(|error| Failure::passing(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_errors_are_read() {
        assert_eq!(content_range("bytes 5-9/200"), Some((5, Some(200))));
        assert_eq!(content_range("bytes 0-9/*"), Some((0, None)));
        assert_eq!(content_range("items 0-9/10"), None);
        let body = "<Error><Code>SlowDown</Code><Message>Reduce your rate</Message></Error>";
        assert_eq!(element(body, "Code").as_deref(), Some("SlowDown"));
        assert_eq!(element(body, "Region"), None);
    }
}
