//! A folder of objects: asks for their bytes until they come, or until that is hopeless.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::address::{Address, Site};
use super::cache::Cache;
use super::client::{Client, Failure, Reply, Wanted};
use super::credentials::Variables;
use super::{Object, RemoteError, s3};

/// How often a server is asked in vain.
const ATTEMPTS: u32 = 6;

/// The longest pause before an attempt.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Redirects of web servers that are followed.
const REDIRECTS: u32 = 5;

/// Bytes that are taken from a connection at once.
const BLOCK: usize = 1 << 16;

/// How a store at an address is read.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder of the cache.
    pub cache: PathBuf,
    /// Bytes that the cache may have.
    pub limit: u64,
    /// The pause before the second attempt; it doubles each time.
    pub first_pause: Duration,
    /// Where keys, region and endpoint are looked up.
    pub variables: Variables,
}

impl Settings {
    /// The bytes that a cache has unless somebody wants another number.
    pub const LIMIT: u64 = 8 << 30;

    /// The settings with a cache in a folder.
    pub fn new(cache: PathBuf) -> Self {
        let first_pause = Duration::from_millis(200);
        Self { cache, limit: Self::LIMIT, first_pause, variables: Variables::OfProcess }
    }
}

/// What tells one version of an object from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) size: u64,
    pub(super) tag: Option<String>,
}

/// All bytes of an object, and what names its version.
pub type Whole = (Vec<u8>, Option<String>);

/// Takes the bytes of an object that begin at some place.
pub(super) type Sink<'s> = &'s mut dyn FnMut(&[u8]) -> Result<(), RemoteError>;

/// The objects behind an address.
#[derive(Debug)]
pub struct Folder {
    address: Address,
    access: Access,
    client: Client,
    pub(super) cache: Cache,
    first_pause: Duration,
}

#[derive(Debug)]
enum Access {
    S3 { bucket: Box<s3::Bucket>, prefix: String },
    Http { folder: String, query: String },
}

impl Folder {
    /// The folder at an address. Nothing is asked yet.
    pub fn new(address: &str, settings: &Settings) -> Result<Arc<Self>, RemoteError> {
        let address = Address::parse(address)?;
        let is_s3 = matches!(address.site, Site::S3 { .. });
        // A signed address is good for one host.
        let client = Client::new(if is_s3 { 0 } else { REDIRECTS });
        let access = match address.site.clone() {
            Site::S3 { bucket, prefix } => {
                let bucket = Box::new(s3::Bucket::new(&bucket, &settings.variables, &client));
                Access::S3 { bucket, prefix }
            }
            Site::Http { folder, query } => Access::Http { folder, query },
        };
        let cache = Cache::open(&settings.cache, settings.limit)?;
        Ok(Arc::new(Self { address, access, client, cache, first_pause: settings.first_pause }))
    }

    /// The address as it is shown.
    pub fn address(&self) -> &str {
        &self.address.shown
    }

    /// The address of an object.
    pub fn of(&self, name: &str) -> String {
        self.address.of(name)
    }

    /// An object of the folder. Nothing is asked yet.
    pub fn object(self: &Arc<Self>, name: &str) -> Object {
        Object::new(Arc::clone(self), name)
    }

    /// All bytes of a small object, and what names its version; none where there is no such object.
    pub fn read(&self, name: &str, largest: u64) -> Result<Option<Whole>, RemoteError> {
        let mut patience = Patience::new(self.first_pause);
        loop {
            let read = self.ask_once(name, &Wanted::Whole, None).and_then(|mut reply| {
                let tag = reply.tag.take();
                Ok((self.read_all(name, reply, largest)?, tag))
            });
            match read {
                Ok(read) => return Ok(Some(read)),
                Err(Failure::Missing) => return Ok(None),
                Err(failure) => self.bear(name, failure, &mut patience)?,
            }
        }
    }

