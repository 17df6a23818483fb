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
	now         int64 // when the request came, in microseconds
	at          int64 // the instant of the change, which the transaction sets: later than the owner's last one

	key         string // of the idempotency_keys; empty without one
	fingerprint [sha256.Size]byte
	location    string
	data        []byte // the answer's, written once at is known

	done chan error
}

// submission is a row of submissions.
type submission struct {
	id        int64
	reference *string
	draft     string // the item as it was sent
}

// reserved is how many item numbers a process takes from the database when it starts. The service takes a block now and then.
const reserved = 100_000_000

// The statements that both databases have.
const (
	// reserveNumbers takes numbers, and returns the one after the last.
	reserveNumbers = `INSERT INTO number_ranges (id, next) VALUES ('item', 1000001 + 100000000)
 ON CONFLICT (id) DO UPDATE SET next = number_ranges.next + 100000000 RETURNING next`
	// chargeOwner takes the arguments of a charge, and returns the instant of its last turn. PostgreSQL calls max greatest.
	chargeOwner = `UPDATE owners SET last_change_at = max(last_change_at + 1, $1) + $2, open_count = open_count + $3,
 day_count = CASE WHEN day = $4 THEN day_count + $3 ELSE $3 END, day = $4 WHERE id = $5 RETURNING last_change_at`
	insertBatch = `INSERT INTO batches (id, owner, accepted_count, rejected_count, created_at) VALUES ($1, $2, $3, 0, $4)`
)

const (
	microsADay   = 86_400_000_000
	keyRetention = int64(v1.IdempotencyRetention / time.Microsecond)
)

// deadline is when the submissions are final at the latest.
func (t *turn) deadline() int64 { return t.now + int64(v1.PublishDeadline/time.Microsecond) }

// submit stores an item or a batch, and answers.
func (h *Handler) submit(w http.ResponseWriter, r *http.Request, owner int64) (err error) {
	if r.ContentLength < 0 || r.ContentLength > 8<<20 {
		return fmt.Errorf("a body of %d bytes", r.ContentLength)
	}
	body := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		return err
	}
	t := &turn{owner: owner, now: h.now().UnixMicro(), done: make(chan error, 1)}
	if key := r.Header["Idempotency-Key"]; len(key) == 1 {
		t.key = strconv.FormatInt(owner, 36) + "/" + key[0]
		sum := sha256.New()
		_, _ = io.WriteString(sum, r.Method+" "+r.URL.Path+"\n")
		_, _ = sum.Write(body)
		sum.Sum(t.fingerprint[:0])
	}
	switch r.URL.Path {
	case "/v1/items":
		var in submittedItem
		if err := json.Unmarshal(body, &in); err != nil {
			return err
		}
		t.submissions = []submission{{reference: in.PersonalReference, draft: string(body)}}
	case "/v1/item-batches":
		if t.submissions, err = readBatch(body); err != nil {
			return err
		}
		t.batch = h.batches.Add(1)
		t.location = "/v1/item-batches/bat_" + strconv.FormatInt(t.batch, 36)
	default:
		return fmt.Errorf("there is no POST %s", r.URL.Path)
	}
	first := h.numbers.Add(int64(len(t.submissions))) - int64(len(t.submissions)) + 1
	for i := range t.submissions {
		t.submissions[i].id = first + int64(i)
	}
	if t.batch == 0 {
		t.location = "/v1/item-submissions/sub_" + strconv.FormatInt(first, 36)
	}
	h.queue <- t
	if err := <-t.done; err != nil {
		return err
	}
	w.Header().Set("Location", t.location)
	return h.answer(w, http.StatusAccepted, func(b []byte) ([]byte, error) { return append(b, t.data...), nil })
}

// readBatch decodes the items of a batch in one pass.
func readBatch(body []byte) (items []submission, err error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(body))
	for _, want := range []string{"{", `items`, "["} {
		if token, err := in.ReadToken(); err != nil || token.String() != want {
			return nil, errors.Join(fmt.Errorf("there is no %s", want), err)
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

// appendAnswer writes the submission or the batch as the service does.
func (t *turn) appendAnswer(b []byte) []byte {
	if t.batch == 0 {
		b = strconv.AppendInt(append(b, `{"id":"sub_`...), t.submissions[0].id, 36)
		b = append(b, `","status":"pending","batch_id":null,"index":null,"personal_reference":`...)
		b = appendReference(b, t.submissions[0].reference)
		b = appendTime(append(b, `,"item_id":null,"item_url":null,"errors":[],"warnings":[],"created_at":`...), t.at)
		b = appendTime(append(b, `,"publish_deadline":`...), t.deadline())
		return append(b, `,"completed_at":null}`...)
	}
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
