package uploader

import (
	"bytes"
	"context"
	cryptorand "crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// BEGIN SCHEMA

// Entry is the payload of an entry.
type Entry struct {
	N    int64  `json:"n"`
	Text string `json:"text"`
}

const (
	DOMAIN         = "sample-k3v9q2"
	SCHEMA_VERSION = 1
)

// END SCHEMA

// Options of an uploader. Only BaseURL is required.
type Options struct {
	// Where Sluice is, such as https://sluice.example.
	BaseURL string
	// An ingest key, if the application requires one.
	Key string
	// A folder, for one process at a time: what Send returned for survives a crash.
	Spool string
	// Called for each entry that the server refuses; otherwise a warning is logged. It must not wait for Send, Flush or Close.
	OnRefused func(Refusal)
	// Called once if this file is out of date; otherwise a warning is logged.
	OnStale func(Stale)
	// A batch is sent when it has so many lines (5,000) or bytes (4 MiB), or is so old (1 s).
	BatchLines int
	BatchBytes int
	BatchAge   time.Duration
	// Send waits while so many bytes (64 MiB) have no answer. The spool counts.
	HeldBytes int
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

// Uploader sends entries in batches, in order. Each is stored once, whatever fails on the way.
// Goroutines may share it. Close it before the program ends.
type Uploader struct {
	options Options
	url     string
	spool   *spoolFolder
	// Ends the request under way.
	ctx       context.Context
	interrupt context.CancelFunc
	closing   sync.Mutex
	isStale   bool

	// Guards what follows.
	mutex sync.Mutex
	// Closed and replaced when something changes.
	changed chan struct{}
	filling *heldBatch
	// Batches without an answer, the oldest first.
	sealed   []*heldBatch
	answered int
	held     int
	isClosed bool
	isEnded  bool
	// The oldest batch is refused as a whole, and stays: the spool has it, or the answer is not of Sluice.
	isStuck bool
	// Why the oldest batch is still here.
	trouble string
}

// New starts an uploader. It sends what an earlier process left in the spool.
func New(options Options) (*Uploader, error) {
	base, err := url.Parse(options.BaseURL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, errors.New("BaseURL is an address such as https://sluice.example")
	}
	orElse(&options.BatchLines, 5_000)
	orElse(&options.BatchBytes, 4<<20)
	orElse(&options.BatchAge, time.Second)
	orElse(&options.HeldBytes, 64<<20)
	u := &Uploader{
		options: options,
		url:     strings.TrimRight(options.BaseURL, "/") + "/api/applications/" + DOMAIN + "/data/batch",
		changed: make(chan struct{}),
		trouble: "the server has not answered",
	}
	u.ctx, u.interrupt = context.WithCancel(context.Background())
	if options.Spool != "" {
		if u.spool, u.sealed, err = openSpool(options.Spool); err != nil {
			return nil, err
		}
	}
	for _, batch := range u.sealed {
		u.held += batch.bytes
	}
	go u.run()
	return u, nil
}

// Send hands over an entry. It waits while too much is held.
func (u *Uploader) Send(ctx context.Context, entry Entry) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(entry); err != nil {
		return err
	}
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if err := u.wait(ctx, func() bool { return u.isClosed || u.held < u.options.HeldBytes }); err != nil {
		return err
	}
	if u.isClosed {
		return errors.New("the uploader is closed")
	}
	return u.add(line.Bytes())
}

// Flush waits until all that was handed over before is answered.
func (u *Uploader) Flush(ctx context.Context) error {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.seal()
	last := u.answered + len(u.sealed)
	return u.wait(ctx, func() bool { return u.answered >= last || u.isEnded })
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
		return nil
	}
	u.isClosed = true
	u.seal()
	u.notify()
	// The entries that are left say how it ended.
	_ = u.wait(ctx, func() bool { return len(u.sealed) == 0 || u.isStuck })
	u.isEnded = true
	u.notify()
	u.interrupt()
	left := 0
	for _, batch := range u.sealed {
		left += batch.lines
	}
	where := ""
	if u.spool != nil {
		u.spool.close()
		where = " and stay in the spool"
	}
	if left > 0 {
		return fmt.Errorf("%d entries are not stored%s: %s", left, where, u.trouble)
	}
	return nil
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
		warn("a batch may not survive a power failure: %v", err)
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
	if len(u.sealed) == 0 || u.isEnded {
		return nil
	}
	return u.sealed[0]
}

// Repeats a batch until it is answered or the uploader ends. The key of the batch makes that safe.
func (u *Uploader) deliver(batch *heldBatch) {
	for attempt := 0; u.ctx.Err() == nil; attempt++ {
		most := min(30*time.Second, 500*time.Millisecond<<min(attempt, 6))
		pause := time.Duration(rand.Int63n(int64(most)))
		body, answer, err := u.post(batch)
		trouble := ""
		isStuck := false
		switch {
		case err != nil:
			trouble = err.Error()
		case answer.isAboutLines:
			u.tell(body, answer.refused)
			u.end(batch)
			return
		case answer.isTemporary:
			trouble = answer.name + ": " + answer.message
			if answer.retryAfter != nil {
				pause = *answer.retryAfter
			}
		case u.spool == nil && answer.isOfSluice:
			u.tell(body, answer.ofEachLine(batch.lines))
			u.end(batch)
			return
		default:
			trouble = answer.name + ": " + answer.message
			pause = 30 * time.Second
			isStuck = true
		}
		u.mutex.Lock()
		if !u.isEnded {
			u.trouble = trouble
		}
		if isStuck && !u.isStuck {
			u.isStuck = true
			u.notify()
			warn("a batch is not stored, and is tried again every 30 s: %s", trouble)
		}
		u.mutex.Unlock()
		select {
		case <-time.After(pause):
		case <-u.ctx.Done():
		}
	}
}

