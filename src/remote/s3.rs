//! A bucket of S3, or of a server that speaks its protocol.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusty_s3::actions::{GetObject, S3Action as _};
use rusty_s3::{Credentials, UrlStyle};

use super::client::Client;
use super::credentials::{self, Profile, Variables};

/// How long a signed address may be used.
const VALID: Duration = Duration::from_mins(15);

/// How long keys are used before they are looked up again: those of services expire.
const FRESH: Duration = Duration::from_mins(10);

/// What to do where a bucket refuses.
pub(super) const REMEDY: &str = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, to keys that may read it; \
     `aws configure export-credentials --format env` prints those of a login";

/// A bucket.
pub(super) struct Bucket {
    name: String,
    variables: Variables,
    profile: Profile,
    /// The address of another server than Amazon's.
    endpoint: Option<String>,
    client: Client,
    state: Mutex<State>,
}

struct State {
    region: String,
    /// The keys, and when they were looked up.
    keys: Option<(Instant, Option<Credentials>)>,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Bucket {
    pub(super) fn new(name: &str, variables: &Variables, client: &Client) -> Self {
        let profile = Profile::used(variables);
        let region = variables.first(&["AWS_REGION", "AWS_DEFAULT_REGION"]);
        let region = region.or_else(|| profile.get("region"));
        let endpoint = variables.first(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]);
        let endpoint = endpoint.or_else(|| profile.get("endpoint_url"));
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        Self {
            name: name.to_owned(),
            variables: variables.clone(),
            profile,
            endpoint,
            client: client.clone(),
            state: Mutex::new(State { region, keys: None }),
        }
    }

    /// The signed address of an object.
    pub(super) fn url(&self, key: &str) -> Result<String, String> {
        let mut state = self.state();
        let endpoint = self.endpoint.clone().unwrap_or_else(|| amazon(&state.region));
        // A dot in the name of a bucket is more than the certificates of Amazon's hosts allow.
        let style = match self.endpoint {
            None if !self.name.contains('.') => UrlStyle::VirtualHost,
            _ => UrlStyle::Path,
        };
        let parsed =
            endpoint.parse().map_err(|error| format!("the endpoint {endpoint}: {error}"))?;
        let bucket = rusty_s3::Bucket::new(parsed, style, self.name.clone(), state.region.clone());
        let bucket = bucket.map_err(|error| format!("the endpoint {endpoint}: {error}"))?;
        let keys = match state.keys.take().filter(|(since, _)| since.elapsed() < FRESH) {
            Some(keys) => keys,
            None => {
                (Instant::now(), credentials::find(&self.variables, &self.profile, &self.client))
            }
        };
        let (_, keys) = state.keys.insert(keys);
        Ok(GetObject::new(&bucket, keys.as_ref(), key).sign(VALID).into())
    }

    /// Turns to another region; false where that is the one already.
    pub(super) fn turn_to(&self, region: &str) -> bool {
        let mut state = self.state();
        let is_new = state.region != region;
        region.clone_into(&mut state.region);
        is_new
    }

    /// Forgets the keys, since they are too old; false where they were just looked up.
    pub(super) fn renew(&self) -> bool {
        let used = self.state().keys.take();
        used.is_some_and(|(since, _)| since.elapsed() > Duration::from_secs(10))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address of Amazon's S3 in a region.
fn amazon(region: &str) -> String {
    let end = if region.starts_with("cn-") { ".cn" } else { "" };
    format!("https://s3.{region}.amazonaws.com{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(name: &str, variables: &[(&str, &str)]) -> Bucket {
        let none = [("AWS_CONFIG_FILE", "/none"), ("AWS_SHARED_CREDENTIALS_FILE", "/none")];
        let all = none.iter().chain(variables);
        let all = all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Bucket::new(name, &Variables::Given(all), &Client::new(0))
    }

    const KEYS: [(&str, &str); 3] = [
        ("AWS_ACCESS_KEY_ID", "AK"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "eu-west-1"),
    ];

    #[test]
    fn addresses_are_signed_with_the_keys_of_the_environment() {
        let url = bucket("lab", &KEYS).url("a b.qualm/manifest.json").expect("an address");
        assert!(
            url.starts_with("https://lab.s3.eu-west-1.amazonaws.com/a%20b.qualm/manifest.json?"),
            "{url}"
        );
        assert!(
            url.contains("X-Amz-Credential=AK%2F") && url.contains("%2Feu-west-1%2Fs3%2F"),
            "{url}"
        );
        assert!(!url.contains("secret"), "{url}");
        let dotted = bucket("lab.data", &KEYS).url("a").expect("an address");
        assert!(dotted.starts_with("https://s3.eu-west-1.amazonaws.com/lab.data/a?"), "{dotted}");
    }

    #[test]
    fn a_server_of_ones_own_and_another_region() {
        let mut variables = KEYS.to_vec();
        variables.push(("AWS_ENDPOINT_URL", "http://127.0.0.1:8333"));
        let url = bucket("lab", &variables).url("a").expect("an address");
        assert!(url.starts_with("http://127.0.0.1:8333/lab/a?"), "{url}");

        let bucket = bucket("lab", &KEYS);
        assert!(bucket.turn_to("cn-north-1"));
        assert!(!bucket.turn_to("cn-north-1"), "it is there already");
        let url = bucket.url("a").expect("an address");
        assert!(url.starts_with("https://lab.s3.cn-north-1.amazonaws.com.cn/a?"), "{url}");
    }
}
