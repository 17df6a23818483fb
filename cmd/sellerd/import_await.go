package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// This file waits for the publication of the items that the service accepted.

// How often to ask for outcomes, and for how long: the API promises them within 15 minutes.
const (
	firstAskWait = time.Second
	longestWait  = 10 * time.Second
	awaitAtMost  = 16 * time.Minute
)

// await reads the outcomes of the accepted batches, oldest first, until all are final. After a finished batch it reads the
// next one at once; otherwise it waits, longer each time.
func (im *importer) await(ctx context.Context) error {
	todo, waiting := im.accepted, 0
	for _, batch := range todo {
		waiting += batch.count(rowAccepted)
	}
	if waiting == 0 {
		return nil
	}
	im.progress.begin("publishing", waiting)
	wait, waited := firstAskWait, time.Duration(0)
	for len(todo) > 0 {
		batch := todo[0]
		todo = todo[1:]
		before := batch.count(rowAccepted)
		if err := im.ask(ctx, batch); err != nil {
			return fmt.Errorf("ask for the outcome of batch %s: %w", batch.id, err)
		}
		left := batch.count(rowAccepted)
		im.progress.add(before - left)
		if left == 0 {
			wait = firstAskWait
			continue
		}
		if waited >= awaitAtMost {
			return errors.New("rows are not final, though they should be after 15 minutes")
		}
		todo = append(todo, batch)
		if err := im.client.sleep(ctx, wait); err != nil {
			return err
		}
		waited += wait
		wait = min(2*wait, longestWait)
	}
	return nil
}

func (b *importBatch) count(outcome string) int {
	n := 0
	for _, row := range b.rows {
		if row.Outcome == outcome {
			n++
		}
	}
	return n
}

// ask reads the current state of a batch's rows.
func (im *importer) ask(ctx context.Context, batch *importBatch) error {
	answer, err := im.client.do(ctx, http.MethodGet, "/v1/item-batches/"+batch.id, "", nil)
	if err != nil {
		return err
	}
	if answer.status != http.StatusOK {
		return answer.failure()
	}
	var data struct {
		Submissions []struct {
			Index    int        `json:"index"`
			Status   string     `json:"status"`
			ItemID   string     `json:"item_id"`
			Errors   []apiError `json:"errors"`
			Warnings []apiError `json:"warnings"`
		} `json:"submissions"`
	}
	if err := json.Unmarshal(answer.data, &data); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	for _, submission := range data.Submissions {
		if submission.Index < 0 || submission.Index >= len(batch.rows) {
			return fmt.Errorf("the answer speaks of row %d", submission.Index)
		}
		row := batch.rows[submission.Index]
		switch submission.Status {
		case "published":
			row.Outcome, row.ItemID, row.Problems = rowPublished, submission.ItemID, submission.Warnings
		case "rejected":
			row.Outcome, row.Problems = rowRejected, submission.Errors
		}
	}
	return nil
}
