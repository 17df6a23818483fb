package importing

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sellerd/internal/apiclient"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// shop is the service on a listener, and a way to import into it. Instead of waiting, an import lets the publisher work.
type shop struct {
	*servertest.World
	url   string
	state string // where the imports remember what they listed
}

func newShop(t *testing.T, around func(http.Handler) http.Handler, options ...servertest.Option) *shop {
	t.Helper()
	w := servertest.New(t, servertest.SQLite(t), options...)
	server := httptest.NewServer(around(w.Server.Public))
	t.Cleanup(server.Close)
	return &shop{w, server.URL, filepath.Join(t.TempDir(), "import.sellerd-state")}
}

func plainly(h http.Handler) http.Handler { return h }

// roomy gives the store room for many items.
func roomy(c *v1.Config) { c.OpenItems, c.NewItemsPerDay = 100_000, 100_000 }

// shown is no progress.
type shown struct{}

func (shown) Begin(string, int) {}
func (shown) Add(int)           {}

// importer makes an import of a file.
func (s *shop) importer(t *testing.T, file string, o Options) *Importer {
	t.Helper()
	read, err := Read([]byte(file), o)
	if err != nil {
		t.Fatal(err)
	}
	client, err := apiclient.New(s.url, s.Key, time.Minute, s.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	client.Sleep = func(context.Context, time.Duration) error {
		s.Publish(t)
		_, err := s.Service.RefreshImagesOnce(t.Context())
		return err
	}
	return &Importer{Client: client, Progress: shown{}, File: read, Name: "listings", Ending: ".csv", State: s.state, Wait: true}
}

// imports a file to the end, and returns what became of it and why it stopped.
func (s *shop) imports(t *testing.T, file string, o Options) (Report, error) {
	t.Helper()
	im := s.importer(t, file, o)
	err := im.Run(t.Context())
	return im.Report(), err
}

// listed are the titles of the items that there are, with the number of each if it is not one.
func (s *shop) listed(t *testing.T) (titles []string) {
	t.Helper()
	s.EachRow(t, "SELECT title, count(*) FROM items GROUP BY title ORDER BY title", func(values []any) {
		text := fmt.Sprint(values[0])
		if n := fmt.Sprint(values[1]); n != "1" {
			text += " ×" + n
		}
		titles = append(titles, text)
	})
	slices.Sort(titles)
	return titles
}

const header = "title,personal_reference,category_id,sale_type,price,currency\n"

// stamps is a file of right rows, with the titles A, B and so on, and references if there are any.
func stamps(titles string, reference string) string {
	var b strings.Builder
	b.WriteString(header)
	for _, title := range strings.Fields(titles) {
		own := ""
		if reference != "" {
			own = reference + title
		}
		fmt.Fprintf(&b, "%s,%s,%s,fixed_price,2.50,EUR\n", title, own, servertest.Category)
	}
	return b.String()
}

// listings is a file of so many right rows.
func listings(n int) string {
	var titles []string
	for i := range n {
		titles = append(titles, fmt.Sprintf("Stamp-%04d", i))
	}
	return stamps(strings.Join(titles, " "), "R-")
}

// outcomes are the rows in short.
func outcomes(r Report) (all []string) {
	for _, row := range r.Rows {
		text := strings.Join(strings.Fields(fmt.Sprint(row.Row, " ", row.Reference, " ", row.Outcome)), " ")
		for _, problem := range row.Problems {
			text += " " + strings.TrimSpace(problem.Code+" "+problem.Field)
		}
		all = append(all, text)
	}
	return all
}
