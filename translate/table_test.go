package translate

import (
	"strings"
	"testing"

	"sellerd/v1"
)

func NewTable(t testing.TB) *Table {
	t.Helper()
	table, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTheTablesNameTheActOfEveryPost(t *testing.T) {
	for name, target := range map[string]Target{
		"a POST without an act": direct(v1.RestartItem.Operation), "an act of a GET": direct(v1.GetItem.Operation).keyed("read-{id}"),
	} {
		_, err := Compile([]*Call{{ID: "sample", Target: target}}, nil)
		if err == nil || !strings.Contains(err.Error(), "every POST needs one, and nothing else") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestThePlacesOfTheTablesAreThere(t *testing.T) {
	for path, there := range map[string]bool{
		"item.title": true, "item.name": false, "title": false, "item[].title": false, "buyer.rating.count": true,
	} {
		_, err := Compile([]*Call{{ID: "sample", Target: direct(v1.BrowseSales.Operation), Names: []Place{{v1.BrowseSales.Operation, path}}}}, nil)
		if (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, there := range map[string]bool{"sales[].title": true, "sales.title": false, "sales[].name": false} {
		if err := (&Place{v1.BrowseBills.Operation, path}).check(); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
}
