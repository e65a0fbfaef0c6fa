//! Sends entries to Sluice in batches, in order. Each is stored once, whatever fails on the way.

#![allow(
    dead_code,
    clippy::doc_markdown,
    clippy::enum_variant_names,
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    rustdoc::invalid_html_tags
)]

use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::env;
use std::fmt;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant, SystemTime};
use ureq::http::{HeaderValue, Uri};
use ureq::tls::{self, Certificate, PemItem, RootCerts, TlsConfig};

// BEGIN SCHEMA
pub use serde_json;

/// An entry is a JSON object. [`entry!`] writes one.
pub type Entry = serde_json::Map<String, serde_json::Value>;

/// Writes an [`Entry`]. Values are what [`serde_json::json!`] takes; it makes null of NaN.
///
/// ```
/// let entry = sluice_uploader::entry! { "celsius": 21.5, "place": { "floor": 3 } };
/// assert_eq!(entry["celsius"], 21.5);
/// ```
#[macro_export]
macro_rules! entry {
    ($($members:tt)*) => {
        match $crate::serde_json::json!({ $($members)* }) {
            $crate::serde_json::Value::Object(entry) => entry,
            _ => unreachable!(),
        }
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;

const DOMAIN: Option<&str> = None;
const SCHEMA_VERSION: Option<u32> = None;
// END SCHEMA

/// Only `base_url` is required: `Options { base_url, ..Options::default() }`.
pub struct Options {
    /// Where Sluice is, such as `https://sluice.example`.
    pub base_url: String,
    /// The application. A generated file knows its own.
    pub domain: Option<String>,
    /// An ingest key, if the application requires one.
    pub key: Option<String>,
    /// A folder, for one process at a time: when `send` returns, the entry is on disk and survives a crash.
    pub spool: Option<PathBuf>,
    /// Called for each entry that can never be stored; otherwise a warning is printed. In it, `flush` and `close` fail.
    pub on_refused: Option<OnRefused>,
    /// Called once if the generated file is out of date; otherwise a warning is printed.
    pub on_stale: Option<OnStale>,
    /// Whether requests of 1 KiB and more are compressed.
    pub gzip: bool,
    /// A PEM file of certificate authorities, which are trusted besides those of Mozilla.
    pub ca: Option<PathBuf>,
    /// A batch is sent when it has so many lines or bytes, or is so old.
    pub batch_lines: usize,
    pub batch_bytes: usize,
    pub batch_age: Duration,
    /// `send` waits while so many bytes have no answer. The spool counts.
    pub held_bytes: usize,
    /// How long `close` waits for answers.
    pub close_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            base_url: String::new(),
            domain: None,
            key: None,
            spool: None,
            on_refused: None,
            on_stale: None,
            gzip: true,
            ca: None,
            batch_lines: 5_000,
            batch_bytes: 4 << 20,
            batch_age: Duration::from_secs(1),
            held_bytes: 64 << 20,
            close_timeout: Duration::from_secs(30),
        }
    }
}

/// Without the key.
impl fmt::Debug for Options {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.debug_struct("Options")
            .field("base_url", &self.base_url)
            .field("domain", &self.domain)
            .field("spool", &self.spool)
            .finish_non_exhaustive()
    }
}

pub type OnRefused = Box<dyn FnMut(Refusal) + Send>;
pub type OnStale = Box<dyn FnOnce(Stale) + Send>;

/// An entry that was not stored, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Refusal {
    /// The entry as JSON.
    #[serde(skip)]
    pub entry: String,
    /// Its line in the batch, from 1.
    pub line: usize,
    pub name: String,
    pub message: String,
    pub details: Vec<Detail>,
}

/// What is wrong, and where: `path` is a JSON Pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Detail {
    pub path: String,
    pub keyword: String,
    pub message: String,
}

/// The server has another version of the schema than this file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    pub version: u32,
    /// `stricter` (the server may refuse entries that this file allows) or `looser`.
    pub change: String,
}

/// Entries of this process, and those that were in its spool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// The server stored them.
    pub stored: usize,
    /// They can never be stored.
    pub refused: usize,
    /// They have no answer yet.
    pub waiting: usize,
}

