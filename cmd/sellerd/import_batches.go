package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
)

// What a batch may hold, as the API's documentation has it.
const (
	maxBatchItems = 100
	maxBatchBytes = 2 << 20
)

// The outcomes of a row.
const (
	rowUnsent    = "unsent"    // certainly not listed
	rowUnknown   = "unknown"   // sent, and no answer came
	rowRefused   = "refused"   // at once
	rowAccepted  = "accepted"  // and not yet published
	rowPublished = "published" // there is an item
	rowRejected  = "rejected"  // at publication
	rowChanged   = "changed"   // the item is
	rowValid     = "valid"     // it would have been
)

// target is the operation that takes the rows.
type target struct {
	path    string
	list    string // the member of the body that holds the rows
	success int
	columns []importColumn
	entry   func(cells func(column string) string) any // a row as the operation takes it
	done    string                                     // what happens to a row
	take    func(im *importer, batch *importBatch, answer apiAnswer) ([]*importRow, error)
	keys    string // begins the Idempotency-Keys
}

// listing puts the rows on sale.
var listing = target{
	path: "/v1/item-batches", list: "items", success: http.StatusAccepted, columns: importColumns, entry: itemOf, done: "listed",
	take: (*importer).takeAccepted, keys: "import",
}

// importer sends rows, and waits for the publication of those that it lists: submit first, then await.
type importer struct {
	to       target
	client   *apiClient
	run      string // distinguishes a deliberate second import
	rows     []*importRow
	progress *progress

	accepted []*importBatch // in the order of their submission
}

// importBatch is the rows of one request.
type importBatch struct {
	name string // the place in the file; the same in every run
	rows []*importRow
	id   string // once accepted
}

// body is the request. The same rows give the same bytes.
func (b *importBatch) body(list string) []byte {
	items := make([][]byte, len(b.rows))
	for i, row := range b.rows {
		items[i] = row.item
	}
	return joined([]byte(`{"`+list+`":[`), bytes.Join(items, []byte(",")), []byte(`]}`))
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// key is the batch's Idempotency-Key. It depends on nothing but the rows, their batch's place and the run's name, so a
// second import of the file sends the same keys and gets the first one's answers.
func (b *importBatch) key(kind, run string, body []byte) string {
	sum := sha256.Sum256(joined([]byte(run+"\x00"+b.name+"\x00"), body))
	return fmt.Sprintf("%s-%s-%x", kind, b.name, sum[:16])
}

// split puts rows into batches by count and size.
func split(list string, rows []*importRow) []*importBatch {
	var batches []*importBatch
	var last *importBatch
	size := 0
	for _, row := range rows {
		if last == nil || len(last.rows) == maxBatchItems || size+len(row.item)+1 > maxBatchBytes {
			last = &importBatch{name: strconv.Itoa(len(batches) + 1)}
			batches = append(batches, last)
			size = len(`{"":[]}`) + len(list)
		}
		last.rows = append(last.rows, row)
		size += len(row.item) + 1
	}
	return batches
}

// submit sends every row. Its error says why it stopped early.
func (im *importer) submit(ctx context.Context) error {
	im.progress.begin("sending", len(im.rows))
	todo := split(im.to.list, im.rows)
	for len(todo) > 0 {
		batch := todo[0]
		todo = todo[1:]
		rest, err := im.send(ctx, batch)
		if err != nil {
			return fmt.Errorf("the batch from line %d to %d: %w", batch.rows[0].Line, batch.rows[len(batch.rows)-1].Line, err)
		}
		im.progress.add(len(batch.rows) - len(rest))
		if len(rest) > 0 {
			todo = append([]*importBatch{{name: batch.name + "+", rows: rest}}, todo...)
		}
	}
	return nil
}

// send submits one batch. The rows it returns are those that the store's limits left out of an accepted batch. They are
// sent as a batch of their own, because this batch's key always returns the same answer.
func (im *importer) send(ctx context.Context, batch *importBatch) ([]*importRow, error) {
	body := batch.body(im.to.list)
	answer, err := im.client.do(ctx, http.MethodPost, im.to.path, batch.key(im.to.keys, im.run, body), body)
	switch {
	case err == nil && answer.status == im.to.success:
		return im.to.take(im, batch, answer)
	case err == nil && answer.status == http.StatusUnprocessableEntity:
		batch.takeRefused(answer.errors)
		return nil, nil
	}
	// Every other answer says nothing about the rows, and would be the same for the next batch.
	if answer.doubtful {
		for _, row := range batch.rows {
			row.Outcome = rowUnknown
		}
	}
	return nil, errors.Join(err, answer.failure())
}

func (im *importer) takeAccepted(batch *importBatch, answer apiAnswer) ([]*importRow, error) {
	var data struct {
		ID      string `json:"id"`
		Results []struct {
			Index      int        `json:"index"`
			StatusCode int        `json:"status_code"`
			Errors     []apiError `json:"errors"`
		} `json:"results"`
	}
	if err := json.Unmarshal(answer.data, &data); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(data.Results) != len(batch.rows) {
		return nil, fmt.Errorf("the answer speaks of %d rows instead of %d", len(data.Results), len(batch.rows))
	}
	var rest []*importRow
	for i, result := range data.Results {
		row := batch.rows[i]
		switch {
		case result.StatusCode == http.StatusAccepted:
			row.Outcome, row.Replayed = rowAccepted, answer.replayed
		case overLimit(result.Errors):
			rest = append(rest, row)
		default:
			row.refuse(result.Errors)
		}
	}
	batch.id = data.ID
	im.accepted = append(im.accepted, batch)
	return rest, nil
}

// overLimit says whether a row was right and only came too late for the store's limits.
func overLimit(errs []apiError) bool {
	return len(errs) == 1 && (errs[0].Code == "daily_item_limit_reached" || errs[0].Code == "store_limit_reached")
}

// takeRefused gives each row of a batch without any valid row its errors.
func (b *importBatch) takeRefused(errs []apiError) {
	var general []apiError
	byRow := make([][]apiError, len(b.rows))
	for _, e := range errs {
		if e.Index != nil && *e.Index >= 0 && *e.Index < len(b.rows) {
			byRow[*e.Index] = append(byRow[*e.Index], e)
			continue
		}
		general = append(general, e)
	}
	for i, row := range b.rows {
		if byRow[i] == nil {
			byRow[i] = general
		}
		row.refuse(byRow[i])
	}
}

var itemInBatch = regexp.MustCompile(`^(items|changes)\[\d+\]\.?((patch|close)\.)?`)

// refuse records the errors of a row. Fields are named like the file's columns, without the position in the batch.
func (r *importRow) refuse(errs []apiError) {
	r.Outcome = rowRefused
	for _, e := range errs {
		e.Field, e.Index = itemInBatch.ReplaceAllString(e.Field, ""), nil
		r.Problems = append(r.Problems, e)
	}
	if len(r.Problems) == 0 {
		r.Problems = []apiError{{Message: "Refused with its batch, without a reason of its own."}}
	}
}
