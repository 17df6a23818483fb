package scan_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// bundle returns a program that was made small: size bytes of one line, with a call in each of so many statements. calls is how many
// calls it has.
func bundle(size, each int) (text string, calls int) {
	var b strings.Builder
	b.WriteString(`var H="https://rest.delcampe.net";`)
	for i := 0; b.Len() < size; i++ {
		if i%each == 0 {
			b.WriteString(`function a(b,c){return fetch(H+"/item/"+b,{method:"PUT",body:c})}`)
			calls++
			continue
		}
		b.WriteString(`var d=e(0x1f),f={a:g,b:"h-i",c:[1,2,3]};if(d&&f||!j[k])throw Error("l "+m(n,/[a-z"]+/g));`)
	}
	return b.String(), calls
}

// TestBundlesAreReadToTheirEnds scans programs that were made small, as large as a file may be. All calls are counted, and the memory
// that is taken for a byte is bounded. It is that of both passes, and of what is thrown away as well.
func TestBundlesAreReadToTheirEnds(t *testing.T) {
	const size = 5<<20 - 200
	for name, test := range map[string]struct {
		each int    // a call in each of so many statements
		most uint64 // bytes of memory for a byte of the file
	}{
		"a usual one": {1000, 60},
		"a dense one": {1, 320},
	} {
		t.Run(name, func(t *testing.T) {
			text, calls := bundle(size, test.each)
			root := folder(t, map[string]string{"app.min.js": text})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			report := scanned(t, nil, root)
			runtime.ReadMemStats(&after)
			if got := report.Summary.Calls["item-update"]; got != calls || report.Summary.Files != 1 || len(report.Summary.Partial) > 0 {
				t.Errorf("%d calls are counted, want %d; %d files are read, and in part %v", got, calls, report.Summary.Files, report.Summary.Partial)
			}
			got := (after.TotalAlloc - before.TotalAlloc) / uint64(len(text))
			t.Logf("%d bytes a byte", got)
			if float64(got) > float64(test.most)*slack {
				t.Errorf("a byte of the file takes %d, want %d at most", got, test.most)
			}
		})
	}
}

// TestManyPlacesOfAFileAreCounted has more places than are listed, each on a line of its own.
func TestManyPlacesOfAFileAreCounted(t *testing.T) {
	const lines = 25_000
	root := folder(t, map[string]string{"a.yml": "base: https://rest.delcampe.net\nlist:\n" + strings.Repeat("- /item/auction/sold\n", lines)})
	report := scanned(t, nil, root)
	if got := report.Summary.Calls["auction-sold"]; got != lines {
		t.Errorf("%d places are counted, want %d", got, lines)
	}
	if got := len(report.Findings); got != 20_000 {
		t.Errorf("%d findings are listed", got)
	}
	if got := filepath.Base(report.Findings[0].File); got != "a.yml" {
		t.Errorf("the file is %s", got)
	}
}
