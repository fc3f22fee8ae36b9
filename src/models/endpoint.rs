//! Where a chat model is reached.

use std::fmt;

use ureq::http::Uri;

use super::Secret;

/// The endpoint where none is named.
pub const DEFAULT_URL: &str = "https://api.openai.com/v1";

/// The address of an OpenAI-compatible server, and the key that it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    url: String,
    host: String,
    pub(super) key: Option<Secret>,
}

/// Why an address cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EndpointError {
    /// It is not the address of a web server.
    #[error(
        "`{0}` is not an address such as {DEFAULT_URL}; name the one that ends before /chat/completions"
    )]
    NotAnAddress(String),
    /// It holds a password. The address is not repeated here.
    #[error(
        "the address of {0} holds a user name, a password or a query; keys come from the environment only, \
         so leave it out"
    )]
    HoldsSecret(String),
    /// A key has characters that no header can carry.
    #[error("the key for {0} has characters that cannot be sent; check the environment variable")]
    BadKey(String),
}

impl Endpoint {
    /// An endpoint from its base address. `key_for` finds the key of a host.
    pub fn new(url: &str, key_for: &dyn Fn(&str) -> Option<Secret>) -> Result<Self, EndpointError> {
        let trimmed = url.trim().trim_end_matches('/');
        let trimmed = trimmed.strip_suffix("/chat/completions").unwrap_or(trimmed);
        let uri: Option<Uri> = trimmed.parse().ok();
        let host = uri.as_ref().and_then(Uri::host).map(str::to_owned);
        let is_secret = uri.as_ref().is_some_and(|uri| {
            uri.query().is_some() || uri.authority().is_some_and(|part| part.as_str().contains('@'))
        });
        match (uri.as_ref().and_then(Uri::scheme_str), host) {
            (Some("http" | "https"), Some(host)) if is_secret => {
                Err(EndpointError::HoldsSecret(host))
            }
            (Some("http" | "https"), Some(host)) => {
                let key = key_for(&host);
                if key.as_ref().is_some_and(|key| !key.is_sendable()) {
                    return Err(EndpointError::BadKey(host));
                }
                Ok(Self { url: trimmed.to_owned(), host, key })
            }
            // What cannot be read may still hold a password.
            _ if url.contains('@') => Err(EndpointError::HoldsSecret("the model".to_owned())),
            _ => Err(EndpointError::NotAnAddress(url.to_owned())),
        }
    }

    /// The host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The address that questions go to.
    pub(super) fn completions(&self) -> String {
        format!("{}/chat/completions", self.url)
    }

    /// A text without the key.
    pub(super) fn hide(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.hide(text))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

/// A chat model at an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatModel {
    /// The name that the server knows it by.
    pub name: String,
    /// Where it is reached.
    pub endpoint: Endpoint,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_and_never_show_a_password() {
        let none = |_: &str| None;
        let good = Endpoint::new("http://127.0.0.1:8080/v1/", &none).expect("an endpoint");
        assert_eq!(good.completions(), "http://127.0.0.1:8080/v1/chat/completions");
        let whole = Endpoint::new("https://a.example/v1/chat/completions", &none).expect("whole");
        assert_eq!(whole.to_string(), "https://a.example/v1");
        for bad in
            ["https://me:hunter2@a.example/v1", "https://a.example/v1?key=hunter2", "x y@hunter2"]
        {
            let error = Endpoint::new(bad, &none).expect_err("a password");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
        }
        for bad in ["", "localhost", "ftp://a.example", "file:///etc/passwd"] {
            assert!(Endpoint::new(bad, &none).is_err(), "{bad}");
        }
        let odd = |_: &str| Secret::new("a\nb");
        assert!(matches!(Endpoint::new("http://a.example", &odd), Err(EndpointError::BadKey(_))));
    }
}
