package translate

import (
	"os"
	"testing"
)

func TestX(t *testing.T) {
	g := NewGuide(newTable(t), "http://localhost:8080")
	os.WriteFile("/tmp/w-guide-data/x.md", g.Markdown(), 0o644)
	h, err := g.HTML()
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile("/tmp/w-guide-data/x.html", []byte(h), 0o644)
	j, err := g.JSON()
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile("/tmp/w-guide-data/x.json", j, 0o644)
	os.WriteFile("/tmp/w-guide-data/schema.json", GuideSchema("http://localhost:8080"), 0o644)
}
