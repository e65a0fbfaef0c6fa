package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"uploaders/uploader"
)

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
		HeldBytes:  number(7),
		BatchLines: number(8),
		OnRefused: func(refusal uploader.Refusal) {
			text, _ := json.Marshal(refusal)
			fmt.Println(string(text))
		},
	}
	if os.Args[2] != "-" {
		options.Spool = os.Args[2]
	}
	client, err := uploader.New(options)
	if err != nil {
		return err
	}
	text := strings.Repeat("x", number(6))
	for n := number(4); n <= number(5); n++ {
		if err := client.Send(context.Background(), uploader.Entry{N: int64(n), Text: text}); err != nil {
			return err
		}
		if sent != nil {
			if _, err := sent.WriteString(strconv.Itoa(n) + "\n"); err != nil {
				return err
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(number(9))*time.Second)
	defer cancel()
	return client.Close(ctx)
}

func number(at int) int {
	value, err := strconv.Atoi(os.Args[at])
	if err != nil {
		panic(err)
	}
	return value
}