/// Why a call failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// `close` leaves entries, or the server has refused a whole batch, such as for a wrong key.
    NotStored(NotStored),
    /// The uploader was closed before.
    Closed,
    /// The entry cannot be sent, and is not kept.
    Entry(String),
    /// An option is wrong.
    Options(String),
    /// A callback panicked. No entry is lost by that.
    Callback(String),
    /// This function was called in a callback, where it would wait for itself.
    InCallback(&'static str),
    /// The server does not answer `verify`.
    Refused {
        status: u16,
        name: String,
        message: String,
    },
    /// The disk or the network failed.
    Io(io::Error),
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::NotStored(error) => error.fmt(to),
            Error::Closed => write!(to, "the uploader is closed"),
            Error::Entry(message) | Error::Options(message) | Error::Callback(message) => {
                write!(to, "{message}")
            }
            Error::InCallback(function) => {
                write!(to, "{function} must not be called in a callback")
            }
            Error::Refused {
                status,
                name,
                message,
            } => write!(to, "{status} {name}: {message}"),
            Error::Io(error) => error.fmt(to),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

/// How many entries are not stored, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotStored {
    pub entries: usize,
    /// They stay in the spool, and the next process sends them.
    pub in_spool: bool,
    /// The last answer. The status is 0 if there was none.
    pub status: u16,
    pub name: String,
    pub message: String,
}

impl fmt::Display for NotStored {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "{} entries are not stored", self.entries)?;
        if self.in_spool {
            write!(to, " and stay in the spool")?;
        }
        if self.status != 0 {
            write!(to, ": {} {}", self.status, self.name)?;
        }
        write!(to, ": {}", self.message)
    }
}

/// Sends entries in batches, in order. Each is stored once, whatever fails on the way.
/// Threads may share it. Dropping it closes it.
pub struct Uploader {
    shared: Arc<Shared>,
}

