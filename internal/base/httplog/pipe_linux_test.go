package httplog_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestAPipeGetsWholeLines(t *testing.T) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_DIRECT); err != nil { // up to PIPE_BUF, what is written at once is read at once
		t.Fatal(err)
	}
	expectPieces(t, os.NewFile(uintptr(ends[0]), "reader"), os.NewFile(uintptr(ends[1]), "log"),
		strings.Repeat(kilobyte, 4), strings.Repeat(kilobyte, 3)+"short\n", kilobyte+"last\n")
}
