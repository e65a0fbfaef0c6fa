package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"uploaders/uploader"
)

// Prints an entry that it was given as it writes it, its time, and an entry of its own.
func main() {
	var entry uploader.Entry
	if err := json.Unmarshal([]byte(os.Args[1]), &entry); err != nil {
		fmt.Println(err)
		return
	}
	written(entry)
	fmt.Println(entry.At.Time())
	at := uploader.NewDateTime(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC))
	written(uploader.Entry{
		At:                   &at,
		Count:                uploader.Ptr[int64](9007199254740993),
		Place:                &uploader.Place{City: "Oslo"},
		AdditionalProperties: map[string]any{"more": 1},
	})
}

func written(entry uploader.Entry) {
	text, err := json.Marshal(entry)
	fmt.Println(string(text), err)
}
