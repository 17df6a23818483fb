package clienttest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
)

// TestStart runs the programs of the page Start, from the key to the parcel, and compares what they print with what the page shows. The first
// line is the account, on the page that of the demo. The fifth, the sale, is not on the page.
func TestStart(t *testing.T) {
	t.Parallel()
	server := blackbox.NewServer(t, "sqlite:"+filepath.Join(t.TempDir(), "sellerd.db"))
	server.Start(t)
	var want []string
	for _, output := range regexp.MustCompile("(?s)```output\n(.*?)```").FindAllStringSubmatch(read(t, "docs/seller/start.md"), -1) {
		want = append(want, strings.Fields(output[1])...)
	}
	for _, c := range handwritten {
		t.Run(c.language, func(t *testing.T) {
			installed.Require(t, "START WAS NOT TRIED IN "+strings.ToUpper(c.language), c.program)
			seller := blackbox.NewSeller(t, server, "starts-"+c.language)
			p := &project{folder: t.TempDir(), env: append(os.Environ(), "SELLERD_BASE_URL="+server.URL(), "SELLERD_KEY="+seller.Key, withModules)}
			p.copyClient(t, c.copied, c.also)
			file := "start" + filepath.Ext(c.file)
			p.write(t, file, read(t, "docs/examples/"+file))
			run := append(c.run[:len(c.run)-1:len(c.run)-1], file)

			got := strings.Split(strings.TrimSuffix(p.run(t, run[0], run[1:]...), "\n"), "\n")

			if len(got) != len(want)+1 {
				t.Fatalf("it printed %q", got)
			}
			want := append([]string{"starts-" + c.language}, want[1:]...)
			if diff := cmp.Diff(want, append(got[:4:4], got[5:]...)); diff != "" {
				t.Errorf("(-page +program):\n%s", diff)
			}
			if bill := oneBill(t, seller); bill != "sent" {
				t.Errorf("the seller's bill is %s", bill)
			}
		})
	}
}
