// Package uploader sends entries to an application of Sluice: in batches, in order, each stored once,
// whatever fails on the way. With a spool, what was handed over survives a crash of the program.
package uploader

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	cryptorand "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// BEGIN SCHEMA

// Entry is the payload of an entry.
type Entry = map[string]any

const (
	// Domain is the application, unless the options name one: in this package they do.
	Domain = ""
	// SchemaVersion is the version of the schema that the types were made from: in this package there is none.
	SchemaVersion = 0
)

// END SCHEMA

// Options of an uploader. BaseURL is required, and Domain unless the file was made for an application.
type Options struct {
	// Where Sluice is, such as https://sluice.example.
	BaseURL string
	// The application, such as weather-station-k3v9q2.
	Domain string
	// An ingest key, if the application requires one.
	Key string
	// A folder, for one process at a time: what Send returned for survives a crash.
	Spool string
	// Called for each entry that can never be stored; otherwise a warning is logged. It must not wait for Send, Flush or Close.
	OnRefused func(Refusal)
	// Called once if this file is out of date; otherwise a warning is logged.
	OnStale func(Stale)
	// A batch is sent when it has so many lines (5,000) or bytes (4 MiB), or is so old (1 s).
	BatchLines int
	BatchBytes int
	BatchAge   time.Duration
	// Send waits while so many bytes (64 MiB) have no answer. The spool counts.
	HeldBytes int
	// By default, a batch of 1 KiB or more is compressed.
	DisableGzip bool
	// A PEM file with certificate authorities, besides those of the system.
	CA string
	// Sends the requests. By default, one that uses CA, and the proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name.
	Transport http.RoundTripper
}

// Refusal is an entry that was not stored, and why.
type Refusal struct {
	Entry json.RawMessage `json:"entry"`
	// Its line in the batch, from 1.
	Line    int             `json:"line"`
	Name    string          `json:"name"`
	Message string          `json:"message"`
	Details []RefusalDetail `json:"details"`
}

// RefusalDetail says what is wrong, and where: Path is a JSON Pointer.
type RefusalDetail struct {
	Path    string `json:"path"`
	Keyword string `json:"keyword"`
	Message string `json:"message"`
}

// Stale says that the server has another version of the schema than this file.
type Stale struct {
	Version int
	// "stricter" (the server may refuse entries that this file allows) or "looser".
	Change string
}

// NotStored is the error of Close if entries are left, and of all methods after the server has refused a whole batch,
// such as for a wrong key.
type NotStored struct {
	Entries int
	// They stay in the spool, and the next process sends them.
	InSpool bool
	// The last answer. The status is 0 if there was none.
	Status  int
	Name    string
	Message string
}

func (n *NotStored) Error() string {
	where, why := "", n.Message
	if n.InSpool {
		where = " and stay in the spool"
	}
	if n.Status != 0 {
		why = fmt.Sprintf("%d %s: %s", n.Status, n.Name, n.Message)
	}
	return fmt.Sprintf("%d entries are not stored%s: %s", n.Entries, where, why)
}

// ErrClosed is the error of Send after Close.
var ErrClosed = errors.New("the uploader is closed")

// OptionError is the error of New for an option that cannot be.
type OptionError struct {
	// As people write it, such as "base URL".
	Option string
	Reason string
}

func (e *OptionError) Error() string {
	return e.Option + ": " + e.Reason
}

// EntryError is the error of Send for an entry that JSON cannot write. The uploader does not keep it.
type EntryError struct {
	Reason string
	// The error of encoding/json, if there is one.
	Err error
}

func (e *EntryError) Error() string {
	return e.Reason
}

func (e *EntryError) Unwrap() error {
	return e.Err
}

// Counts of the entries of an uploader.
type Counts struct {
	// Those that the server stored.
	Stored int
	// Those that can never be stored.
	Refused int
	// Those without an answer, also of an earlier process that left them in the spool.
	Waiting int
}

