package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"uploaders/uploader"
)

var isPoisoned = os.Args[10] == "yes"
var client *uploader.Uploader

type noMarshaler struct{ text string }

func (m noMarshaler) MarshalJSON() ([]byte, error) {
	if m.text == "" {
		return nil, errors.New("this has no JSON")
	}
	return []byte(m.text[1:]), nil
}

func poison(text string) []uploader.Entry {
	circle := map[string]any{}
	circle["circle"] = circle
	return []uploader.Entry{
		{N: -1, Text: text},
		{N: -2, Text: strings.Repeat("x", 2<<20)},
		{N: -3, Text: strings.Repeat("x", 17<<20)},
		{N: 1, More: make(chan int)},
		{N: 1, More: math.NaN()},
		{N: 1, More: math.Inf(-1)},
		{N: 1, More: circle},
		{N: 1, More: noMarshaler{}},
		{N: 1, More: noMarshaler{" "}},
		{N: 1, More: noMarshaler{" {]"}},
		{N: 1, Text: "\xff"},
		{N: 1, More: map[string]any{"\xff": 1}},
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var sent *os.File
	if os.Args[3] != "-" {
		file, err := os.OpenFile(os.Args[3], os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		sent = file
	}
	options := uploader.Options{
		BaseURL:    os.Args[1],
		Domain:     os.Args[12],
		HeldBytes:  number(7),
		BatchLines: number(8),
		OnRefused:  tell,
		// For throughput.ts.
		DisableGzip: os.Getenv("GZIP") == "no",
	}
	if os.Args[2] != "-" {
		options.Spool = os.Args[2]
	}
	if os.Args[11] != "-" {
		options.Key = os.Args[11]
	}
	var err error
	if client, err = uploader.New(options); err != nil {
		return err
	}
	text := strings.Repeat("x", number(6))
	var poisons []uploader.Entry
	if isPoisoned {
		poisons = poison(text)
	}
	for n := number(4); n <= number(5); n++ {
		if err := client.Send(context.Background(), uploader.Entry{N: int64(n), Text: text}); err != nil {
			return err
		}
		if sent != nil {
			if _, err := sent.WriteString(strconv.Itoa(n) + "\n"); err != nil {
				return err
			}
		}
		if at := n - number(4); at < len(poisons) && client.Send(context.Background(), poisons[at]) != nil {
			fmt.Println(-1-at, "send")
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(number(9))*time.Second)
	defer cancel()
	if isPoisoned {
		if err := client.Flush(ctx); err == nil || !strings.Contains(err.Error(), "a callback that fails") {
			return fmt.Errorf("no panic in a callback is told by Flush: %v", err)
		}
	}
	if options.Key != "" {
		if err := client.Flush(ctx); err != nil {
			return err
		}
		missing, err := client.Verify(ctx)
		if err != nil {
			return err
		}
		fmt.Println("missing", missing)
	}
	if err := client.Close(ctx); err != nil || !isPoisoned {
		return err
	}
	if client.Send(ctx, poisons[2]) != nil {
		fmt.Println(-3, "send")
	}
	return nil
}

func tell(refusal uploader.Refusal) {
	if !isPoisoned {
		text, _ := json.Marshal(refusal)
		fmt.Println(string(text))
		return
	}
	var entry uploader.Entry
	_ = json.Unmarshal(refusal.Entry, &entry)
	fmt.Println(entry.N, refusal.Name)
	if entry.N == -1 {
		_ = client.Send(context.Background(), uploader.Entry{N: -100, Text: strings.Repeat("x", 9<<20)})
	}
	panic("a callback that fails")
}

func number(at int) int {
	value, err := strconv.Atoi(os.Args[at])
	if err != nil {
		panic(err)
	}
	return value
}
