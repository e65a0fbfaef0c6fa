package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

type entry struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

func main() {
	count, _ := strconv.Atoi(os.Args[2])
	characters, _ := strconv.Atoi(os.Args[3])
	text := strings.Repeat("x", characters)
	for n := 1; n <= count; n++ {
		if err := upload(os.Args[1], entry{n, text}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func upload(url string, entry entry) error {
	body, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != 201 {
		return fmt.Errorf("%s", answer)
	}
	return err
}
