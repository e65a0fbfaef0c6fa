package uploader_test

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/sluice/uploader"
)

var ctx = context.Background()

// What the proxy was asked for last, and with which credentials.
var proxied atomic.Value

// Programs read the proxies of the environment once. No proxy is used for 127.0.0.1.
func TestMain(m *testing.M) {
	proxy := httptest.NewServer(http.HandlerFunc(forward))
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		_ = os.Setenv(name, strings.Replace(proxy.URL, "//", "//user:secret@", 1))
	}
	code := m.Run()
	proxy.Close()
	os.Exit(code)
}

// The proxy finds all hosts on this machine.
func forward(writer http.ResponseWriter, request *http.Request) {
	proxied.Store(request.Method + " " + request.Host + " " + request.Header.Get("Proxy-Authorization"))
	_, port, _ := net.SplitHostPort(request.Host)
	host := net.JoinHostPort("127.0.0.1", port)
	if request.Method != http.MethodConnect {
		httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: host}).ServeHTTP(writer, request)
		return
	}
	server, err := net.Dial("tcp", host)
	if err != nil {
		http.Error(writer, err.Error(), http.StatusBadGateway)
		return
	}
	writer.WriteHeader(http.StatusOK)
	client, _, _ := http.NewResponseController(writer).Hijack()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
	_ = client.Close()
}

type request struct {
	path, encoding, body string
}

// A server that stores all, and what it was sent. It tells each request before it answers.
func stored(requests chan<- request) http.HandlerFunc {
	return func(writer http.ResponseWriter, got *http.Request) {
		var reader io.Reader = got.Body
		encoding := got.Header.Get("Content-Encoding")
		if encoding == "gzip" {
			reader, _ = gzip.NewReader(got.Body)
		}
		body, _ := io.ReadAll(reader)
		requests <- request{got.URL.Path, encoding, string(body)}
		writer.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(writer, `{"success":true,"data":{}}`)
	}
}

