package rows

import "sellerd/v1/wire"

// Cut is a page of a list that is short enough to be read whole, with each request. The rows are in the order of their ids,
// which never changes, so a walk meets every row once that is there throughout. The scope binds the cursor to the list.
func Cut[T any](cursors Key, scope uint64, all []T, id func(*T) int64, after wire.Opt[string], limit int) (*Page[T], error) {
	if after.Set {
		last, err := cursors.Decode(after.V, scope)
		if err != nil {
			return nil, err
		}
		for len(all) > 0 && id(&all[0]) <= last.ID {
			all = all[1:]
		}
	}
	out := &Page[T]{Results: all}
	if len(all) > limit {
		out.Results = all[:limit:limit]
		out.NextCursor = wire.Some(cursors.Encode(Cursor{Scope: scope, ID: id(&all[limit-1])}))
	}
	return out, nil
}
