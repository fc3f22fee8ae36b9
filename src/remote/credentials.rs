//! Where keys, region and endpoint of S3 come from: the variables, files and services that AWS's own
//! programs use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use rusty_s3::Credentials;
use serde::Deserialize;

use super::client::Client;

/// The address of the service that gives an EC2 instance its keys.
const INSTANCE: &str = "http://169.254.169.254";

/// The address of the service that gives an ECS container its keys.
const CONTAINER: &str = "http://169.254.170.2";

/// Environment variables.
#[derive(Clone, Debug, Default)]
pub enum Variables {
    /// Those of the process.
    #[default]
    OfProcess,
    /// These.
    Given(BTreeMap<String, String>),
}

impl Variables {
    /// The value of the first variable that is set and not blank.
    pub(super) fn first(&self, names: &[&str]) -> Option<String> {
        let value = |name: &&str| match self {
            Self::OfProcess => env::var(name).ok(),
            Self::Given(values) => values.get(*name).cloned(),
        };
        names.iter().filter_map(value).find(|value| !value.trim().is_empty())
    }

    fn file(&self, name: &str, usual: &str) -> Option<PathBuf> {
        let named = self.first(&[name]).map(PathBuf::from);
        named.or_else(|| env::home_dir().map(|home| home.join(".aws").join(usual)))
    }
}

/// What AWS's files say of the profile that is used.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile(BTreeMap<String, String>);

impl Profile {
    /// The profile of `AWS_PROFILE`, else the default one.
    pub(super) fn used(variables: &Variables) -> Self {
        let name = variables.first(&["AWS_PROFILE"]).unwrap_or_else(|| "default".to_owned());
        let config = variables.file("AWS_CONFIG_FILE", "config");
        let keys = variables.file("AWS_SHARED_CREDENTIALS_FILE", "credentials");
        let in_config = if name == "default" { name.clone() } else { format!("profile {name}") };
        let mut found = BTreeMap::new();
        for (file, section) in [(config, in_config), (keys, name)] {
            let text = file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
            found.extend(section_of(&text, &section));
        }
        Self(found)
    }

    /// A setting that is not blank.
    pub(super) fn get(&self, key: &str) -> Option<String> {
        self.0.get(key).filter(|value| !value.is_empty()).cloned()
    }

    fn credentials(&self) -> Option<Credentials> {
        let (key, secret) = (self.get("aws_access_key_id")?, self.get("aws_secret_access_key")?);
        Some(credentials(key, secret, self.get("aws_session_token")))
    }
}

/// The settings of a section of an INI file.
fn section_of(text: &str, section: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut is_ours = false;
    for line in text.lines() {
        // Nested settings are indented and of no use here.
        let is_nested = line.starts_with([' ', '\t']);
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            is_ours = name.trim() == section;
        } else if is_ours
            && !is_nested
            && !line.starts_with(['#', ';'])
            && let Some((key, value)) = line.split_once('=')
        {
            found.insert(key.trim().to_lowercase(), value.trim().to_owned());
        }
    }
    found
}

fn credentials(key: String, secret: String, token: Option<String>) -> Credentials {
    match token.filter(|token| !token.is_empty()) {
        Some(token) => Credentials::new_with_token(key, secret, token),
        None => Credentials::new(key, secret),
    }
}

/// What a service of AWS answers.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Given {
    access_key_id: String,
    secret_access_key: String,
    #[serde(default)]
    token: Option<String>,
}

/// The keys to sign with; none where none are to be found, and a bucket that is public needs none.
pub(super) fn find(
    variables: &Variables,
    profile: &Profile,
    client: &Client,
) -> Option<Credentials> {
    let key = variables.first(&["AWS_ACCESS_KEY_ID"]);
    let secret = variables.first(&["AWS_SECRET_ACCESS_KEY"]);
    if let (Some(key), Some(secret)) = (key, secret) {
        return Some(credentials(key, secret, variables.first(&["AWS_SESSION_TOKEN"])));
    }
    if let Some(found) = profile.credentials() {
        return Some(found);
    }
    let given = of_container(variables, client).or_else(|| of_instance(variables, client))?;
    Some(credentials(given.access_key_id, given.secret_access_key, given.token))
}

fn of_container(variables: &Variables, client: &Client) -> Option<Given> {
    let address = match variables.first(&["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"]) {
        Some(path) => format!("{CONTAINER}{path}"),
        None => variables.first(&["AWS_CONTAINER_CREDENTIALS_FULL_URI"])?,
    };
    let file = variables.first(&["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]);
    let token = file.and_then(|file| fs::read_to_string(Path::new(&file)).ok());
    let token = token.or_else(|| variables.first(&["AWS_CONTAINER_AUTHORIZATION_TOKEN"]));
    let header = token.map(|token| ("authorization", token.trim().to_owned()));
    serde_json::from_slice(&client.ask_service("GET", &address, header.as_slice())?).ok()
}

fn of_instance(variables: &Variables, client: &Client) -> Option<Given> {
    let disabled = variables.first(&["AWS_EC2_METADATA_DISABLED"]);
    if disabled.is_some_and(|value| value.eq_ignore_ascii_case("true")) || !is_on_ec2() {
        return None;
    }
    let wish = ("x-aws-ec2-metadata-token-ttl-seconds", "300".to_owned());
    let session = client.ask_service("PUT", &format!("{INSTANCE}/latest/api/token"), &[wish])?;
    let session = ("x-aws-ec2-metadata-token", String::from_utf8(session).ok()?);
    let roles = format!("{INSTANCE}/latest/meta-data/iam/security-credentials/");
    let role = client.ask_service("GET", &roles, std::slice::from_ref(&session))?;
    let role = String::from_utf8(role).ok()?;
    let keys = client.ask_service("GET", &format!("{roles}{}", role.trim()), &[session])?;
    serde_json::from_slice(&keys).ok()
}

/// Whether the machine says that it is Amazon's: on any other, asking would be waiting for nothing.
fn is_on_ec2() -> bool {
    let vendor = fs::read_to_string("/sys/class/dmi/id/sys_vendor").unwrap_or_default();
    vendor.contains("Amazon")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_next_begins() {
        let text = "[default]\naws_access_key_id = A\n# no = thing\n s3 =\n  nested = 1\n[profile lab]\nregion=x\n";
        let default = section_of(text, "default");
        assert_eq!(default.get("aws_access_key_id").map(String::as_str), Some("A"));
        assert_eq!(default.len(), 1);
        assert_eq!(section_of(text, "profile lab").get("region").map(String::as_str), Some("x"));
        assert!(section_of(text, "lab").is_empty());
    }
}