impl Uploader {
    /// Sends first what an earlier process left in the spool.
    ///
    /// # Errors
    ///
    /// If an option is wrong, or another process uses the spool.
    pub fn new(mut options: Options) -> Result<Uploader, Error> {
        let server = Server::new(&options)?;
        let sender = Sender {
            on_stale: options.on_stale.take(),
            is_stale: false,
        };
        let mut state = State {
            trouble: Trouble::new("the server has not answered"),
            ..State::default()
        };
        if let Some(folder) = &options.spool {
            state.lock = Some(lock(folder)?);
            state.sealed = recover(folder, &server.domain)?;
            state.held = state.sealed.iter().map(|batch| batch.bytes).sum();
            state.taken = state.sealed.iter().map(|batch| batch.lines).sum();
        }
        let on_refused = Mutex::new(options.on_refused.take());
        state.options = options;
        let shared = Arc::new(Shared {
            server,
            on_refused,
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let of_thread = shared.clone();
        thread::Builder::new()
            .name("sluice-uploader".to_string())
            .spawn(move || of_thread.run(sender))?;
        Ok(Uploader { shared })
    }

    /// Hands over an entry. Waits while too much is held.
    ///
    /// # Errors
    ///
    /// If the entry has NaN or an infinite number, if the spool cannot be written, after `close`, and after the server has
    /// refused a whole batch.
    pub fn send(&self, entry: &Entry) -> Result<(), Error> {
        let written = serde_json::to_vec(entry);
        let mut line = written.map_err(|error| Error::Entry(error.to_string()))?;
        line.push(b'\n');
        let shared = &*self.shared;
        let is_full = |state: &mut State| {
            let is_full = state.held >= state.options.held_bytes;
            is_full && !state.is_closed && !state.is_refused && !state.is_in_callback()
        };
        let mut state = shared.wait_while(shared.lock(), is_full);
        if state.is_refused {
            return Err(state.not_stored());
        }
        if state.is_closed {
            return Err(Error::Closed);
        }
        if line.len() <= LARGEST_ENTRY {
            return Ok(shared.add(&mut state, &line)?);
        }
        let too_large = "the entry has more than 8 MiB";
        if state.is_in_callback() {
            return Err(Error::Entry(too_large.to_string()));
        }
        state.counts.refused += 1;
        drop(state);
        let refusal = Trouble {
            name: "PayloadTooLargeError".to_string(),
            ..Trouble::new(too_large)
        };
        shared.tell(&line, vec![refusal.of_line()]);
        Ok(())
    }

    /// Waits until all that was handed over before is answered.
    ///
    /// # Errors
    ///
    /// If the server has refused a whole batch, or a callback panicked.
    pub fn flush(&self) -> Result<(), Error> {
        let mut state = self.shared.lock();
        state.check_caller("flush")?;
        self.shared.seal(&mut state);
        let last = state.taken;
        let is_left = |state: &mut State| {
            (state.answered < last || state.is_telling) && !state.is_refused && !state.is_ended
        };
        self.shared.wait_while(state, is_left).outcome(last)
    }

    /// Asks whether the server still has the entries that it told this uploader were stored, in the last 10,000 batches.
    /// Returns how many are missing: 0 if all are there. The server answers only if the uploader has a `key`.
    ///
    /// # Errors
    ///
    /// If the server does not answer.
    pub fn verify(&self) -> Result<usize, Error> {
        let stored = self.shared.lock().stored.clone();
        if stored.is_empty() {
            return Ok(0);
        }
        let keys: Vec<&String> = stored.iter().map(|(key, _)| key).collect();
        let question = serde_json::json!({ "keys": keys }).to_string();
        let request = self.shared.server.request("missing", "application/json");
        let (head, text) = ask(request, question.as_bytes())?;
        let status = head.status.as_u16();
        if status != 200 {
            let Trouble { name, message, .. } = Answer::read(status, None, &text).trouble;
            return Err(Error::Refused {
                status,
                name,
                message,
            });
        }
        let answer: AnswerBody = serde_json::from_slice(&text).map_err(io::Error::from)?;
        let missing: HashSet<String> = answer.data.missing.into_iter().collect();
        let lost = stored.iter().filter(|(key, _)| missing.contains(key));
        Ok(lost.map(|(_, entries)| entries).sum())
    }

    /// What became of the entries so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let state = self.shared.lock();
        Counts {
            waiting: state.taken - state.answered,
            ..state.counts
        }
    }

    /// Sends what is left, and ends.
    ///
    /// # Errors
    ///
    /// If entries are not stored, or a callback panicked.
    pub fn close(&self) -> Result<(), Error> {
        let shared = &*self.shared;
        let mut state = shared.lock();
        state.check_caller("close")?;
        state.is_closed = true;
        shared.seal(&mut state);
        shared.changed.notify_all();
        let is_left = |state: &mut State| {
            let is_open = !state.sealed.is_empty() || state.is_telling;
            is_open && !state.is_refused && !state.is_stuck && !state.is_ended
        };
        let limit = state.options.close_timeout;
        let mut state = shared.wait_timeout_while(state, limit, is_left);
        state.is_ended = true;
        shared.changed.notify_all();
        state.lock = None;
        let last = state.taken;
        state.outcome(last)
    }
}

impl Drop for Uploader {
    fn drop(&mut self) {
        let is_ended = self.shared.lock().is_ended;
        if let (false, Err(error)) = (is_ended, self.close()) {
            self.shared.warn(&error.to_string());
        }
    }
}

impl fmt::Debug for Uploader {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.debug_struct("Uploader")
            .field("domain", &self.shared.server.domain)
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}

struct Shared {
    server: Server,
    state: Mutex<State>,
    changed: Condvar,
    on_refused: Mutex<Option<OnRefused>>,
}

#[derive(Default)]
struct State {
    options: Options,
    /// Keeps other processes out of the spool.
    lock: Option<File>,
    filling: Option<Batch>,
    /// Batches without an answer, the oldest first.
    sealed: VecDeque<Arc<Batch>>,
    /// Entries, and those of them that are stored or refused.
    taken: usize,
    answered: usize,
    counts: Counts,
    held: usize,
    /// Entries that the server said it stored, by the key of their batch; the oldest first.
    stored: VecDeque<(String, usize)>,
    is_closed: bool,
    is_ended: bool,
    /// `on_refused` is told of entries that are answered.
    is_telling: bool,
    /// Threads that call callbacks: that of the uploader, and the one that tells now.
    thread: Option<ThreadId>,
    teller: Option<ThreadId>,
    /// The server refuses batches as a whole: none is sent any more.
    is_refused: bool,
    /// The answer for the oldest batch is not of Sluice.
    is_stuck: bool,
    /// Why the oldest batch is still here.
    trouble: Trouble,
    /// The first panic in a callback, which `flush` or `close` tells once.
    fault: Option<String>,
}

impl State {
    /// A callback must not wait for its own thread.
    fn is_in_callback(&self) -> bool {
        [self.thread, self.teller].contains(&Some(thread::current().id()))
    }

    fn check_caller(&self, function: &'static str) -> Result<(), Error> {
        if self.is_in_callback() {
            return Err(Error::InCallback(function));
        }
        Ok(())
    }

    fn outcome(&mut self, taken: usize) -> Result<(), Error> {
        let fault = self.fault.take();
        if self.answered < taken {
            return Err(self.not_stored());
        }
        fault.map_or(Ok(()), |fault| Err(Error::Callback(fault)))
    }

