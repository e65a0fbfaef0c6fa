package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"

	"example.com/sluice/uploader"
)

// Sends three entries from a number on, and one that is refused, to an address and an application.
func main() {
	client, err := uploader.New(uploader.Options{
		BaseURL:   os.Args[1],
		Domain:    os.Args[2],
		OnRefused: func(refusal uploader.Refusal) { fmt.Println(refusal.Name) },
	})
	if err != nil {
		log.Fatal(err)
	}
	from, _ := strconv.Atoi(os.Args[3])
	ctx := context.Background()
	for _, n := range []int{from, from + 1, from + 2, -1} {
		if err := client.Send(ctx, uploader.Entry{"n": n, "text": "plain"}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%+v\n", client.Counts())
	if err := client.Close(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", client.Counts())
}
