//! Reads addresses.

use super::RemoteError;

/// Where a folder of objects is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The address as errors and screens show it, without what may be secret.
    pub(super) shown: String,
    pub(super) site: Site,
}

/// The kinds of sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// A prefix of keys in a bucket.
    S3 { bucket: String, prefix: String },
    /// A folder of a web server.
    Http {
        /// The folder, without a slash at its end.
        folder: String,
        /// What stands behind every address of it, such as a signature: empty, or with its `?`.
        query: String,
    },
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, RemoteError> {
        let (address, query) = match text.split_once('?') {
            Some((address, query)) if !text.starts_with("s3://") => (address, format!("?{query}")),
            _ => (text, String::new()),
        };
        let shown = address.trim_end_matches('/').to_owned();
        let refused =
            |why: &str| RemoteError::Address { address: shown.clone(), why: why.to_owned() };
        let Some((scheme, rest)) = shown.split_once("://") else {
            return Err(refused("it has no s3:// or https://"));
        };
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        if host.is_empty() {
            let what = if scheme == "s3" { "it names no bucket" } else { "it names no host" };
            return Err(refused(what));
        }
        if path.split('/').any(|part| matches!(part, "." | "..")) {
            return Err(refused("`.` and `..` mean nothing in it"));
        }
        let site = match scheme {
            "s3" if path.is_empty() => {
                return Err(refused("it names a bucket only; add the path of the store in it"));
            }
            "s3" => Site::S3 { bucket: host.to_owned(), prefix: path.to_owned() },
            "http" | "https" if host.contains('@') => {
                // Shown without the password.
                let address =
                    format!("{scheme}://{}", rest.split_once('@').map_or("", |(_, host)| host));
                let why = "a name and password in it are not sent; use an address without them"
                    .to_owned();
                return Err(RemoteError::Address { address, why });
            }
            "http" | "https" => Site::Http { folder: shown.clone(), query },
            _ => return Err(refused("only s3://, https:// and http:// are read")),
        };
        Ok(Self { shown, site })
    }

    /// The address of an object in the folder, as errors show it.
    pub(super) fn of(&self, name: &str) -> String {
        format!("{}/{name}", self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_their_last_slash_and_hide_their_query() {
        let s3 = Address::parse("s3://lab/runs/october.qualm/").expect("an address");
        let prefix = "runs/october.qualm".to_owned();
        assert_eq!(s3.site, Site::S3 { bucket: "lab".to_owned(), prefix });
        assert_eq!(s3.of("manifest.json"), "s3://lab/runs/october.qualm/manifest.json");

        let http = Address::parse("https://host/a.qualm?sig=secret").expect("an address");
        let folder = "https://host/a.qualm".to_owned();
        assert_eq!(http.site, Site::Http { folder, query: "?sig=secret".to_owned() });
        assert_eq!(http.shown, "https://host/a.qualm");
    }

    #[test]
    fn what_is_no_address_is_refused_in_a_sentence() {
        let why = |text: &str| Address::parse(text).expect_err("refused").to_string();
        assert_eq!(
            why("s3://lab"),
            "s3://lab: is not the address of a store: it names a bucket only; add the path of the store \
             in it"
        );
        assert!(why("s3:///a").contains("names no bucket"), "{}", why("s3:///a"));
        assert!(why("https:///a").contains("names no host"));
        assert!(why("s3://lab/../other/a").contains("`..`"));
        let password = why("https://me:hunter2@host/a.qualm");
        assert!(
            !password.contains("hunter2") && password.contains("https://host/a.qualm"),
            "{password}"
        );
    }
}