    fn not_stored(&self) -> Error {
        let Trouble {
            status,
            name,
            message,
        } = self.trouble.clone();
        Error::NotStored(NotStored {
            entries: self.taken - self.answered,
            in_spool: self.options.spool.is_some(),
            status,
            name,
            message,
        })
    }
}

impl Shared {
    /// No callback runs while the lock is held, so no panic leaves it half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while<'a>(
        &self,
        state: MutexGuard<'a, State>,
        condition: impl FnMut(&mut State) -> bool,
    ) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_while(state, condition);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_timeout_while<'a>(
        &self,
        state: MutexGuard<'a, State>,
        limit: Duration,
        condition: impl FnMut(&mut State) -> bool,
    ) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout_while(state, limit, condition);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn warn(&self, message: &str) {
        warn(&self.server.domain, message);
    }

    fn add(&self, state: &mut State, line: &[u8]) -> io::Result<()> {
        let most = state.options.batch_bytes;
        let is_over = |batch: &Batch| batch.bytes + line.len() > most;
        if state.filling.as_ref().is_some_and(is_over) {
            self.seal(state);
        }
        let mut batch = match state.filling.take() {
            Some(batch) => batch,
            None => Batch::begin(&state.options)?,
        };
        let added = batch.add(line);
        if added.is_err() && batch.lines == 0 {
            batch.remove()?;
            return added;
        }
        if added.is_ok() {
            state.held += line.len();
            state.taken += 1;
        }
        let options = &state.options;
        // Half of a line may be in the file, so nothing follows it there.
        let is_complete = added.is_err()
            || batch.lines >= options.batch_lines
            || batch.bytes >= options.batch_bytes
            || Instant::now() >= batch.due;
        let is_first = batch.lines == 1;
        state.filling = Some(batch);
        if is_complete {
            self.seal(state);
        } else if is_first {
            self.changed.notify_all();
        }
        added
    }

    /// From now on the batch takes no lines. It is sent when its turn comes.
    fn seal(&self, state: &mut State) {
        if let Some(mut batch) = state.filling.take() {
            if let Some(Err(error)) = batch.file.take().map(|file| file.sync_data()) {
                self.warn(&format!("a batch may not survive a power failure: {error}"));
            }
            state.sealed.push_back(Arc::new(batch));
            self.changed.notify_all();
        }
    }

    fn run(&self, mut sender: Sender) {
        self.lock().thread = Some(thread::current().id());
        while let Some(batch) = self.next() {
            self.deliver(&mut sender, &batch);
        }
    }

    /// Waits for a batch to send. None at the end.
    fn next(&self) -> Option<Arc<Batch>> {
        let mut state = self.lock();
        let is_idle = |state: &State| state.sealed.is_empty() && !state.is_closed;
        while is_idle(&state) {
            let Some(batch) = &state.filling else {
                state = self.wait_while(state, |state| is_idle(state) && state.filling.is_none());
                continue;
            };
            let left = batch.due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                self.seal(&mut state);
            } else {
                state = self.wait_timeout_while(state, left, |state| is_idle(state));
            }
        }
        (!state.is_ended && !state.is_refused)
            .then(|| state.sealed.front().cloned())
            .flatten()
    }

    /// Repeats a batch until it is answered or the uploader ends. The key of the batch makes that safe.
    fn deliver(&self, sender: &mut Sender, batch: &Batch) {
        for attempt in 0.. {
            if self.lock().is_ended {
                return;
            }
            let most = 30_000.min(500 << attempt.min(6));
            let mut pause = Duration::from_millis(random() % most);
            let tried = self.try_once(sender, batch);
            let mut state = self.lock();
            if state.is_ended {
                return;
            }
            match tried {
                Ok(Outcome::Done) => return,
                Ok(Outcome::Later(trouble, after)) => {
                    state.trouble = trouble;
                    pause = after.unwrap_or(pause);
                }
                Ok(Outcome::Refused(trouble)) => return self.refuse(&mut state, trouble),
                Ok(Outcome::Stuck(trouble)) => {
                    self.stick(&mut state, trouble);
                    pause = Duration::from_secs(30);
                }
                // Only this process may remove or cut a batch.
                Err(error) if is_missing(&error) => {
                    return self.refuse(&mut state, Trouble::new(error.to_string()));
                }
                Err(error) => state.trouble = Trouble::new(error.to_string()),
            }
            let goes_on = |state: &mut State| !state.is_ended;
            drop(self.wait_timeout_while(state, pause, goes_on));
        }
    }

    fn try_once(&self, sender: &mut Sender, batch: &Batch) -> io::Result<Outcome> {
        let body = batch.read()?;
        let answer = sender.post(&self.server, &batch.key, &body)?;
        let trouble = answer.trouble;
        if answer.is_about_lines {
            self.end(batch, &body, answer.errors);
            return Ok(Outcome::Done);
        }
        if answer.is_too_large && batch.lines > 1 {
            self.split(batch, &body, trouble.status)?;
            return Ok(Outcome::Done);
        }
        if trouble.status == 413 {
            self.end(batch, &body, vec![trouble.of_line()]);
            return Ok(Outcome::Done);
        }
        if let (409, true, Some(path)) = (trouble.status, answer.is_of_sluice, &batch.path) {
            let mut state = self.lock();
            if !state.is_ended {
                set_aside(path, &self.server.domain, &trouble.message)?;
                self.drop_oldest(&mut state);
            }
            return Ok(Outcome::Done);
        }
        Ok(if answer.is_temporary {
            Outcome::Later(trouble, answer.retry_after)
        } else if answer.is_of_sluice {
            Outcome::Refused(trouble)
        } else {
            Outcome::Stuck(trouble)
        })
    }

    /// The oldest batch is answered. After the end of the uploader, its file belongs to the next process.
    fn end(&self, batch: &Batch, body: &[u8], refused: Vec<Refusal>) {
        let mut state = self.lock();
        if state.is_ended {
            return;
        }
        // Whatever the callback does, the batch is not sent again.
        if let Err(error) = batch.remove() {
            self.warn(&format!(
                "a batch was stored and cannot be removed: {error}"
            ));
        }
        self.drop_oldest(&mut state);
        let entries = batch.lines.saturating_sub(refused.len());
        state.counts.stored += entries;
        state.counts.refused += batch.lines - entries;
        if entries > 0 {
            state.stored.push_back((batch.key.clone(), entries));
        }
        if state.stored.len() > VERIFIED_BATCHES {
            state.stored.pop_front();
        }
        state.is_telling = true;
        drop(state);
        self.tell(body, refused);
        self.lock().is_telling = false;
        self.changed.notify_all();
    }

    fn drop_oldest(&self, state: &mut State) {
        if let Some(batch) = state.sealed.pop_front() {
            state.answered += batch.lines;
            state.held -= batch.bytes;
        }
        state.is_stuck = false;
        self.changed.notify_all();
    }

    /// Replaces the oldest batch by its halves, as the server takes less at once. Later batches are smaller.
    fn split(&self, batch: &Batch, body: &[u8], status: u16) -> io::Result<()> {
        let mut state = self.lock();
        if state.is_ended {
            return Ok(());
        }
        let ends = body.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let at = ends.map(|(at, _)| at + 1).nth(batch.lines / 2 - 1);
        let (first, second) = body.split_at(at.unwrap_or(0));
        let halves = [batch.half('a', first)?, batch.half('b', second)?];
        // Until here, the next process takes the batch; from here, its halves.
        batch.remove()?;
        let options = &mut state.options;
        if status == 429 {
            options.batch_lines = options.batch_lines.min(halves[1].lines);
        } else {
            options.batch_bytes = options.batch_bytes.min(batch.bytes / 2);
        }
        state.sealed.pop_front();
        for half in halves.into_iter().rev() {
            state.sealed.push_front(Arc::new(half));
        }
        Ok(())
    }

    fn refuse(&self, state: &mut State, trouble: Trouble) {
        state.trouble = trouble;
        state.is_refused = true;
        self.changed.notify_all();
    }

    fn stick(&self, state: &mut State, trouble: Trouble) {
        if !state.is_stuck {
            let Trouble { name, message, .. } = &trouble;
            self.warn(&format!(
                "a batch is not stored, and is tried again every 30 s: {name}: {message}"
            ));
        }
        state.trouble = trouble;
        state.is_stuck = true;
        self.changed.notify_all();
    }

    fn tell(&self, body: &[u8], refused: Vec<Refusal>) {
        let Some(first) = refused.first() else { return };
        let on_refused = self.on_refused.lock();
        let mut on_refused = on_refused.unwrap_or_else(PoisonError::into_inner);
        let Some(on_refused) = &mut *on_refused else {
            let why = match first.details.first() {
                Some(Detail { path, message, .. }) => format!("{path} {message}"),
                None => first.message.clone(),
            };
            let line = first.line;
            return self.warn(&format!(
                "{} entries were refused; line {line}: {why}",
                refused.len()
            ));
        };
        self.lock().teller = Some(thread::current().id());
        let lines: Vec<&[u8]> = body.split(|byte| *byte == b'\n').collect();
        for mut refusal in refused {
            if let Some(line) = lines.get(refusal.line - 1) {
                refusal.entry = String::from_utf8_lossy(line).into_owned();
            }
            if let Err(fault) = call(|| on_refused(refusal)) {
                self.lock().fault.get_or_insert(fault);
            }
        }
        self.lock().teller = None;
    }
}

