package importing

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"sellerd/internal/apiclient"
	"sellerd/internal/base/pattern"
)

var inRequest = pattern.Late(`^(items|changes)\[\d+\]\.?((patch|close)\.)?`)

// item is an item of the seller's, as a list has it.
type item struct {
	ID, Reference, Status, CloseReason string

	all map[string]any // every member
}

// onSale says whether an item is offered, or will be.
func (it item) onSale() bool {
	return it.Status == "scheduled" || it.Status == "open"
}

// pictures are the item's.
func (it item) pictures() (all []map[string]any) {
	pictures, _ := it.all["images"].([]any)
	for _, picture := range pictures {
		one, _ := picture.(map[string]any)
		all = append(all, one)
	}
	return all
}

// hasPicture says whether an item has a picture with a status.
func (it item) hasPicture(status string) bool {
	return slices.ContainsFunc(it.pictures(), func(picture map[string]any) bool { return picture["status"] == status })
}

// longestQuery keeps addresses short enough for every proxy.
const longestQuery = 4000

// find reads the items with some references, or ids: as many at a time as a request and an address may have. A reference with a comma is
// asked for alone.
func (im *Importer) find(ctx context.Context, parameter string, values []string) (map[string][]item, error) {
	found := map[string][]item{}
	for len(values) > 0 {
		asked, n, length := parameter, 0, 0
		for n < min(len(values), maxEntries) && length <= longestQuery && !strings.Contains(values[n], ",") {
			length += len(url.QueryEscape(values[n])) + 3
			n++
		}
		if n == 0 {
			asked, n = "exact_reference", 1
		}
		err := im.walk(ctx, url.Values{asked: {strings.Join(values[:n], ",")}, "limit": {"200"}}, func(it item) {
			name := it.Reference
			if parameter == "id" {
				name = it.ID
			}
			found[name] = append(found[name], it)
		})
		if err != nil {
			return nil, err
		}
		im.Progress.Add(n)
		values = values[n:]
	}
	return found, nil
}

// walk reads a list of items to its end.
func (im *Importer) walk(ctx context.Context, query url.Values, each func(item)) error {
	return apiclient.Walk(ctx, im.Client, "/v1/items", query, func(results []map[string]any) error {
		for _, all := range results {
			text := func(name string) string { s, _ := all[name].(string); return s }
			each(item{text("id"), text("personal_reference"), text("status"), text("close_reason"), all})
		}
		return nil
	})
}
