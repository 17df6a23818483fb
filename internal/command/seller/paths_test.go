package seller

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPathsAreThoseOfTheSystem(t *testing.T) {
	for _, test := range []struct{ path, home, want string }{
		{"~/shop", "/home/anna", "/home/anna/shop"},
		{`~\my shop`, `C:\Users\Anna Müller`, `C:\Users\Anna Müller\my shop`},
		{"~", `C:\Users\anna`, `C:\Users\anna`},
		{"~anna/shop", "/home/anna", "~anna/shop"},
		{"~/shop", "", "~/shop"},
		{"shop/~", "/home/anna", "shop/~"},
	} {
		if diff := cmp.Diff(test.want, fromHome(test.path, test.home)); diff != "" {
			t.Errorf("%s: %s", test.path, diff)
		}
	}
	for path, want := range map[string]string{`C:\my shop"`: `C:\my shop`, `C:\shop`: `C:\shop`} {
		if diff := cmp.Diff(want, withoutQuote(path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestPatternsAreExpanded(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, name := range []string{"a b.php", "c.php", "[d].php", "e.txt"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := given([]string{"[d].php", "*.txt", filepath.Join(folder, "? b.php"), "missing*", "missing.php"})
	want := []string{"[d].php", "e.txt", filepath.Join(folder, "a b.php"), "missing*", "missing.php"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