func open(t *testing.T, options uploader.Options) *uploader.Uploader {
	t.Helper()
	if options.Domain == "" {
		options.Domain = "weather-k3v9q2"
	}
	client, err := uploader.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func sendAll(t *testing.T, options uploader.Options, entries ...uploader.Entry) {
	t.Helper()
	client := open(t, options)
	for _, entry := range entries {
		if err := client.Send(ctx, entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if counts := client.Counts(); counts != (uploader.Counts{Stored: len(entries)}) {
		t.Error(counts)
	}
}

func TestNewRefusesOptions(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	_ = os.WriteFile(empty, nil, 0o600)
	for _, test := range []struct {
		options uploader.Options
		want    string
	}{
		{uploader.Options{BaseURL: "localhost:4340"}, `base URL: "localhost:4340" does not begin with http:// or https://`},
		{uploader.Options{}, `base URL: "" does not begin with http:// or https://`},
		{uploader.Options{BaseURL: "http://"}, `base URL: "http://" names no host`},
		{uploader.Options{BaseURL: "http://127.0.0.1"}, "domain: an application is needed, such as weather-station-k3v9q2"},
		{uploader.Options{BaseURL: "https://127.0.0.1", Domain: "a", CA: empty}, "CA: " + empty + " has no certificate"},
		{
			uploader.Options{BaseURL: "https://127.0.0.1", Domain: "a", CA: empty, Transport: http.DefaultTransport},
			"CA: a Transport of your own has its own authorities",
		},
	} {
		_, err := uploader.New(test.options)
		var option *uploader.OptionError
		if !errors.As(err, &option) || err.Error() != test.want {
			t.Errorf("%v, not %s", err, test.want)
		}
	}
}

func TestSendRefusesWhatIsNoEntry(t *testing.T) {
	client := open(t, uploader.Options{BaseURL: "http://127.0.0.1:9"})
	circle := uploader.Entry{}
	circle["circle"] = circle
	for _, test := range []struct {
		entry uploader.Entry
		want  string
	}{
		{nil, "an entry is a JSON object, not null"},
		{uploader.Entry{"n": math.NaN()}, "an entry cannot hold NaN or Infinity"},
		{uploader.Entry{"n": []any{float32(math.Inf(-1))}}, "an entry cannot hold NaN or Infinity"},
		{uploader.Entry{"n": make(chan int)}, "an entry that JSON cannot write: json: unsupported type: chan int"},
		{uploader.Entry{"n": "\xff"}, "an entry that JSON cannot write: a text is not UTF-8"},
		{circle, "an entry that JSON cannot write: json: unsupported value: encountered a cycle"},
	} {
		err := client.Send(ctx, test.entry)
		var entry *uploader.EntryError
		if !errors.As(err, &entry) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v, not %s", err, test.want)
		}
	}
	if counts := client.Counts(); counts != (uploader.Counts{}) {
		t.Error(counts)
	}
	if err := client.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := client.Send(ctx, uploader.Entry{}); !errors.Is(err, uploader.ErrClosed) {
		t.Error(err)
	}
}

func TestCounts(t *testing.T) {
	answers := make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		writer.WriteHeader(http.StatusMultiStatus)
		_, _ = io.WriteString(writer, <-answers)
	}))
	defer server.Close()
	refused := 0
	client := open(t, uploader.Options{BaseURL: server.URL, OnRefused: func(uploader.Refusal) { refused++ }})
	for range 3 {
		if err := client.Send(ctx, uploader.Entry{"n": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Send(ctx, uploader.Entry{"n": strings.Repeat("x", 9<<20)}); err != nil {
		t.Fatal(err)
	}
	if counts := client.Counts(); counts != (uploader.Counts{Refused: 1, Waiting: 3}) {
		t.Error(counts)
	}
	go func() {
		answers <- `{"data":{"errors":[{"line":2,"name":"SchemaValidationError","message":"no","details":[]}]}}`
	}()
	if err := client.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if counts := client.Counts(); counts != (uploader.Counts{Stored: 2, Refused: 2}) || refused != 2 {
		t.Error(counts, refused)
	}
}

func TestCountsWhatTheSpoolHas(t *testing.T) {
	spool := t.TempDir()
	lines := strings.Repeat("{}\n", 2)
	if err := os.WriteFile(filepath.Join(spool, "1234567890123-0123456789abcdef.ndjson"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	client := open(t, uploader.Options{BaseURL: "http://127.0.0.1:9", Spool: spool})
	if counts := client.Counts(); counts != (uploader.Counts{Waiting: 2}) {
		t.Error(counts)
	}
	if _, err := uploader.New(uploader.Options{BaseURL: "http://127.0.0.1:9", Domain: "a", Spool: spool}); err == nil {
		t.Error("two uploaders have a spool")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	var left *uploader.NotStored
	if err := client.Close(done); !errors.As(err, &left) || left.Entries != 2 || !left.InSpool {
		t.Error(err)
	}
}

func TestGzip(t *testing.T) {
	requests := make(chan request, 9)
	server := httptest.NewServer(stored(requests))
	defer server.Close()
	large := uploader.Entry{"text": strings.Repeat("x", 2000)}
	line := `{"text":"` + strings.Repeat("x", 2000) + `"}` + "\n"
	path := "/api/applications/weather-k3v9q2/data/batch"
	for _, test := range []struct {
		entry     uploader.Entry
		isOff     bool
		isPlain   bool
		wantLines string
	}{
		{large, false, false, line},
		{large, true, true, line},
		{uploader.Entry{}, false, true, "{}\n"},
	} {
		sendAll(t, uploader.Options{BaseURL: server.URL, DisableGzip: test.isOff}, test.entry)
		got := <-requests
		if got.path != path || got.body != test.wantLines || (got.encoding == "") != test.isPlain {
			t.Error(got)
		}
	}
}

func TestSpoolKeepsPlainLines(t *testing.T) {
	spool := t.TempDir()
	client := open(t, uploader.Options{BaseURL: "http://127.0.0.1:9", Spool: spool})
	if err := client.Send(ctx, uploader.Entry{"text": strings.Repeat("x", 2000)}); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(spool, "*.ndjson"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	text, _ := os.ReadFile(files[0])
	if !strings.HasPrefix(string(text), `{"text":"xxx`) {
		t.Error(string(text))
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	_ = client.Close(done)
}

// With an authority that only the option names, behind a proxy that only the environment names.
func TestCAAndProxies(t *testing.T) {
	requests := make(chan request, 9)
	failures := make(lines, 9)
	secure := httptest.NewUnstartedServer(stored(requests))
	secure.Config.ErrorLog = log.New(failures, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(stored(requests))
	defer plain.Close()
	authority := filepath.Join(t.TempDir(), "authority.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(secure.Listener.Addr().String())
	_, plainPort, _ := net.SplitHostPort(plain.Listener.Addr().String())
	const basic = "Basic dXNlcjpzZWNyZXQ="

	sendAll(t, uploader.Options{BaseURL: secure.URL, CA: authority}, uploader.Entry{})
	<-requests
	if got := proxied.Load(); got != nil {
		t.Error(got)
	}
	// The certificate of httptest is for example.com.
	sendAll(t, uploader.Options{BaseURL: "https://example.com:" + port, CA: authority}, uploader.Entry{})
	<-requests
	if got := proxied.Load(); got != "CONNECT example.com:"+port+" "+basic {
		t.Error(got)
	}
	sendAll(t, uploader.Options{BaseURL: "http://sluice.test:" + plainPort}, uploader.Entry{})
	<-requests
	if got := proxied.Load(); got != "POST sluice.test:"+plainPort+" "+basic {
		t.Error(got)
	}

	client := open(t, uploader.Options{BaseURL: secure.URL})
	if err := client.Send(ctx, uploader.Entry{}); err != nil {
		t.Fatal(err)
	}
	if text := <-failures; !strings.Contains(text, "certificate") {
		t.Error(text)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	var left *uploader.NotStored
	if err := client.Close(done); !errors.As(err, &left) || left.Entries != 1 || len(requests) > 0 {
		t.Error(err)
	}
}

// What a server logs.
type lines chan string

func (l lines) Write(text []byte) (int, error) {
	l <- string(text)
	return len(text), nil
}
