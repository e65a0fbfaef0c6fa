module example.com/sluice/uploader

go 1.24
