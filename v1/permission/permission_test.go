package permission_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1/permission"
)

func TestAPermissionToWriteIncludesThatToRead(t *testing.T) {
	for _, name := range permission.All.Names() {
		resource, verb, _ := strings.Cut(name, ":")
		only, _ := permission.Find(name)
		granted := []string{name}
		if verb == "write" {
			granted = []string{resource + ":read", name}
		}
		var got []string
		for _, needed := range permission.All.Names() {
			one, _ := permission.Find(needed)
			if only.Missing(one) == 0 {
				got = append(got, needed)
			}
		}
		if diff := cmp.Diff(granted, got); diff != "" {
			t.Errorf("%s permits (-want +got):\n%s", name, diff)
		}
	}
}

func TestASetIsReadAsItWasPrinted(t *testing.T) {
	for s := range permission.All + 1 {
		var got permission.Set
		if err := got.Scan(s.String()); err != nil || got != s {
			t.Errorf("%q is read as %q, %v", s, got, err)
		}
		if s == 0 {
			continue
		}
		if got, err := permission.Parse(s.Names()); err != nil || got != s {
			t.Errorf("%v is parsed as %q, %v", s.Names(), got, err)
		}
	}
}

func TestScanReadsWhatDatabasesStore(t *testing.T) {
	for _, test := range []struct {
		stored any
		want   permission.Set
	}{
		{nil, permission.All},
		{"", 0},
		{"items:read sales:write", permission.ItemsRead | permission.SalesWrite},
		{[]byte("bills:read"), permission.BillsRead},
		{"items:read of:tomorrow", permission.ItemsRead},
	} {
		got := permission.All
		if err := got.Scan(test.stored); err != nil || got != test.want {
			t.Errorf("%v is read as %q, %v, want %q", test.stored, got, err, test.want)
		}
	}
	var got permission.Set
	if err := got.Scan(int64(3)); err == nil {
		t.Error("a number is read as permissions")
	}
}

func TestParseRejectsListsThatMeanNothing(t *testing.T) {
	for want, list := range map[string][]string{
		"is empty":                             nil,
		`no permission "items"`:                {"items"},
		`no permission "Items:read"`:           {"sales:read", "Items:read"},
		`no permission "items:read "`:          {"items:read "},
		`no permission ""`:                     {""},
		"permission items:read is there twice": {"items:read", "items:write", "items:read"},
	} {
		if got, err := permission.Parse(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is parsed as %q, %v, want an error with %q", list, got, err, want)
		}
	}
}
