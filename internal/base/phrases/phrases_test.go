package phrases_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/phrases"
)

func TestFilesAreReadStrictly(t *testing.T) {
	for _, text := range []string{"is required\nno translation", "is required\nfra: est obligatoire", "is required\nfr: un\nfr: deux", "a\nfr: un\n\na\nfr: deux"} {
		if _, err := phrases.Read(map[string]string{"a.txt": text}); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// A text may be in two files, each with other languages.
func TestATextMayHaveSeveralBlocks(t *testing.T) {
	book, err := phrases.Read(map[string]string{"a.txt": "# About a\n\nOpen %s\nfr: Ouvrir %s", "b.txt": "Open %s\nde: %s öffnen\n\n### a heading\nde: ### eine"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, asked := range [][2]string{{"fr", "Open a"}, {"de", "Open a"}, {"it", "Open a"}, {"de", "### a heading"}} {
		said, _ := book.Say(asked[0], asked[1])
		got = append(got, said)
	}
	if diff := cmp.Diff([]string{"Ouvrir a", "a öffnen", "", "### eine"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
