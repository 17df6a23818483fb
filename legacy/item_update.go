package legacy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/translate"
	"sellerd/v1"
)

// This file changes an item as a program does that saves the whole form which it filled from a read.

// updateAttempts is how often a change is made again because a buyer was faster.
const updateAttempts = 5

// itemUpdate changes an item. Old programs save the whole form that they filled from a read, so a quantity and an end mean what /rest shows.
// Then the item is read first, and changed only as it was read.
func itemUpdate(ctx context.Context, r *request) (any, error) {
	var members map[string]jsontext.Value
	err := json.Unmarshal(r.decoded.Body, &members)
	duration := r.fields.Text("duration")
	if err != nil || members["quantity"] == nil && (members["ends_at"] == nil || len(members) == 1 && duration == "") {
		return direct(ctx, r)
	}
	whole, notes := r.decoded.Body, r.decoded.Notes
	defer func() { r.call.IfMatch, r.decoded.Body = "", whole }()
	var result any
	for range updateAttempts {
		r.call.IfMatch, r.decoded.Body, r.decoded.Notes = "", whole, notes
		item, failed := v1.GetItem.Result(r.run(ctx, v1.GetItem.Operation, r.decoded.Path, "", nil))
		if failed != nil {
			return nil, failed
		}
		r.call.IfMatch = item.Etag()
		change := maps.Clone(members)
		if asShown(change, duration, item) {
			if r.decoded.Body, err = json.Marshal(change, json.Deterministic(true)); err != nil {
				return nil, err
			}
		}
		if members["ends_at"] != nil && change["ends_at"] == nil {
			r.decoded.Notes = slices.DeleteFunc(slices.Clone(notes), func(n translate.Note) bool { return n.Field == "duration" })
		}
		result, err = direct(ctx, r)
		if refused, ok := errors.AsType[v1.Errors](err); !ok || refused[0].Code != v1.PreconditionFailed {
			return result, tooMany(err, item)
		}
	}
	return result, err
}

// asShown gives the members of a change the meaning that they have on /rest, and says whether they differ then.
//
// The quantity is what shall be left, and /v1 counts the pieces that are sold as well. An end that is sent back as it is shown, in whole
// seconds, is not chosen by the seller; in /v1 it would take the place of the duration. Neither are the preferred day and time that come with
// it unchanged.
func asShown(change map[string]jsontext.Value, duration string, item *v1.Item) (differ bool) {
	if left, err := strconv.Atoi(string(change["quantity"])); err == nil && left > 0 && item.QuantitySold > 0 {
		change["quantity"], differ = strconv.AppendInt(nil, int64(left+item.QuantitySold), 10), true
	}
	end := item.EndsAt.V.Std().Truncate(time.Second).Format(time.RFC3339)
	if string(change["ends_at"]) != strconv.Quote(end) || !item.DurationDays.Set || item.BidCount > 0 {
		return differ
	}
	less := maps.Clone(change)
	for member, shown := range map[string]string{
		"ends_at": end, "preferred_end_day": item.PreferredEndDay.V, "preferred_end_time": item.PreferredEndTime.V,
	} {
		if string(less[member]) == strconv.Quote(shown) {
			delete(less, member)
		}
	}
	if days, err := strconv.Atoi(duration); err == nil && days > 0 && days != item.DurationDays.V {
		less["duration_days"] = strconv.AppendInt(nil, int64(days), 10)
	}
	if len(less) == 0 { // the end alone was sent, so it is meant
		return differ
	}
	clear(change)
	maps.Copy(change, less)
	return true
}

// tooMany completes the refusal of a quantity, whose limit counts the pieces that are sold.
func tooMany(err error, item *v1.Item) error {
	var refused v1.Errors
	if item.QuantitySold == 0 || !errors.As(err, &refused) {
		return err
	}
	for i := range refused {
		if refused[i].Field == "quantity" && refused[i].Code == v1.OutOfRange {
			refused[i].Message += fmt.Sprintf(" together with the %d that are sold", item.QuantitySold)
		}
	}
	return err
}