// The batch is answered. After the end of the uploader, its file belongs to the next process.
func (u *Uploader) end(batch *heldBatch) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.isEnded {
		return
	}
	if err := batch.remove(); err != nil {
		warn("a batch was stored and cannot be removed: %v", err)
	}
	u.sealed = u.sealed[1:]
	u.answered++
	u.held -= batch.bytes
	u.isStuck = false
	u.notify()
}

var httpClient = &http.Client{
	Timeout: time.Minute,
	// A redirected POST may lose its body.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (u *Uploader) post(batch *heldBatch) (body []byte, answer serverAnswer, err error) {
	if body, err = batch.read(); err != nil {
		return
	}
	request, err := http.NewRequestWithContext(u.ctx, http.MethodPost, u.url, bytes.NewReader(body))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Idempotency-Key", batch.key)
	request.Header.Set("Sluice-Schema-Version", strconv.Itoa(SCHEMA_VERSION))
	if u.options.Key != "" {
		request.Header.Set("X-Api-Key", u.options.Key)
	}
	response, err := httpClient.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return
	}
	u.checkVersion(response.Header)
	return body, readAnswer(response, text), nil
}

func (u *Uploader) tell(body []byte, refused []Refusal) {
	if len(refused) == 0 {
		return
	}
	if u.options.OnRefused == nil {
		first := refused[0]
		why := first.Message
		if len(first.Details) > 0 {
			why = first.Details[0].Path + " " + first.Details[0].Message
		}
		warn("%d entries were refused; line %d: %s", len(refused), first.Line, why)
		return
	}
	lines := bytes.Split(body, []byte("\n"))
	for _, refusal := range refused {
		if refusal.Line <= len(lines) {
			refusal.Entry = lines[refusal.Line-1]
		}
		safely(func() { u.options.OnRefused(refusal) })
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
		safely(func() { u.options.OnStale(Stale{version, change}) })
		return
	}
	warn("the schema is now version %d, %s than version %d of this client: run sluice client go --app %s",
		version, change, SCHEMA_VERSION, DOMAIN)
}

// A panic in a callback must not lose a batch.
func safely(callback func()) {
	defer func() {
		if reason := recover(); reason != nil {
			warn("a callback panicked: %v\n%s", reason, debug.Stack())
		}
	}()
	callback()
}

func warn(format string, values ...any) {
	log.Printf("Sluice "+DOMAIN+": "+format, values...)
}

type serverAnswer struct {
	name    string
	message string
	// Each line was stored, or is in refused.
	isAboutLines bool
	refused      []Refusal
	isTemporary  bool
	isOfSluice   bool
	retryAfter   *time.Duration
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
	answer := serverAnswer{name: body.Error.Name, message: body.Error.Message, isOfSluice: isOfSluice}
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
	case 429:
		answer.isTemporary = after != ""
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

func (answer serverAnswer) ofEachLine(lines int) []Refusal {
	refused := make([]Refusal, lines)
	for at := range refused {
		refused[at] = Refusal{Line: at + 1, Name: answer.name, Message: answer.message}
	}
	return refused
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

func (b *heldBatch) add(line []byte) (err error) {
	if b.spool == nil {
		b.body = append(b.body, line...)
	} else if err = b.write(line); err != nil {
		return err
	}
	b.lines++
	b.bytes += len(line)
	return nil
}

func (b *heldBatch) write(line []byte) (err error) {
	if b.file == nil {
		b.file, err = os.OpenFile(b.path(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	if err == nil {
		_, err = b.file.Write(line)
	}
	return err
}

func (b *heldBatch) seal() error {
	if b.file == nil {
		return nil
	}
	return errors.Join(b.file.Sync(), b.file.Close())
}

func (b *heldBatch) read() ([]byte, error) {
	if b.spool == nil {
		return b.body, nil
	}
	body, err := os.ReadFile(b.path())
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

// Cuts off a line without its end: Send did not return for it.
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
	return os.Truncate(b.path(), int64(b.bytes))
}

func (b *heldBatch) path() string {
	return filepath.Join(b.spool.folder, b.key+".ndjson")
}

// A folder with a file for each batch.
type spoolFolder struct {
	folder string
	lock   *os.File
}

var batchFile = regexp.MustCompile(`^\d{13}-[0-9a-f]{16}\.ndjson$`)

func openSpool(folder string) (*spoolFolder, []*heldBatch, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, err
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	spool := &spoolFolder{folder, lock}
	// Windows has no Flock: there, remove this line, and run one process with a folder.
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		lock.Close()
		return nil, nil, fmt.Errorf("another process uses the spool %s", folder)
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
	for _, file := range files {
		if !batchFile.MatchString(file.Name()) {
			continue
		}
		batch := &heldBatch{key: strings.TrimSuffix(file.Name(), ".ndjson"), spool: s}
		if err := batch.recover(); err != nil {
			return nil, err
		}
		stamp, _ := strconv.ParseInt(batch.key[:13], 10, 64)
		stamps.keep(stamp)
		if batch.lines > 0 {
			found = append(found, batch)
		}
	}
	return found, nil
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

func orElse[T int | time.Duration](option *T, usual T) {
	if *option == 0 {
		*option = usual
	}
}
