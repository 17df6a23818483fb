package importing

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sellerd/internal/apiclient"
)

// This file puts rows into requests, and gives them the errors of the answers.

// What a request may hold, as the API's documentation has it.
const (
	maxEntries = 100
	maxBytes   = 2 << 20
)

// refuse records the errors of the service about a row.
func (r *Row) refuse(errs []apiclient.Error) {
	r.Outcome = Refused
	for _, e := range errs {
		message := e.Message
		switch {
		case e.Code == "reference_ambiguous":
			message += r.whichOf()
		case e.Code == "invalid_value" && strings.HasSuffix(e.Field, "category_id"):
			message = "A category is its number alone, such as 1010101. `sellerd categories` finds it by words."
		case e.Code == "item_partially_sold" && strings.HasSuffix(e.Field, "quantity"):
			message += fmt.Sprintf(" A quantity counts the pieces that are sold, too, and %d are.", r.sold)
		case e.Code == "out_of_range" && strings.HasSuffix(e.Field, "patch.quantity"):
			message += ". To take the item off sale, write yes in the column close."
		}
		r.wrong(Problem{Code: e.Code, Message: message, Field: e.Field})
	}
	if len(r.Problems) == 0 {
		r.Problems = []Problem{{Message: "Refused with its batch, without a reason of its own."}}
	}
}

// whichOf says which items a reference may mean, and how to name one of them.
func (r *Row) whichOf() string {
	var names []string
	for i, it := range r.several {
		if i == 5 {
			names = append(names, "…")
			break
		}
		names = append(names, it.ID+" ("+it.Status+")")
	}
	if names == nil {
		return ""
	}
	return " Name one of them in the column item_id: " + strings.Join(names, ", ") + "."
}

// refuseAll gives each row of a request in which nothing was valid its errors.
func refuseAll(rows []*Row, errs []apiclient.Error) {
	general := refuseOwn(rows, errs)
	for _, row := range rows {
		if row.Outcome != Refused {
			row.refuse(general)
		}
	}
}

// refuseOwn gives rows the errors that are about one of them, and returns the others.
func refuseOwn(rows []*Row, errs []apiclient.Error) (general []apiclient.Error) {
	own := map[int][]apiclient.Error{}
	for _, e := range errs {
		if e.Index != nil && *e.Index >= 0 && *e.Index < len(rows) {
			own[*e.Index] = append(own[*e.Index], e)
		} else {
			general = append(general, e)
		}
	}
	for i, errs := range own {
		rows[i].refuse(errs)
	}
	return general
}

// split puts rows into requests by count and size.
func split(rows []*Row) (requests [][]*Row) {
	size := 0
	for _, row := range rows {
		n := len(requests)
		if n == 0 || len(requests[n-1]) == maxEntries || size+len(row.item)+1 > maxBytes {
			requests, n, size = append(requests, nil), n+1, len(`{"changes":[]}`)
		}
		requests[n-1] = append(requests[n-1], row)
		size += len(row.item) + 1
	}
	return requests
}

// bodyOf is a request with the rows in a list.
func bodyOf(list string, rows []*Row) []byte {
	items := make([]string, len(rows))
	for i, row := range rows {
		items[i] = string(row.item)
	}
	return []byte(`{"` + list + `":[` + strings.Join(items, ",") + `]}`)
}

var errSpeaksOfOthers = errors.New("the answer speaks of other rows than those that were sent")

// batchAnswer is what a batch is answered, a check of it, or a call with changes.
type batchAnswer struct {
	ID      string `json:"id"` // of a batch
	Results []struct {
		StatusCode   int               `json:"status_code"`
		SubmissionID string            `json:"submission_id"` // of an accepted row
		ItemID       string            `json:"item_id"`       // of a change
		Errors       []apiclient.Error `json:"errors"`
	} `json:"results"`
}

func answerAbout(rows []*Row, answer apiclient.Answer) (data batchAnswer, err error) {
	if err := json.Unmarshal(answer.Data, &data); err != nil {
		return data, fmt.Errorf("read the answer: %w", err)
	}
	if len(data.Results) != len(rows) {
		return data, errSpeaksOfOthers
	}
	return data, nil
}