/// What became of a batch.
enum Outcome {
    /// It is answered, or its halves are in its place.
    Done,
    Later(Trouble, Option<Duration>),
    Refused(Trouble),
    Stuck(Trouble),
}

struct Server {
    domain: String,
    url: String,
    key: Option<HeaderValue>,
    gzip: bool,
    agent: ureq::Agent,
}

/// A domain as a segment of a path.
fn encoded(domain: &str) -> String {
    domain
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

type Request = ureq::RequestBuilder<ureq::typestate::WithBody>;

impl Server {
    fn new(options: &Options) -> Result<Server, Error> {
        let base = options.base_url.trim_end_matches('/');
        if !base.starts_with("http://") && !base.starts_with("https://") {
            return Err(Error::Options(format!(
                "base URL: {:?} does not begin with http:// or https://",
                options.base_url
            )));
        }
        let Some(domain) = options.domain.as_deref().or(DOMAIN) else {
            return wrong(
                "domain",
                "an application is needed, such as weather-station-k3v9q2",
            );
        };
        let url = format!("{base}/api/applications/{}/data", encoded(domain));
        let uri: Uri = url.parse().or_else(|error| wrong("base URL", error))?;
        let key = options.key.as_deref().map(HeaderValue::from_str);
        let mut agent = ureq::Agent::config_builder()
            .timeout_global(Some(REQUEST_TIMEOUT))
            .http_status_as_error(false)
            // A redirected POST may lose its body.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy_for(&uri)?);
        if let Some(ca) = &options.ca {
            let roots = roots_with(ca).or_else(|error| wrong("ca", error))?;
            agent = agent.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Server {
            domain: domain.to_string(),
            url,
            key: key.transpose().or_else(|error| wrong("key", error))?,
            gzip: options.gzip,
            agent: agent.build().into(),
        })
    }

    fn request(&self, path: &str, content_type: &str) -> Request {
        let url = format!("{}/{path}", self.url);
        let request = self.agent.post(url).header("Content-Type", content_type);
        match &self.key {
            Some(key) => request.header("X-Api-Key", key),
            None => request,
        }
    }
}

fn wrong<T>(option: &str, why: impl fmt::Display) -> Result<T, Error> {
    Err(Error::Options(format!("{option}: {why}")))
}

/// The proxy of the environment, which ureq would choose without a look at the scheme.
fn proxy_for(url: &Uri) -> Result<Option<ureq::Proxy>, Error> {
    let given = |name: &str| {
        let found = env::var(name).or_else(|_| env::var(name.to_lowercase()));
        found.ok().filter(|text| !text.is_empty())
    };
    let is_tls = url.scheme_str() == Some("https");
    let name = if is_tls { "HTTPS_PROXY" } else { "HTTP_PROXY" };
    let Some(proxy) = given(name) else {
        return Ok(None);
    };
    let host = url.host().unwrap_or_default().to_lowercase();
    let covers = |name: &str| {
        let name = name.trim().to_lowercase();
        let suffix = name.trim_start_matches('*').trim_start_matches('.');
        name == "*" || host == suffix || host.ends_with(&format!(".{suffix}"))
    };
    let direct = given("NO_PROXY").unwrap_or_default();
    if direct.split(',').any(covers) {
        return Ok(None);
    }
    let proxy = ureq::Proxy::new(&proxy).or_else(|error| wrong(name, error))?;
    Ok(Some(proxy))
}

/// The certificate authorities of Mozilla, and those of a file.
fn roots_with(ca: &Path) -> io::Result<RootCerts> {
    let of_mozilla = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
    let mut roots: Vec<_> = of_mozilla.map(|root| Certificate::from_der(root)).collect();
    let known = roots.len();
    for item in tls::parse_pem(&fs::read(ca)?) {
        if let PemItem::Certificate(root) = item.map_err(io::Error::other)? {
            roots.push(root);
        }
    }
    if roots.len() == known {
        let message = format!("{} has no certificate", ca.display());
        return Err(io::Error::other(message));
    }
    Ok(roots.into())
}

fn ask(request: Request, body: &[u8]) -> io::Result<(ureq::http::response::Parts, Vec<u8>)> {
    let response = request.send(body).map_err(io::Error::other)?;
    let (head, text) = response.into_parts();
    let text = text.into_with_config().limit(u64::MAX).read_to_vec();
    Ok((head, text.map_err(io::Error::other)?))
}

fn gzip(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(body)?;
    encoder.finish()
}

/// What the thread has for itself.
struct Sender {
    on_stale: Option<OnStale>,
    is_stale: bool,
}

impl Sender {
    fn post(&mut self, server: &Server, key: &str, body: &[u8]) -> io::Result<Answer> {
        let mut request = server
            .request("batch", "application/x-ndjson")
            .header("Idempotency-Key", key);
        if let Some(version) = SCHEMA_VERSION.filter(|_| Some(&*server.domain) == DOMAIN) {
            request = request.header("Sluice-Schema-Version", version.to_string());
        }
        let (head, text) = if server.gzip && body.len() >= LEAST_ZIPPED {
            ask(request.header("Content-Encoding", "gzip"), &gzip(body)?)?
        } else {
            ask(request, body)?
        };
        let header = |name: &str| head.headers.get(name)?.to_str().ok();
        if let Some(change) = header("Sluice-Schema-Change") {
            let version = header("Sluice-Schema-Version").and_then(|text| text.parse().ok());
            let stale = Stale {
                version: version.unwrap_or(0),
                change: change.to_string(),
            };
            self.tell_once(&server.domain, stale);
        }
        Ok(Answer::read(
            head.status.as_u16(),
            header("Retry-After"),
            &text,
        ))
    }

    fn tell_once(&mut self, domain: &str, stale: Stale) {
        if self.is_stale {
            return;
        }
        self.is_stale = true;
        let Stale { version, change } = &stale;
        match self.on_stale.take() {
            Some(on_stale) => drop(call(|| on_stale(stale))),
            None => warn(
                domain,
                &format!(
                    "the schema is now version {version}, {change} than version {} of this client: \
                     run sluice client update uploader.rs",
                    SCHEMA_VERSION.unwrap_or(0)
                ),
            ),
        }
    }
}

/// A panic in a callback must not lose a batch. Rust prints it.
fn call(callback: impl FnOnce()) -> Result<(), String> {
    let called = panic::catch_unwind(AssertUnwindSafe(callback));
    called.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied());
        format!("a callback panicked: {}", text.unwrap_or("no text"))
    })
}

