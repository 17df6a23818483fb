package limit

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/v1"
)

// This file reads submissions and answers them.

// submittedItem is an item decoded, its values unchecked.
type submittedItem struct {
	SaleType          string          `json:"sale_type"`
	Title             string          `json:"title"`
	Subtitle          *string         `json:"subtitle"`
	Description       *string         `json:"description"`
	PersonalReference *string         `json:"personal_reference"`
	CategoryID        string          `json:"category_id"`
	Price             *submittedMoney `json:"price"`
	StartingPrice     *submittedMoney `json:"starting_price"`
	Quantity          *int            `json:"quantity"`
	DurationDays      *int            `json:"duration_days"`
	WeightGrams       *int            `json:"weight_grams"`
	Images            []string        `json:"images"`
}

type submittedMoney struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// turn is one request to store submissions.
type turn struct {
	owner       int64
	submissions []submission
	batch       int64 // 0 without one
	changes     *priceChanges
	status      int   // of the answer
	now         int64 // when the request came, in microseconds
	at          int64 // the instant of the change, which the transaction sets: later than the owner's last one

	key         string // of the idempotency_keys; empty without one
	fingerprint [sha256.Size]byte
	location    string
	data        []byte // the answer's, which write makes once at is known
	write       func(t *turn)

	done chan error
}

// reserved is how many item numbers a process takes from the database when it starts. The service takes a block now and then.
const reserved = 100_000_000

// reserveNumbers takes them, and returns the number after the last.
const reserveNumbers = `INSERT INTO number_ranges (id, next) VALUES ('item', 1000001 + 100000000)
 ON CONFLICT (id) DO UPDATE SET next = number_ranges.next + 100000000 RETURNING next`

// submission is a row of submissions.
type submission struct {
	id        int64
	reference *string
	draft     string // the item as it was sent
}

const (
	microsADay   = 86_400_000_000
	keyRetention = int64(v1.IdempotencyRetention / time.Microsecond)
)

// deadline is when the submissions are final at the latest.
func (t *turn) deadline() int64 { return t.now + int64(v1.PublishDeadline/time.Microsecond) }

// newTurn reads a request's body and its Idempotency-Key.
func (h *Handler) newTurn(r *http.Request, owner int64) (t *turn, body []byte, err error) {
	if r.ContentLength < 0 || r.ContentLength > 8<<20 {
		return nil, nil, fmt.Errorf("a body of %d bytes", r.ContentLength)
	}
	body = make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		return nil, nil, err
	}
	t = &turn{status: http.StatusAccepted, owner: owner, now: h.now().UnixMicro(), done: make(chan error, 1)}
	if key := r.Header["Idempotency-Key"]; len(key) == 1 {
		t.key = strconv.FormatInt(owner, 36) + "/" + key[0]
		sum := sha256.New()
		_, _ = io.WriteString(sum, r.Method+" "+r.URL.Path+"\n")
		_, _ = sum.Write(body)
		sum.Sum(t.fingerprint[:0])
	}
	return t, body, nil
}

func (h *Handler) submit(w http.ResponseWriter, r *http.Request, owner int64) error {
	t, body, err := h.newTurn(r, owner)
	if err != nil {
		return err
	}
	var in submittedItem
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	id := h.numbers.Add(1)
	t.submissions = []submission{{id, in.PersonalReference, string(body)}}
	t.location = "/v1/item-submissions/sub_" + strconv.FormatInt(id, 36)
	t.write = func(t *turn) { t.data = t.appendSubmission(nil) }
	return h.finish(w, t)
}

func (h *Handler) submitBatch(w http.ResponseWriter, r *http.Request, owner int64) error {
	t, body, err := h.newTurn(r, owner)
	if err != nil {
		return err
	}
	if t.submissions, err = readBatch(body); err != nil {
		return err
	}
	n := int64(len(t.submissions))
	first := h.numbers.Add(n) - n + 1
	for i := range t.submissions {
		t.submissions[i].id = first + int64(i)
	}
	t.batch = h.batches.Add(1)
	t.location = "/v1/item-batches/bat_" + strconv.FormatInt(t.batch, 36)
	t.write = func(t *turn) { t.data = t.appendBatch(nil) }
	return h.finish(w, t)
}

// readBatch decodes the items of a batch in one pass.
func readBatch(body []byte) (items []submission, err error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(body))
	for _, want := range []string{"{", `"items"`, "["} {
		token, err := in.ReadToken()
		if err != nil {
			return nil, err
		}
		if got := token.String(); got != want && `"`+got+`"` != want {
			return nil, fmt.Errorf("expected %s, got %s", want, got)
		}
	}
	items = make([]submission, 0, v1.MaxBatch)
	for in.PeekKind() == '{' {
		var item submittedItem
		start := in.InputOffset()
		if err := json.UnmarshalDecode(in, &item); err != nil {
			return nil, err
		}
		draft := bytes.TrimLeft(body[start:in.InputOffset()], ", \r\n\t")
		items = append(items, submission{reference: item.PersonalReference, draft: string(draft)})
	}
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, errors.New("batch_empty")
	}
	return items, nil
}

// finish stores what a request submits and answers it.
func (h *Handler) finish(w http.ResponseWriter, t *turn) error {
	if err := h.writer.store(t); err != nil {
		return err
	}
	w.Header().Set("Location", t.location)
	return h.answer(w, t.status, func(b []byte) ([]byte, error) { return append(b, t.data...), nil })
}

func (t *turn) appendSubmission(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"id":"sub_`...), t.submissions[0].id, 36)
	b = append(b, `","status":"pending","batch_id":null,"index":null,"personal_reference":`...)
	b = appendReference(b, t.submissions[0].reference)
	b = appendTime(append(b, `,"item_id":null,"item_url":null,"errors":[],"warnings":[],"created_at":`...), t.at)
	b = appendTime(append(b, `,"publish_deadline":`...), t.deadline())
	return append(b, `,"completed_at":null}`...)
}

func (t *turn) appendBatch(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"id":"bat_`...), t.batch, 36)
	b = strconv.AppendInt(append(b, `","accepted_count":`...), int64(len(t.submissions)), 10)
	b = append(b, `,"rejected_count":0,"results":[`...)
	for i := range t.submissions {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"index":`...), int64(i), 10)
		b = appendReference(append(b, `,"personal_reference":`...), t.submissions[i].reference)
		b = strconv.AppendInt(append(b, `,"status_code":202,"submission_id":"sub_`...), t.submissions[i].id, 36)
		b = append(b, `","errors":[]}`...)
	}
	return append(b, `]}`...)
}

func appendReference(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return appendText(b, *s)
}
