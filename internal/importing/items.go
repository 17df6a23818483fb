package importing

import (
	"context"
	"net/url"
	"strings"

	"sellerd/internal/base/pattern"
)

var inRequest = pattern.Late(`^(items|changes)\[\d+\]\.?((patch|close)\.)?`)

// item is an item of the seller's, as a list has it.
type item struct {
	ID           string         `json:"id"`
	SubmissionID string         `json:"submission_id"`
	Reference    string         `json:"personal_reference"`
	Status       string         `json:"status"`
	CloseReason  string         `json:"close_reason"`
	all          map[string]any // every member
}

// longestQuery keeps addresses short enough for every proxy.
const longestQuery = 4000

// find reads the items with some references, or ids.
func (im *Importer) find(ctx context.Context, parameter string, values []string) (map[string][]item, error) {
	found := map[string][]item{}
	var chunk []string
	length := 0
	ask := func(parameter, value string, n int) error {
		err := im.walk(ctx, url.Values{parameter: {value}, "limit": {"200"}}, func(it item) {
			name := it.Reference
			if parameter == "id" {
				name = it.ID
			}
			found[name] = append(found[name], it)
		})
		im.Progress.Add(n)
		return err
	}
	flush := func() error {
		if len(chunk) == 0 {
			return nil
		}
		err := ask(parameter, strings.Join(chunk, ","), len(chunk))
		chunk, length = nil, 0
		return err
	}
	for _, value := range values {
		if strings.Contains(value, ",") && parameter == "personal_reference" {
			if err := ask("exact_reference", value, 1); err != nil {
				return nil, err
			}
			continue
		}
		chunk, length = append(chunk, value), length+len(url.QueryEscape(value))+3
		if len(chunk) == maxEntries || length > longestQuery {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return found, flush()
}

// walk reads a list of items to its end.
func (im *Importer) walk(ctx context.Context, query url.Values, each func(item)) error {
	for {
		var page struct {
			Results    []map[string]any `json:"results"`
			NextCursor string           `json:"next_cursor"`
		}
		if _, err := im.get(ctx, "/v1/items?"+query.Encode(), &page); err != nil {
			return err
		}
		for _, all := range page.Results {
			text := func(name string) string { s, _ := all[name].(string); return s }
			each(item{text("id"), text("submission_id"), text("personal_reference"), text("status"), text("close_reason"), all})
		}
		if page.NextCursor == "" {
			return nil
		}
		query.Set("after", page.NextCursor)
	}
}