fn warn(domain: &str, message: &str) {
    eprintln!("Sluice {domain}: {message}");
}

const REQUEST_TIMEOUT: Duration = Duration::new(60, 0);
const DAY: Duration = Duration::new(86_400, 0);
/// No server takes more as one entry.
const LARGEST_ENTRY: usize = 8 << 20;
/// Fewer bytes are not compressed.
const LEAST_ZIPPED: usize = 1 << 10;
/// The server answers for so many keys at once.
const VERIFIED_BATCHES: usize = 10_000;

/// Why entries are not stored. The status is 0 if there was no answer.
#[derive(Clone, Default)]
struct Trouble {
    status: u16,
    name: String,
    message: String,
}

impl Trouble {
    fn new(message: impl Into<String>) -> Trouble {
        Trouble {
            message: message.into(),
            ..Trouble::default()
        }
    }

    fn of_line(self) -> Refusal {
        Refusal {
            line: 1,
            name: self.name,
            message: self.message,
            ..Refusal::default()
        }
    }
}

struct Answer {
    trouble: Trouble,
    /// Each line was stored, or is in `errors`.
    is_about_lines: bool,
    errors: Vec<Refusal>,
    is_temporary: bool,
    /// No wait helps: fewer lines do.
    is_too_large: bool,
    is_of_sluice: bool,
    retry_after: Option<Duration>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AnswerBody {
    data: AnswerData,
    error: Option<AnswerError>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AnswerData {
    errors: Vec<Refusal>,
    missing: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AnswerError {
    name: String,
    message: String,
    details: Vec<Refusal>,
}

impl Answer {
    fn read(status: u16, after: Option<&str>, text: &[u8]) -> Answer {
        // A proxy may answer with something else than JSON.
        let body: AnswerBody = serde_json::from_slice(text).unwrap_or_default();
        let error = body.error.filter(|error| !error.name.is_empty());
        let is_of_sluice = error.is_some();
        let error = error.unwrap_or_else(|| AnswerError {
            name: "UnexpectedAnswer".to_string(),
            message: format!("the answer has status {status}"),
            details: Vec::new(),
        });
        let errors = match status {
            207 => body.data.errors,
            422 => error.details,
            _ => Vec::new(),
        };
        let have_lines = !errors.is_empty() && errors.iter().all(|error| error.line > 0);
        // Sluice says when to try again, unless that cannot help.
        let is_over_rate = status == 429 && after.is_none() && is_of_sluice;
        let seconds: Option<u64> = after.and_then(|text| text.parse().ok());
        Answer {
            trouble: Trouble {
                status,
                name: error.name,
                message: error.message,
            },
            is_about_lines: status == 201 || have_lines,
            errors,
            is_temporary: matches!(status, 207 | 408 | 429 | 500 | 502 | 503 | 504)
                && !is_over_rate,
            is_too_large: status == 413 || is_over_rate,
            is_of_sluice,
            retry_after: seconds.map(|seconds| Duration::from_secs(seconds).min(DAY)),
        }
    }
}

/// Lines in memory, or in a file of the spool.
struct Batch {
    key: String,
    due: Instant,
    lines: usize,
    bytes: usize,
    body: Vec<u8>,
    path: Option<PathBuf>,
    file: Option<File>,
}

impl Batch {
    fn begin(options: &Options) -> io::Result<Batch> {
        let key = new_key();
        let path = options.spool.as_deref().map(|folder| path_of(folder, &key));
        let file = path.as_deref().map(create).transpose()?;
        Ok(Batch {
            key,
            // An age without end has no sum.
            due: Instant::now() + options.batch_age.min(DAY),
            lines: 0,
            bytes: 0,
            body: Vec::new(),
            path,
            file,
        })
    }

    fn add(&mut self, line: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(line)?,
            None => self.body.extend_from_slice(line),
        }
        self.lines += 1;
        self.bytes += line.len();
        Ok(())
    }

    fn read(&self) -> io::Result<Cow<'_, [u8]>> {
        let Some(path) = &self.path else {
            return Ok((&self.body).into());
        };
        let mut body = fs::read(path)?;
        if body.len() < self.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        body.truncate(self.bytes);
        Ok(body.into())
    }

    /// Its key is that of the batch and a letter, so it sorts between the batch and the next one.
    fn half(&self, letter: char, body: &[u8]) -> io::Result<Batch> {
        let key = format!("{}{letter}", self.key);
        let mut half = Batch {
            path: self
                .path
                .as_deref()
                .map(|path| path.with_file_name(format!("{key}.ndjson"))),
            key,
            due: self.due,
            lines: count_lines(body),
            bytes: body.len(),
            body: Vec::new(),
            file: None,
        };
        if let Some(path) = &half.path {
            let mut file = create(path)?;
            file.set_len(0)?;
            file.write_all(body)?;
            file.sync_data()?;
        } else {
            half.body = body.to_vec();
        }
        Ok(half)
    }

    fn remove(&self) -> io::Result<()> {
        match self.path.as_ref().map(fs::remove_file) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn count_lines(body: &[u8]) -> usize {
    body.split(|byte| *byte == b'\n').count() - 1
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof
    )
}

fn path_of(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}.ndjson"))
}

/// Opens a file to append, for the user alone.
fn create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.append(true).create(true).open(path)
}