// Uploader sends entries in batches, in order. Each is stored once, whatever fails on the way.
// Goroutines may share it. Close it before the program ends.
type Uploader struct {
	options Options
	url     string
	client  *http.Client
	spool   *spoolFolder
	// Ends the request under way.
	ctx       context.Context
	interrupt context.CancelFunc
	closing   sync.Mutex
	telling   sync.Mutex
	isStale   bool

	// Guards what follows.
	mutex sync.Mutex
	// Closed and replaced when something changes.
	changed chan struct{}
	filling *heldBatch
	// Batches without an answer, the oldest first.
	sealed []*heldBatch
	// Entries, and those of them that are stored or refused.
	taken    int
	answered int
	counts   Counts
	held     int
	isClosed bool
	isEnded  bool
	// Batches that the server said it stored, the oldest first.
	stored []storedBatch
	// How often OnRefused is being told of entries.
	tellers int
	// The server refuses batches as a whole: none is sent any more.
	isRefused bool
	// The answer for the oldest batch is not of Sluice.
	isStuck bool
	// Why the oldest batch is still here.
	trouble NotStored
	// The first panic in a callback, which Flush or Close tells once.
	fault error
}

// The entries of a batch that are stored.
type storedBatch struct {
	key     string
	entries int
}

// New starts an uploader. It sends what an earlier process left in the spool.
func New(options Options) (*Uploader, error) {
	base, err := baseOf(options.BaseURL)
	if err != nil {
		return nil, err
	}
	options.Domain = cmp.Or(options.Domain, Domain)
	if options.Domain == "" {
		return nil, &OptionError{"domain", "an application is needed, such as weather-station-k3v9q2"}
	}
	client, err := options.client()
	if err != nil {
		return nil, err
	}
	options.BatchLines = cmp.Or(options.BatchLines, 5_000)
	options.BatchBytes = cmp.Or(options.BatchBytes, 4<<20)
	options.BatchAge = cmp.Or(options.BatchAge, time.Second)
	options.HeldBytes = cmp.Or(options.HeldBytes, 64<<20)
	u := &Uploader{
		options: options,
		url:     base + "/api/applications/" + url.PathEscape(options.Domain) + "/data",
		client:  client,
		changed: make(chan struct{}),
		trouble: NotStored{Message: "the server has not answered"},
	}
	u.ctx, u.interrupt = context.WithCancel(context.Background())
	if options.Spool != "" {
		if u.spool, u.sealed, err = openSpool(options.Spool, u.warn); err != nil {
			return nil, err
		}
	}
	for _, batch := range u.sealed {
		u.held += batch.bytes
		u.taken += batch.lines
	}
	go u.run()
	return u, nil
}

func baseOf(text string) (string, error) {
	base, err := url.Parse(text)
	switch {
	case !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://"):
		return "", &OptionError{"base URL", strconv.Quote(text) + " does not begin with http:// or https://"}
	case err != nil || base.Host == "":
		return "", &OptionError{"base URL", strconv.Quote(text) + " names no host"}
	}
	return strings.TrimRight(text, "/"), nil
}

// Send hands over an entry. It waits while too much is held.
// It fails with an *EntryError for what JSON cannot write, such as NaN.
func (u *Uploader) Send(ctx context.Context, entry Entry) error {
	line, err := lineOf(entry)
	if err != nil {
		return err
	}
	u.mutex.Lock()
	defer u.mutex.Unlock()
	isTooLarge := len(line) > largestEntry
	hasRoom := func() bool { return isTooLarge || u.held < u.options.HeldBytes }
	err = u.wait(ctx, func() bool { return u.isClosed || u.isRefused || hasRoom() })
	switch {
	case err != nil:
		return err
	case u.isRefused:
		return u.notStored()
	case u.isClosed:
		return ErrClosed
	}
	if isTooLarge {
		u.counts.Refused++
		u.tellers++
		// A callback may have called Send, and must end first.
		go u.tell(line, tooLarge)
		return nil
	}
	return u.add(line)
}

