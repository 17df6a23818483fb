package legacy

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/v1"
)

// This file changes an item as a program does that saves the whole form which it filled from a read.

// itemUpdate changes an item. Old programs save the whole form that they filled from a read, so a quantity and an end mean what /rest shows.
// Then the item is read first, and changed only as it was read.
func itemUpdate(ctx context.Context, r *request) (any, error) {
	var members map[string]jsontext.Value
	err := json.Unmarshal(r.decoded.Body, &members)
	if err != nil || members["quantity"] == nil && (members["ends_at"] == nil || len(members) == 1) {
		return direct(ctx, r)
	}
	whole := r.decoded.Body
	defer func() { r.call.IfMatch, r.decoded.Body = "", whole }()
	for {
		r.call.IfMatch, r.decoded.Body = "", whole
		item, err := v1.GetItem.Result(r.run(ctx, v1.GetItem.Operation, r.decoded.Path, "", nil))
		if err != nil {
			return nil, err
		}
		r.call.IfMatch = item.Etag()
		if change := maps.Clone(members); asShown(change, item) {
			if r.decoded.Body, err = json.Marshal(change, json.Deterministic(true)); err != nil {
				return nil, err
			}
		}
		result, err := direct(ctx, r)
		var refused v1.Errors
		if errors.As(err, &refused) && refused[0].Code == v1.PreconditionFailed {
			continue // a buyer was faster
		}
		return result, err
	}
}

// asShown gives the members of a change the meaning that they have on /rest, and says whether they differ then. The quantity is what shall
// be left, and /v1 counts the pieces that are sold as well. The end that is shown, in whole seconds, is none of the seller's choice, which
// would take the place of the duration.
func asShown(change map[string]jsontext.Value, item *v1.Item) (differ bool) {
	if left, err := strconv.Atoi(string(change["quantity"])); err == nil && left > 0 && item.QuantitySold > 0 {
		change["quantity"], differ = strconv.AppendInt(nil, int64(left+item.QuantitySold), 10), true
	}
	schedule := map[string]string{
		"ends_at":           item.EndsAt.V.Std().Truncate(time.Second).Format(time.RFC3339),
		"preferred_end_day": item.PreferredEndDay.V, "preferred_end_time": item.PreferredEndTime.V,
	}
	others := len(change)
	for member, shown := range schedule {
		if text := change[member]; text != nil {
			if string(text) != strconv.Quote(shown) {
				return differ
			}
			others--
		}
	}
	if change["ends_at"] == nil || others == 0 || !item.DurationDays.Set || item.BidCount > 0 {
		return differ
	}
	for member := range schedule {
		delete(change, member)
	}
	return true
}