/// Keeps other processes out of the folder, as long as the file is open.
fn lock(folder: &Path) -> io::Result<File> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    let file = create(&folder.join("lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::Error(error)) => Err(error),
        Err(fs::TryLockError::WouldBlock) => Err(io::Error::other(format!(
            "another process or uploader uses the spool {}",
            folder.display()
        ))),
    }
}

/// The batches of an earlier process, the oldest first.
fn recover(folder: &Path, domain: &str) -> io::Result<VecDeque<Arc<Batch>>> {
    let mut keys = Vec::new();
    for file in fs::read_dir(folder)? {
        let name = file?.file_name().to_string_lossy().into_owned();
        let key = name.strip_suffix(".ndjson").filter(|key| is_key(key));
        keys.extend(key.map(str::to_string));
    }
    keys.sort();
    let mut found = VecDeque::new();
    let mut whole = None;
    for key in &keys {
        let path = path_of(folder, key);
        // The process died while it halved this batch, and had sent neither half.
        if whole.is_some_and(|whole: &String| key.starts_with(whole)) {
            fs::remove_file(&path)?;
            continue;
        }
        whole = Some(key);
        LAST_STAMP.fetch_max(key[..13].parse().unwrap_or(0), Ordering::Relaxed);
        let body = match fs::read(&path) {
            Ok(body) => body,
            Err(error) => {
                set_aside(&path, domain, error)?;
                continue;
            }
        };
        // A line without its end does not count: `send` did not return for it.
        let bytes = body.iter().rposition(|byte| *byte == b'\n');
        let batch = Batch {
            key: key.clone(),
            due: Instant::now(),
            lines: count_lines(&body),
            bytes: bytes.map_or(0, |at| at + 1),
            body: Vec::new(),
            path: Some(path),
            file: None,
        };
        if batch.lines > 0 {
            found.push_back(Arc::new(batch));
        } else {
            batch.remove()?;
        }
    }
    Ok(found)
}

/// Renames a file that cannot be read, or has other lines than the server has for its key.
fn set_aside(path: &Path, domain: &str, why: impl fmt::Display) -> io::Result<()> {
    let bad = path.with_extension("bad");
    fs::rename(path, &bad)?;
    let bad = bad.display();
    warn(
        domain,
        &format!("a batch cannot be sent, and is now {bad}: {why}"),
    );
    Ok(())
}

fn is_key(text: &str) -> bool {
    text.split_once('-').is_some_and(|(stamp, random)| {
        stamp.len() == 13
            && stamp.bytes().all(|byte| byte.is_ascii_digit())
            && random.len() >= 16
            && random.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

static LAST_STAMP: AtomicU64 = AtomicU64::new(0);

/// Keys sort in the order of their batches, even if the clock goes back.
fn new_key() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0));
    let next = |last: u64| now.max(last + 1);
    let last = LAST_STAMP.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
        Some(next(last))
    });
    let stamp = next(last.unwrap_or_default());
    format!("{stamp:013}-{:016x}", random())
}

/// `RandomState` has random keys.
fn random() -> u64 {
    RandomState::new().hash_one(0)
}
