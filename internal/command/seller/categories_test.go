package seller

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCategoriesHaveAllWords asks for categories in words of their own names and of those above them.
func TestCategoriesHaveAllWords(t *testing.T) {
	s := newShop(t, plainly)
	const none = "no category has all of these words: ships coins. Try fewer of them, or the beginning of one"
	for name, test := range map[string]struct {
		language, fails string
		words, want     []string
	}{
		"words of two levels, in any order":   {"en", "", []string{"ships", "POSTCARDS"}, []string{"2060400   Postcards > Topics > Ships"}},
		"in another language, without accent": {"fr", "", []string{"oceanie", "télé"}, []string{"6050000   Télécartes > Océanie"}},
		"nothing has both":                    {"en", none, []string{"ships", "coins"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := Categories{Words: test.words, Language: test.language, account: s.exportTo("").account}
			client, err := c.client(t.Context(), s.program())
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.find(t.Context(), client)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" || said != test.fails {
				t.Errorf("categories (-want +got):\n%s\nerror: %q, want %q", diff, said, test.fails)
			}
		})
	}
}
