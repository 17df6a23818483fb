package limit

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"sellerd/v1"
	"sellerd/v1/wire"
)

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

// submission is a row of submissions, and the item that becomes of it.
type submission struct {
	id     int64
	owner  int64
	in     *v1.ItemInput
	draft  string
	images string // of the item, once they are fetched
	at     int64  // the instant of its publication, which the transaction sets
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
	// finishSubmissions takes the instant of a publication, and ids in the form of the database.
	finishSubmissions = `UPDATE submissions SET status = 'published', draft = '', completed_at = $1 WHERE id `
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
	items := make([]v1.ItemInput, 1)
	switch r.URL.Path {
	case "/v1/items":
		err = wire.BindJSON(body, &items[0])
	case "/v1/item-batches":
		var in v1.SubmitBatchInput
		err = wire.BindJSON(body, &in.Batch)
		items, t.batch = in.Batch.Items, h.ordered.Add(1)
		t.location = "/v1/item-batches/bat_" + strconv.FormatInt(t.batch, 36)
	default:
		err = fmt.Errorf("there is no POST %s", r.URL.Path)
	}
	if err != nil {
		return err
	}
	first := h.numbers.Add(int64(len(items))) - int64(len(items)) + 1
	t.submissions = make([]submission, len(items))
	for i := range items {
		body = wire.EncodeJSON(body[:0], &items[i]) // what was bound has a copy of it
		t.submissions[i] = submission{id: first + int64(i), owner: owner, in: &items[i], draft: string(body), images: "[]"}
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

// appendAnswer writes the submission or the batch as the service does.
func (t *turn) appendAnswer(b []byte) []byte {
	if t.batch == 0 {
		b = strconv.AppendInt(append(b, `{"id":"sub_`...), t.submissions[0].id, 36)
		b = append(b, `","status":"pending","batch_id":null,"index":null,"personal_reference":`...)
		b = appendReference(b, t.submissions[0].in.PersonalReference)
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
		b = appendReference(append(b, `,"personal_reference":`...), t.submissions[i].in.PersonalReference)
		b = strconv.AppendInt(append(b, `,"status_code":202,"submission_id":"sub_`...), t.submissions[i].id, 36)
		b = append(b, `","errors":[]}`...)
	}
	return append(b, `]}`...)
}

func appendReference(b []byte, reference v1.Opt[string]) []byte {
	if !reference.Set {
		return append(b, "null"...)
	}
	return appendText(b, reference.V)
}
