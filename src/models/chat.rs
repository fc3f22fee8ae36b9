//! One call of a chat model over the protocol that `OpenAI`'s servers and most others speak.

use std::time::{Duration, SystemTime};

use serde_json::Value;
use ureq::http::{Response, StatusCode};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use super::Endpoint;
use crate::text::bounded;

/// The largest answer that is read; twenty alternatives of ten thousand tokens are smaller.
const LARGEST: u64 = 64 << 20;

/// Bytes of a server's words that an error repeats.
const REPEATED: usize = 300;

/// What a model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The first choice, as it came.
    pub choice: Value,
    /// Tokens of the question and of the answer, where the server counted them.
    pub tokens: Option<[u64; 2]>,
}

/// Why a call gave no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CallError {
    /// It may work later: the server is busy, broken, or out of reach.
    #[error("{why}")]
    Passing {
        /// What happened.
        why: String,
        /// When the server wants to be asked again.
        after: Option<Duration>,
    },
    /// The server refuses this question; others may work.
    #[error("{0}")]
    Refused(String),
    /// No question will be answered until something is changed.
    #[error("{0}")]
    Hopeless(String),
}

/// Calls chat models.
#[derive(Clone, Debug)]
pub struct Client {
    agent: Agent,
}

impl Client {
    /// A client that waits so long for an answer.
    pub fn new(timeout: Duration) -> Self {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            // A redirect could lead the key and the transcripts to another host.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("qualm/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            .build();
        Self { agent: config.new_agent() }
    }

    /// Asks a question, once.
    pub fn call(&self, endpoint: &Endpoint, question: &Value) -> Result<Reply, CallError> {
        let mut request = self.agent.post(endpoint.completions()).content_type("application/json");
        if let Some(key) = &endpoint.key {
            request = request.header("authorization", key.header());
        }
        let mut response =
            request.send(question.to_string()).map_err(|error| unreachable(endpoint, &error))?;
        let after = retry_after(&response);
        let body = response.body_mut().with_config().limit(LARGEST).read_to_vec();
        let body = body.map_err(|error| unreachable(endpoint, &error))?;
        reply(endpoint, &response, &body, after)
    }
}

/// When a server wants to be asked again.
fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let value = response.headers().get("retry-after")?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

fn unreachable(endpoint: &Endpoint, error: &ureq::Error) -> CallError {
    let why = endpoint.hide(&error.to_string());
    match error {
        ureq::Error::HostNotFound => {
            CallError::Hopeless(format!("{endpoint}: there is no such host; check the address"))
        }
        ureq::Error::Http(_) | ureq::Error::BadUri(_) => {
            CallError::Hopeless(format!("{endpoint}: cannot be asked ({why}); check the address"))
        }
        ureq::Error::BodyExceedsLimit(_) => {
            CallError::Refused("the answer is larger than 64 MiB".to_owned())
        }
        ureq::Error::Timeout(_) => {
            CallError::Passing { why: "no answer within the time limit".to_owned(), after: None }
        }
        _ => CallError::Passing { why: format!("{endpoint}: {why}"), after: None },
    }
}

/// What a response says.
fn reply(
    endpoint: &Endpoint,
    response: &Response<Body>,
    body: &[u8],
    after: Option<Duration>,
) -> Result<Reply, CallError> {
    let status = response.status();
    let words = || endpoint.hide(&words_of(body));
    let number = status.as_u16();
    if status.is_redirection() {
        return Err(CallError::Hopeless(format!(
            "{endpoint}: redirects elsewhere ({number}), and the key stays here; name the address it \
             leads to"
        )));
    }
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(CallError::Hopeless(format!(
            "{endpoint}: refuses the key ({number}: {}); check the environment variable that holds it",
            words()
        ))),
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
            Err(CallError::Hopeless(format!(
                "{endpoint}: has no such model or address ({number}: {}); check the name of the model and \
                 the address",
                words()
            )))
        }
        StatusCode::TOO_MANY_REQUESTS if is_unpaid(body) => Err(CallError::Hopeless(format!(
            "{endpoint}: the account has no credit left ({}); pay and run the same command again",
            words()
        ))),
        StatusCode::REQUEST_TIMEOUT | StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS => {
            Err(CallError::Passing { why: format!("{number}: {}", words()), after })
        }
        _ if status.is_server_error() => {
            Err(CallError::Passing { why: format!("{number}: {}", words()), after })
        }
        _ if !status.is_success() => Err(CallError::Refused(format!("{number}: {}", words()))),
        _ => choice(endpoint, body),
    }
}

/// The first choice of a successful response.
fn choice(endpoint: &Endpoint, body: &[u8]) -> Result<Reply, CallError> {
    // A body that was cut short may be whole the next time.
    let strange = |why: &str| CallError::Passing {
        why: format!("the server answers {why} ({})", endpoint.hide(&words_of(body))),
        after: None,
    };
    let text = endpoint.hide(&String::from_utf8_lossy(body));
    let mut whole: Value =
        serde_json::from_str(&text).map_err(|_| strange("something that is not JSON"))?;
    if let Some(error) = whole.get("error").filter(|error| !error.is_null()) {
        return Err(CallError::Refused(bounded(&error_words(error), REPEATED).into_owned()));
    }
    let choice = whole.pointer_mut("/choices/0").map(Value::take);
    let choice = choice.filter(Value::is_object).ok_or_else(|| strange("without a choice"))?;
    let count = |name: &str| whole.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
    let tokens = count("prompt_tokens").zip(count("completion_tokens"));
    Ok(Reply { choice, tokens: tokens.map(|(prompt, answer)| [prompt, answer]) })
}

/// Whether a server asks for money, which waiting does not bring.
fn is_unpaid(body: &[u8]) -> bool {
    let body: Option<Value> = serde_json::from_slice(body).ok();
    let code = body.as_ref().and_then(|body| body.pointer("/error/code")).and_then(Value::as_str);
    code == Some("insufficient_quota")
}

/// What an error object says.
fn error_words(error: &Value) -> String {
    let message = error.get("message").unwrap_or(error);
    message.as_str().map_or_else(|| message.to_string(), str::to_owned)
}

/// The message of an error, or the beginning of whatever the server sent.
fn words_of(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let message = serde_json::from_str::<Value>(&text).ok().and_then(|body| {
        let error =
            body.get("error").or_else(|| body.get("message")).or_else(|| body.get("detail"));
        error.map(error_words)
    });
    let words = message.unwrap_or_else(|| text.trim().to_owned());
    match words.as_str() {
        "" => "no explanation".to_owned(),
        words => bounded(words, REPEATED).into_owned(),
    }
}