    fn read_all(&self, name: &str, mut reply: Reply, largest: u64) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let mut block = vec![0; BLOCK];
        loop {
            let count = reply.read(&mut block)?;
            bytes.extend_from_slice(&block[..count]);
            if bytes.len() as u64 > largest {
                let why = format!("it has over {largest} bytes");
                let object = self.of(name);
                return Err(Failure::Here(RemoteError::Unreachable { object, why }));
            }
            match (count, reply.size) {
                (0, Some(size)) if size != bytes.len() as u64 => {
                    return Err(Failure::passing("the connection ended early"));
                }
                (0, _) => return Ok(bytes),
                _ => {}
            }
        }
    }

    /// Fails if an object is another version than that of the tag.
    pub(super) fn require(&self, name: &str, tag: &str) -> Result<(), RemoteError> {
        let reply = self.ask(name, &Wanted::Part(0..1))?;
        if reply.tag.as_deref() == Some(tag) {
            Ok(())
        } else {
            Err(RemoteError::Changed { object: self.address.shown.clone() })
        }
    }

    /// Asks for bytes of an object, until there is an answer.
    pub(super) fn ask(&self, name: &str, wanted: &Wanted) -> Result<Reply, RemoteError> {
        let mut patience = Patience::new(self.first_pause);
        loop {
            match self.ask_once(name, wanted, None) {
                Ok(reply) => return Ok(reply),
                Err(failure) => self.bear(name, failure, &mut patience)?,
            }
        }
    }

    /// Passes the bytes of a range to the sink, in order. An answer that was asked for already is
    /// used first.
    pub(super) fn fetch(
        &self,
        name: &str,
        range: Range<u64>,
        version: &Version,
        mut begun: Option<Reply>,
        sink: Sink<'_>,
    ) -> Result<(), RemoteError> {
        let mut patience = Patience::new(self.first_pause);
        let mut at = range.start;
        while at < range.end {
            let before = at;
            let reply = begun.take().map_or_else(
                || self.ask_once(name, &Wanted::Part(at..range.end), version.tag.as_deref()),
                Ok,
            );
            let took = reply.and_then(|reply| take(reply, &mut at, range.end, version, sink));
            if at > before {
                patience = Patience::new(self.first_pause);
            }
            took.or_else(|failure| self.bear(name, failure, &mut patience))?;
        }
        Ok(())
    }

    fn ask_once(&self, name: &str, wanted: &Wanted, tag: Option<&str>) -> Result<Reply, Failure> {
        let url = match &self.access {
            Access::S3 { bucket, prefix } => {
                bucket.url(&format!("{prefix}/{name}")).map_err(Failure::Hopeless)?
            }
            Access::Http { folder, query } => format!("{folder}/{name}{query}"),
        };
        self.client.ask(&url, wanted, tag)
    }

    /// Waits after a failure, or fails where waiting is of no use.
    fn bear(
        &self,
        name: &str,
        failure: Failure,
        patience: &mut Patience,
    ) -> Result<(), RemoteError> {
        let object = self.of(name);
        let bucket = match &self.access {
            Access::S3 { bucket, .. } => Some(&**bucket),
            Access::Http { .. } => None,
        };
        let denied = |object, why| RemoteError::Denied {
            object,
            why,
            remedy: bucket.map_or("ask its owner for access", |_| s3::REMEDY),
        };
        match failure {
            Failure::Passing { after, .. } if patience.wait(after) => Ok(()),
            Failure::Expired(_) if bucket.is_some_and(s3::Bucket::renew) => Ok(()),
            Failure::Region(region) if bucket.is_some_and(|bucket| bucket.turn_to(&region)) => {
                Ok(())
            }
            Failure::Region(region) => {
                let why = format!("the bucket is in the region {region}");
                Err(RemoteError::Unreachable { object, why })
            }
            Failure::Passing { why, .. } | Failure::Hopeless(why) => {
                Err(RemoteError::Unreachable { object, why })
            }
            Failure::Missing => Err(RemoteError::Missing { object }),
            Failure::Denied(why) | Failure::Expired(why) => Err(denied(object, why)),
            Failure::Changed => Err(RemoteError::Changed { object }),
            Failure::Here(error) => Err(error),
        }
    }
}

/// Passes what a reply has of the bytes from `at` to `end` to the sink.
fn take(
    mut reply: Reply,
    at: &mut u64,
    end: u64,
    version: &Version,
    sink: Sink<'_>,
) -> Result<(), Failure> {
    let is_other = |size| size != version.size;
    if reply.tag != version.tag || reply.size.is_some_and(is_other) {
        return Err(Failure::Changed);
    }
    if reply.start > *at {
        return Err(Failure::passing("the server sends another part than was asked for"));
    }
    let mut block = vec![0; BLOCK];
    let mut offset = reply.start;
    while *at < end {
        let count = reply.read(&mut block)?;
        if count == 0 {
            return Err(Failure::passing("the connection ended early"));
        }
        // A server may send more than was asked for.
        let from = (*at - offset).min(count as u64);
        let to = (end - offset).min(count as u64);
        let bytes = &block[from as usize..to as usize];
        if !bytes.is_empty() {
            sink(bytes).map_err(Failure::Here)?;
            *at += bytes.len() as u64;
        }
        offset += count as u64;
    }
    Ok(())
}

/// How long failures are borne.
struct Patience {
    attempts: u32,
    pause: Duration,
}

impl Patience {
    fn new(pause: Duration) -> Self {
        Self { attempts: 1, pause }
    }

    /// Waits before the next attempt; false when there were enough.
    fn wait(&mut self, wish: Option<Duration>) -> bool {
        if self.attempts >= ATTEMPTS {
            return false;
        }
        thread::sleep(wish.unwrap_or(self.pause).max(self.pause).min(LONGEST_PAUSE));
        self.attempts += 1;
        self.pause *= 2;
        true
    }
}
