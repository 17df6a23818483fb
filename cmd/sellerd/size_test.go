package main_test

import (
	"os"
	"testing"
)

// mostBytes is how large the program may be without symbols for a debugger (docs/developer/engineering.md, Size).
const mostBytes = 50_400_000

func TestTheProgramStaysSmall(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > mostBytes {
		t.Errorf("it has %d bytes, more than %d", info.Size(), mostBytes)
	}
}