// Flush waits until all that was handed over before is answered.
func (u *Uploader) Flush(ctx context.Context) error {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.seal()
	last := u.taken
	isAnswered := func() bool { return u.answered >= last && u.tellers == 0 }
	if err := u.wait(ctx, func() bool { return isAnswered() || u.isRefused || u.isEnded }); err != nil {
		return err
	}
	return u.outcome(last)
}

// Counts tells what became of the entries so far.
func (u *Uploader) Counts() Counts {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	counts := u.counts
	counts.Waiting = u.taken - u.answered
	return counts
}

// Verify asks whether the server still has the entries that it told this uploader were stored, in the last 10,000 batches.
// It returns how many are missing: 0 if all are there. The server answers only if the uploader has a Key.
func (u *Uploader) Verify(ctx context.Context) (int, error) {
	entries := map[string]int{}
	keys := []string{}
	u.mutex.Lock()
	for _, batch := range u.stored {
		entries[batch.key] = batch.entries
		keys = append(keys, batch.key)
	}
	u.mutex.Unlock()
	if len(keys) == 0 {
		return 0, nil
	}
	question, err := json.Marshal(map[string][]string{"keys": keys})
	if err != nil {
		return 0, err
	}
	request, err := u.newRequest(ctx, "/missing", "application/json", question)
	if err != nil {
		return 0, err
	}
	response, text, err := u.ask(request)
	if err != nil {
		return 0, err
	}
	if response.StatusCode != http.StatusOK {
		answer := readAnswer(response, text)
		return 0, fmt.Errorf("%d %s: %s", answer.status, answer.name, answer.message)
	}
	var answer struct {
		Data struct {
			Missing []string `json:"missing"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return 0, err
	}
	missing := 0
	for _, key := range answer.Data.Missing {
		missing += entries[key]
	}
	return missing, nil
}

// Close sends what is left, and ends. It waits until ctx is done, or for 30 s if ctx has no deadline.
// Then it fails with the number of entries that are not stored.
func (u *Uploader) Close(ctx context.Context) error {
	u.closing.Lock()
	defer u.closing.Unlock()
	if _, hasDeadline := ctx.Deadline(); !hasDeadline {
		limited, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		ctx = limited
	}
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.isEnded {
		return u.outcome(u.taken)
	}
	u.isClosed = true
	u.seal()
	u.notify()
	isAnswered := func() bool { return len(u.sealed) == 0 && u.tellers == 0 }
	// The entries that are left say how it ended.
	_ = u.wait(ctx, func() bool { return isAnswered() || u.isRefused || u.isStuck })
	u.isEnded = true
	u.notify()
	u.interrupt()
	if u.spool != nil {
		u.spool.close()
	}
	return u.outcome(u.taken)
}

// What Flush or Close returns.
func (u *Uploader) outcome(taken int) error {
	fault := u.fault
	u.fault = nil
	if u.answered < taken {
		return errors.Join(u.notStored(), fault)
	}
	return fault
}

func (u *Uploader) notStored() error {
	reason := u.trouble
	reason.Entries = u.taken - u.answered
	reason.InSpool = u.spool != nil
	return &reason
}

// Waits without the mutex until something is so.
func (u *Uploader) wait(ctx context.Context, isSo func() bool) error {
	for !isSo() {
		changed := u.changed
		u.mutex.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		u.mutex.Lock()
		if ctx.Err() != nil && !isSo() {
			return ctx.Err()
		}
	}
	return nil
}

func (u *Uploader) notify() {
	close(u.changed)
	u.changed = make(chan struct{})
}

func (u *Uploader) add(line []byte) error {
	if u.filling != nil && u.filling.bytes+len(line) > u.options.BatchBytes {
		u.seal()
	}
	batch := u.filling
	if batch == nil {
		batch = &heldBatch{key: newKey(), spool: u.spool, due: time.Now().Add(u.options.BatchAge)}
	}
	if err := batch.add(line); err != nil {
		// Half of the line may be in the file, so nothing follows it there.
		if batch.lines == 0 {
			return errors.Join(err, batch.seal(), batch.remove())
		}
		u.seal()
		return err
	}
	if u.filling == nil {
		u.filling = batch
		u.notify()
	}
	u.held += len(line)
	u.taken++
	if batch.lines >= u.options.BatchLines || batch.bytes >= u.options.BatchBytes || !time.Now().Before(batch.due) {
		u.seal()
	}
	return nil
}

// From now on the batch takes no lines. It is sent when its turn comes.
func (u *Uploader) seal() {
	batch := u.filling
	if batch == nil {
		return
	}
	u.filling = nil
	if err := batch.seal(); err != nil {
		u.warn("a batch may not survive a power failure: %v", err)
	}
	u.sealed = append(u.sealed, batch)
	u.notify()
}

func (u *Uploader) run() {
	for batch := u.next(); batch != nil; batch = u.next() {
		u.deliver(batch)
	}
}

// Waits for a batch to send. None at the end.
func (u *Uploader) next() *heldBatch {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	for len(u.sealed) == 0 && !u.isClosed {
		if u.filling == nil {
			_ = u.wait(u.ctx, func() bool { return u.filling != nil || len(u.sealed) > 0 || u.isClosed })
			continue
		}
		batch := u.filling
		due, cancel := context.WithDeadline(u.ctx, batch.due)
		if u.wait(due, func() bool { return u.filling != batch }) != nil {
			u.seal()
		}
		cancel()
	}
	if len(u.sealed) == 0 || u.isEnded || u.isRefused {
		return nil
	}
	return u.sealed[0]
}

// Repeats a batch until it is answered or the uploader ends. The key of the batch makes that safe.
func (u *Uploader) deliver(batch *heldBatch) {
	for attempt := 0; u.ctx.Err() == nil; attempt++ {
		most := min(30*time.Second, 500*time.Millisecond<<min(attempt, 6))
		pause := time.Duration(rand.Int63n(int64(most)))
		body, err := batch.read()
		// Only this process may remove or cut a batch.
		isRefused := errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.ErrUnexpectedEOF)
		isStuck := false
		var answer serverAnswer
		if err == nil {
			answer, err = u.post(batch.key, body)
		}
		if answer.isTooLarge && batch.lines > 1 {
			if err = u.split(batch, body, answer.status); err == nil {
				return
			}
		}
		if answer.status == http.StatusConflict && answer.isOfSluice && u.spool != nil {
			if err = u.setAside(batch, answer.message); err == nil {
				return
			}
		}
		trouble := NotStored{Status: answer.status, Name: answer.name, Message: answer.message}
		switch {
		case err != nil:
			trouble = NotStored{Message: err.Error()}
		case answer.isAboutLines:
			u.end(batch, body, answer.refused)
			return
		case answer.status == http.StatusRequestEntityTooLarge:
			u.end(batch, body, answer.ofLine())
			return
		case answer.isTemporary:
			if answer.retryAfter != nil {
				pause = *answer.retryAfter
			}
		case answer.isOfSluice:
			isRefused = true
		default:
			pause = 30 * time.Second
			isStuck = true
		}
		u.mutex.Lock()
		if !u.isEnded {
			u.trouble = trouble
		}
		if isStuck && !u.isStuck {
			u.warn("a batch is not stored, and is tried again every 30 s: %s: %s", trouble.Name, trouble.Message)
		}
		u.isStuck = u.isStuck || isStuck
		u.isRefused = isRefused
		u.notify()
		u.mutex.Unlock()
		if isRefused {
			return
		}
		select {
		case <-time.After(pause):
		case <-u.ctx.Done():
		}
	}
}

// The oldest batch is answered. After the end of the uploader, its file belongs to the next process.
func (u *Uploader) end(batch *heldBatch, body []byte, refused []Refusal) {
	u.mutex.Lock()
	if u.isEnded {
		u.mutex.Unlock()
		return
	}
	// Whatever the callback does, the batch is not sent again.
	if err := batch.remove(); err != nil {
		u.warn("a batch was stored and cannot be removed: %v", err)
	}
	u.drop(batch)
	u.counts.Stored += batch.lines - len(refused)
	u.counts.Refused += len(refused)
	u.remember(batch.key, batch.lines-len(refused))
	u.tellers++
	u.mutex.Unlock()
	u.tell(body, refused)
}

func (u *Uploader) remember(key string, entries int) {
	if entries > 0 {
		u.stored = append(u.stored, storedBatch{key, entries})
	}
	if len(u.stored) > verifiedBatches {
		u.stored = u.stored[1:]
	}
}

func (u *Uploader) setAside(batch *heldBatch, why string) error {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.isEnded {
		return nil
	}
	if err := u.spool.setAside(batch, why); err != nil {
		return err
	}
	u.drop(batch)
	return nil
}

func (u *Uploader) drop(batch *heldBatch) {
	u.sealed = u.sealed[1:]
	u.answered += batch.lines
	u.held -= batch.bytes
	u.isStuck = false
	u.notify()
}

// Replaces the oldest batch by its halves, as the server takes less at once. Later batches are smaller.
func (u *Uploader) split(batch *heldBatch, body []byte, status int) error {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.isEnded {
		return nil
	}
	at, lines := 0, batch.lines/2
	for range lines {
		at += bytes.IndexByte(body[at:], '\n') + 1
	}
	first, second := batch.half("a", lines, at), batch.half("b", batch.lines-lines, len(body)-at)
	if err := errors.Join(first.write(body[:at]), first.seal(), second.write(body[at:]), second.seal()); err != nil {
		return err
	}
	// Until here, the next process takes the batch; from here, its halves.
	if err := batch.remove(); err != nil {
		return err
	}
	u.sealed = append([]*heldBatch{first, second}, u.sealed[1:]...)
	if status == http.StatusTooManyRequests {
		u.options.BatchLines = min(u.options.BatchLines, second.lines)
	} else {
		u.options.BatchBytes = min(u.options.BatchBytes, batch.bytes/2)
	}
	return nil
}

func (o *Options) client() (*http.Client, error) {
	client := &http.Client{
		Transport: o.Transport,
		Timeout:   time.Minute,
		// A redirected POST may lose its body.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if o.CA == "" {
		return client, nil
	}
	if o.Transport != nil {
		return nil, &OptionError{"CA", "a Transport of your own has its own authorities"}
	}
	authorities, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(o.CA)
	if err != nil {
		return nil, &OptionError{"CA", err.Error()}
	}
	if !authorities.AppendCertsFromPEM(text) {
		return nil, &OptionError{"CA", o.CA + " has no certificate"}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: authorities}
	client.Transport = transport
	return client, nil
}

func (u *Uploader) newRequest(ctx context.Context, path, contentType string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	if u.options.Key != "" {
		request.Header.Set("X-Api-Key", u.options.Key)
	}
	return request, nil
}

func (u *Uploader) ask(request *http.Request) (*http.Response, []byte, error) {
	response, err := u.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, text, err
}

func (u *Uploader) post(key string, body []byte) (serverAnswer, error) {
	isCompressed := !u.options.DisableGzip && len(body) >= 1024
	if isCompressed {
		body = compress(body)
	}
	request, err := u.newRequest(u.ctx, "/batch", "application/x-ndjson", body)
	if err != nil {
		return serverAnswer{}, err
	}
	request.Header.Set("Idempotency-Key", key)
	if isCompressed {
		request.Header.Set("Content-Encoding", "gzip")
	}
	if SchemaVersion > 0 && u.options.Domain == Domain {
		request.Header.Set("Sluice-Schema-Version", strconv.Itoa(SchemaVersion))
	}
	response, text, err := u.ask(request)
	if err != nil {
		return serverAnswer{}, err
	}
	u.checkVersion(response.Header)
	return readAnswer(response, text), nil
}

func compress(body []byte) []byte {
	var small bytes.Buffer
	// Neither fails: the level is one, and a buffer takes all.
	writer, _ := gzip.NewWriterLevel(&small, gzip.BestSpeed)
	_, _ = writer.Write(body)
	_ = writer.Close()
	return small.Bytes()
}

// Flush and Close wait for it.
func (u *Uploader) tell(body []byte, refused []Refusal) {
	u.telling.Lock()
	if len(refused) > 0 {
		u.tellEach(body, refused)
	}
	u.telling.Unlock()
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.tellers--
	u.notify()
}

func (u *Uploader) tellEach(body []byte, refused []Refusal) {
	if u.options.OnRefused == nil {
		first := refused[0]
		why := first.Message
		if len(first.Details) > 0 {
			why = first.Details[0].Path + " " + first.Details[0].Message
		}
		u.warn("%d entries were refused; line %d: %s", len(refused), first.Line, why)
		return
	}
	lines := bytes.Split(body, []byte("\n"))
	for _, refusal := range refused {
		if refusal.Line <= len(lines) {
			refusal.Entry = lines[refusal.Line-1]
		}
		if !json.Valid(refusal.Entry) {
			refusal.Entry, _ = json.Marshal(string(refusal.Entry))
		}
		u.safely(func() { u.options.OnRefused(refusal) })
	}
}

func (u *Uploader) checkVersion(header http.Header) {
	change := header.Get("Sluice-Schema-Change")
	if change == "" || u.isStale {
		return
	}
	u.isStale = true
	version, _ := strconv.Atoi(header.Get("Sluice-Schema-Version"))
	if u.options.OnStale != nil {
		u.safely(func() { u.options.OnStale(Stale{version, change}) })
		return
	}
	u.warn("the schema is now version %d, %s than version %d of this client: run sluice client update uploader.go",
		version, change, SchemaVersion)
}

// A panic in a callback must not lose a batch. Flush or Close tells of the first.
func (u *Uploader) safely(callback func()) {
	defer func() {
		if reason := recover(); reason != nil {
			u.mutex.Lock()
			defer u.mutex.Unlock()
			if u.fault == nil {
				u.fault = fmt.Errorf("a callback panicked: %v\n%s", reason, debug.Stack())
			}
		}
	}()
	callback()
}

func (u *Uploader) warn(format string, values ...any) {
	slog.Warn("Sluice: "+fmt.Sprintf(format, values...), "application", u.options.Domain)
}

type serverAnswer struct {
	status  int
	name    string
	message string
	// Each line was stored, or is in refused.
	isAboutLines bool
	refused      []Refusal
	isTemporary  bool
	// No wait helps: fewer lines do.
	isTooLarge bool
	isOfSluice bool
	retryAfter *time.Duration
}

func readAnswer(response *http.Response, text []byte) serverAnswer {
	var body struct {
		Data struct {
			Errors []Refusal `json:"errors"`
		} `json:"data"`
		Error struct {
			Name    string    `json:"name"`
			Message string    `json:"message"`
			Details []Refusal `json:"details"`
		} `json:"error"`
	}
	status := response.StatusCode
	// A proxy may answer with something else than JSON.
	isOfSluice := json.Unmarshal(text, &body) == nil && body.Error.Name != ""
	if !isOfSluice {
		body.Error.Name = "UnexpectedAnswer"
		body.Error.Message = fmt.Sprintf("the answer has status %d", status)
	}
	answer := serverAnswer{status: status, name: body.Error.Name, message: body.Error.Message, isOfSluice: isOfSluice}
	after := response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(after, 10, 64); err == nil {
		pause := time.Duration(min(seconds, 86_400)) * time.Second
		answer.retryAfter = &pause
	}
	switch status {
	case 201:
		answer.isAboutLines = true
	case 207:
		answer.refused = body.Data.Errors
		answer.isAboutLines = haveLines(answer.refused)
		answer.isTemporary = !answer.isAboutLines
	case 422:
		answer.refused = body.Error.Details
		answer.isAboutLines = haveLines(answer.refused)
	case 408, 500, 502, 503, 504:
		answer.isTemporary = true
	case 413:
		answer.isTooLarge = true
	case 429:
		// Sluice says when to try again, unless that cannot help.
		answer.isTooLarge = after == "" && isOfSluice
		answer.isTemporary = !answer.isTooLarge
	}
	return answer
}

func haveLines(refused []Refusal) bool {
	for _, refusal := range refused {
		if refusal.Line < 1 {
			return false
		}
	}
	return len(refused) > 0
}

func (answer serverAnswer) ofLine() []Refusal {
	return []Refusal{{Line: 1, Name: answer.name, Message: answer.message, Details: []RefusalDetail{}}}
}

// No server takes more as one entry.
const largestEntry = 8 << 20

// The server answers for so many keys at once.
const verifiedBatches = 10_000

var tooLarge = serverAnswer{name: "PayloadTooLargeError", message: "the entry has more than 8 MiB"}.ofLine()

// The entry as a line of a batch.
func lineOf(entry Entry) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(entry)
	var unsupported *json.UnsupportedValueError
	switch {
	case errors.As(err, &unsupported) && unsupported.Value.CanFloat():
		return nil, &EntryError{"an entry cannot hold NaN or Infinity", err}
	case err == nil && bytes.Contains(line.Bytes(), []byte(`\ufffd`)) && !isUTF8(reflect.ValueOf(entry)):
		// The encoder writes this instead of what is not UTF-8.
		err = errors.New("a text is not UTF-8")
	case err == nil && line.Bytes()[0] != '{':
		return nil, &EntryError{Reason: "an entry is a JSON object, not null"}
	}
	if err != nil {
		return nil, &EntryError{"an entry that JSON cannot write: " + err.Error(), err}
	}
	return line.Bytes(), nil
}

func isUTF8(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String:
		return utf8.ValidString(value.String())
	case reflect.Interface, reflect.Pointer:
		return isUTF8(value.Elem())
	case reflect.Struct:
		for at := range value.NumField() {
			if !isUTF8(value.Field(at)) {
				return false
			}
		}
	case reflect.Array, reflect.Slice:
		for at := range value.Len() {
			if !isUTF8(value.Index(at)) {
				return false
			}
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			if !isUTF8(key) || !isUTF8(value.MapIndex(key)) {
				return false
			}
		}
	}
	return true
}

// Lines in memory, or in a file of the spool.
type heldBatch struct {
	key   string
	due   time.Time
	lines int
	bytes int
	body  []byte
	spool *spoolFolder
	file  *os.File
}

func (b *heldBatch) add(line []byte) error {
	if err := b.write(line); err != nil {
		return err
	}
	b.lines++
	b.bytes += len(line)
	return nil
}

func (b *heldBatch) write(text []byte) (err error) {
	if b.spool == nil {
		b.body = append(b.body, text...)
		return nil
	}
	if b.file == nil {
		b.file, err = os.OpenFile(b.path(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	if err == nil {
		_, err = b.file.Write(text)
	}
	return err
}

func (b *heldBatch) seal() error {
	if b.file == nil {
		return nil
	}
	return errors.Join(b.file.Sync(), b.file.Close())
}

// Its key is that of the batch and a letter, so it sorts between the batch and the next one.
func (b *heldBatch) half(letter string, lines, bytes int) *heldBatch {
	return &heldBatch{key: b.key + letter, spool: b.spool, lines: lines, bytes: bytes}
}

func (b *heldBatch) read() ([]byte, error) {
	if b.spool == nil {
		return b.body, nil
	}
	body, err := os.ReadFile(b.path())
	if err == nil && len(body) < b.bytes {
		err = fmt.Errorf("%s: %w", b.path(), io.ErrUnexpectedEOF)
	}
	return body[:min(b.bytes, len(body))], err
}

func (b *heldBatch) remove() error {
	if b.spool == nil {
		return nil
	}
	if err := os.Remove(b.path()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Counts the lines. One without its end does not count: Send did not return for it.
func (b *heldBatch) recover() error {
	body, err := os.ReadFile(b.path())
	if err != nil {
		return err
	}
	b.lines = bytes.Count(body, []byte("\n"))
	b.bytes = bytes.LastIndexByte(body, '\n') + 1
	if b.lines == 0 {
		return b.remove()
	}
	return nil
}

func (b *heldBatch) path() string {
	return filepath.Join(b.spool.folder, b.key+".ndjson")
}

// A folder with a file for each batch.
type spoolFolder struct {
	folder string
	lock   *os.File
	warn   func(format string, values ...any)
}

var batchFile = regexp.MustCompile(`^\d{13}-[0-9a-f]{16}[ab]*\.ndjson$`)

func openSpool(folder string, warn func(string, ...any)) (*spoolFolder, []*heldBatch, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, err
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	spool := &spoolFolder{folder, lock, warn}
	if err := lockFile(lock.Fd()); err != nil {
		lock.Close()
		return nil, nil, fmt.Errorf("another process or uploader uses the spool %s", folder)
	}
	found, err := spool.recover()
	if err != nil {
		lock.Close()
		return nil, nil, err
	}
	return spool, found, nil
}

// The batches of an earlier process, the oldest first.
func (s *spoolFolder) recover() (found []*heldBatch, err error) {
	files, err := os.ReadDir(s.folder)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, file := range files {
		if batchFile.MatchString(file.Name()) {
			keys = append(keys, strings.TrimSuffix(file.Name(), ".ndjson"))
		}
	}
	slices.Sort(keys)
	// No key has it.
	whole := " "
	for _, key := range keys {
		batch := &heldBatch{key: key, spool: s}
		// The process died while it halved this batch, and had sent neither half.
		if strings.HasPrefix(key, whole) {
			if err := batch.remove(); err != nil {
				return nil, err
			}
			continue
		}
		whole = key
		stamp, _ := strconv.ParseInt(key[:13], 10, 64)
		stamps.keep(stamp)
		if err := batch.recover(); err != nil {
			if err := s.setAside(batch, err.Error()); err != nil {
				return nil, err
			}
		} else if batch.lines > 0 {
			found = append(found, batch)
		}
	}
	return found, nil
}

// Renames a file that cannot be read, or has other lines than the server has for its key.
func (s *spoolFolder) setAside(batch *heldBatch, why string) error {
	bad := filepath.Join(s.folder, batch.key+".bad")
	if err := os.Rename(batch.path(), bad); err != nil {
		return err
	}
	s.warn("a batch cannot be sent, and is now %s: %s", bad, why)
	return nil
}

func (s *spoolFolder) close() {
	s.lock.Close()
}

type stampClock struct {
	mutex sync.Mutex
	last  int64
}

var stamps stampClock

func (c *stampClock) keep(stamp int64) int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.last = max(stamp, c.last+1)
	return c.last
}

// Keys sort in the order of their batches, even if the clock goes back.
func newKey() string {
	random := make([]byte, 8)
	_, _ = cryptorand.Read(random)
	return fmt.Sprintf("%013d-%s", stamps.keep(time.Now().UnixMilli()), hex.EncodeToString(random))
}
