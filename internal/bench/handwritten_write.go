package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/v1"
)

// groupWriter runs all writes on one goroutine: it takes all waiting writes, runs them in one transaction and answers after
// the commit.
type groupWriter struct {
	conn  *sql.Conn
	queue chan *writeTurn
	quit  chan struct{}
	ended chan struct{}

	owner, submission, key, batch *sql.Stmt
}

type writeTurn struct {
	work func(ctx context.Context, w *groupWriter) error
	done chan error
}

func newGroupWriter(ctx context.Context, db *sql.DB) (*groupWriter, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &groupWriter{conn: conn, queue: make(chan *writeTurn, 128), quit: make(chan struct{}), ended: make(chan struct{})}
	for _, s := range []struct {
		into **sql.Stmt
		text string
	}{
		{&w.owner, `UPDATE owners SET last_change_at = CASE WHEN last_change_at >= ?1 THEN last_change_at + 1 ELSE ?1 END, open_count = open_count + ?2,
 day_count = CASE WHEN day = ?3 THEN day_count + ?2 ELSE ?2 END, day = ?3 WHERE id = ?4 RETURNING last_change_at, open_count, day_count`},
		{&w.submission, `INSERT INTO submissions (id, owner, batch_id, batch_index, personal_reference, status, draft, errors, warnings,
 created_at, publish_deadline, due_at, lease, attempts) VALUES (?, ?, ?, ?, ?, 'pending', ?, '', '', ?, ?, ?, 0, 0)`},
		{&w.key, `INSERT INTO idempotency_keys (id, fingerprint, status, body, location, expires_at) VALUES (?, ?, ?, ?, ?, ?)`},
		{&w.batch, `INSERT INTO batches (id, owner, accepted_count, rejected_count, created_at) VALUES (?, ?, ?, ?, ?)`},
	} {
		if *s.into, err = conn.PrepareContext(ctx, s.text); err != nil {
			return nil, err
		}
	}
	go w.loop()
	return w, nil
}

func (w *groupWriter) close() {
	close(w.quit)
	<-w.ended
	_ = w.conn.Close()
}

func (w *groupWriter) write(work func(ctx context.Context, w *groupWriter) error) error {
	turn := &writeTurn{work: work, done: make(chan error, 1)}
	w.queue <- turn
	return <-turn.done
}

func (w *groupWriter) loop() {
	defer close(w.ended)
	var group []*writeTurn
	for {
		select {
		case <-w.quit:
			return
		case turn := <-w.queue:
			group = append(group[:0], turn)
		}
		err := w.transact(&group)
		for _, turn := range group {
			turn.done <- err
		}
	}
}

// transact fails the whole group if one write fails, which is enough for a benchmark.
func (w *groupWriter) transact(group *[]*writeTurn) error {
	ctx := context.Background()
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for i := 0; i < len(*group); i++ {
		if err := (*group)[i].work(ctx, w); err != nil {
			_, rollback := w.conn.ExecContext(ctx, "ROLLBACK")
			return errors.Join(err, rollback)
		}
	waiting:
		for len(*group) < 128 {
			select {
			case turn := <-w.queue:
				*group = append(*group, turn)
			default:
				break waiting
			}
		}
	}
	_, err := w.conn.ExecContext(ctx, "COMMIT")
	return err
}

// begin locks and charges the owner, as the service's changes do, and returns the change's instant.
func (w *groupWriter) begin(ctx context.Context, owner, now int64, units int) (int64, error) {
	var at, open, daily int64
	err := w.owner.QueryRowContext(ctx, now, units, now/86_400_000_000, owner).Scan(&at, &open, &daily)
	return at, err
}

func (w *groupWriter) remember(ctx context.Context, owner, at int64, key string, body []byte, status int, data []byte, location string) error {
	if key == "" {
		return nil
	}
	sum := sha256.Sum256(body)
	_, err := w.key.ExecContext(ctx, strconv.FormatInt(owner, 36)+"/"+key, sum[:], status, string(data), location, at+35*86_400_000_000)
	return err
}

