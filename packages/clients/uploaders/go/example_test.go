package uploader_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"example.com/sluice/uploader"
)

func Example() {
	ctx := context.Background()
	client, err := uploader.New(uploader.Options{
		BaseURL: "http://127.0.0.1:4000",
		Domain:  "weather-station-k3v9q2",
		Spool:   "spool",
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Send(ctx, uploader.Entry{"place": "Oslo", "celsius": 21.5}); err != nil {
		log.Fatal(err)
	}
	if err := client.Close(ctx); err != nil {
		log.Fatal(err)
	}
}

func ExampleUploader_Close() {
	client, err := uploader.New(uploader.Options{BaseURL: "http://127.0.0.1:4000", Domain: "weather-station-k3v9q2"})
	if err != nil {
		log.Fatal(err)
	}
	var left *uploader.NotStored
	if err := client.Close(context.Background()); errors.As(err, &left) {
		fmt.Println(left.Entries, "entries are left:", left.Status, left.Message)
	}
	fmt.Println(client.Counts().Stored, "entries are stored")
}
