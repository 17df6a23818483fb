package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io"
	"time"
)

// zoneFiles are the time zones of IANA: gzip -9n < "$(go env GOROOT)/lib/time/zoneinfo.zip". Windows has none, and package time/tzdata would
// make the program of sellers four times as much larger.
//
//go:embed zoneinfo.zip.gz
var zoneFiles []byte

// ownZone finds a time zone in the program.
func ownZone(name string) (*time.Location, error) {
	packed, err := gzip.NewReader(bytes.NewReader(zoneFiles))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(packed)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(all), int64(len(all)))
	if err != nil {
		return nil, err
	}
	file, err := archive.Open(name)
	if err != nil {
		return nil, errors.New("there is no such time zone")
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(name, data)
}