func (h *handwritten) submit(w http.ResponseWriter, r *http.Request) {
	owner, err := h.caller(r)
	if err != nil {
		refuse(w, err)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if err != nil {
		refuse(w, err)
		return
	}
	var in submittedItem
	if err := json.Unmarshal(body, &in); err != nil {
		refuse(w, err)
		return
	}
	id, location := h.ids.Add(1), ""
	var data []byte
	err = h.writer.write(func(ctx context.Context, tx *groupWriter) error {
		now := time.Now().UnixMicro()
		at, err := tx.begin(ctx, owner, now, 1)
		if err != nil {
			return err
		}
		deadline := now + int64(v1.PublishDeadline/time.Microsecond)
		if _, err := tx.submission.ExecContext(ctx, id, owner, nil, nil, in.PersonalReference, string(body), at, deadline, now); err != nil {
			return err
		}
		data = appendSubmission(nil, id, in.PersonalReference, at, deadline)
		location = "/v1/item-submissions/sub_" + strconv.FormatInt(id, 36)
		return tx.remember(ctx, owner, at, r.Header.Get("Idempotency-Key"), body, 202, data, location)
	})
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Location", location)
	answer(w, 202, func(b []byte) []byte { return append(b, data...) })
}

func (h *handwritten) submitBatch(w http.ResponseWriter, r *http.Request) {
	owner, err := h.caller(r)
	if err != nil {
		refuse(w, err)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 2<<20))
	if err != nil {
		refuse(w, err)
		return
	}
	var in struct {
		Items []jsontext.Value `json:"items"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		refuse(w, err)
		return
	}
	items := make([]submittedItem, len(in.Items))
	for i, text := range in.Items {
		if err := json.Unmarshal(text, &items[i]); err != nil {
			refuse(w, err)
			return
		}
	}
	first := h.ids.Add(int64(len(items))) - int64(len(items)) + 1
	batch := h.batches.Add(1)
	location := "/v1/item-batches/bat_" + strconv.FormatInt(batch, 36)
	var data []byte
	err = h.writer.write(func(ctx context.Context, tx *groupWriter) error {
		now := time.Now().UnixMicro()
		at, err := tx.begin(ctx, owner, now, len(items))
		if err != nil {
			return err
		}
		deadline := now + int64(v1.PublishDeadline/time.Microsecond)
		for i := range items {
			if _, err := tx.submission.ExecContext(ctx, first+int64(i), owner, batch, i, items[i].PersonalReference, string(in.Items[i]), at, deadline, now); err != nil {
				return err
			}
		}
		if _, err := tx.batch.ExecContext(ctx, batch, owner, len(items), 0, at); err != nil {
			return err
		}
		data = appendBatch(nil, batch, first, items)
		return tx.remember(ctx, owner, at, r.Header.Get("Idempotency-Key"), body, 202, data, location)
	})
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Location", location)
	answer(w, 202, func(b []byte) []byte { return append(b, data...) })
}

// submittedItem is an item decoded, its values unchecked.
type submittedItem struct {
	SaleType          string  `json:"sale_type"`
	Title             string  `json:"title"`
	Description       *string `json:"description"`
	PersonalReference *string `json:"personal_reference"`
	CategoryID        string  `json:"category_id"`
	Price             *struct {
		Amount   string `json:"amount"`
		Currency string `json:"currency"`
	} `json:"price"`
	Quantity     *int `json:"quantity"`
	DurationDays *int `json:"duration_days"`
	WeightGrams  *int `json:"weight_grams"`
}

func appendSubmission(b []byte, id int64, reference *string, created, deadline int64) []byte {
	b = strconv.AppendInt(append(b, `{"id":"sub_`...), id, 36)
	b = append(b, `","status":"pending","batch_id":null,"index":null,"personal_reference":`...)
	b = pointerQuote(b, reference)
	b = appendTime(append(b, `,"item_id":null,"item_url":null,"errors":[],"warnings":[],"created_at":`...), created)
	b = appendTime(append(b, `,"publish_deadline":`...), deadline)
	return append(b, `,"completed_at":null}`...)
}

func appendBatch(b []byte, batch, first int64, items []submittedItem) []byte {
	b = strconv.AppendInt(append(b, `{"id":"bat_`...), batch, 36)
	b = strconv.AppendInt(append(b, `","accepted_count":`...), int64(len(items)), 10)
	b = append(b, `,"rejected_count":0,"results":[`...)
	for i := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"index":`...), int64(i), 10)
		b = pointerQuote(append(b, `,"personal_reference":`...), items[i].PersonalReference)
		b = strconv.AppendInt(append(b, `,"status_code":202,"submission_id":"sub_`...), first+int64(i), 36)
		b = append(b, `","errors":[]}`...)
	}
	return append(b, `]}`...)
}

func pointerQuote(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return quote(b, *s)
}
