package limit

// eventColumns are what the feed needs of an event, in the order of eventRow.cells.
const eventColumns = "created_at, id, body"

// eventRow is one row of events, overwritten by the next.
type eventRow struct {
	created, id number
	body        text
	cells       []column
}

func newEventRow() *eventRow {
	r := &eventRow{}
	r.cells = []column{&r.created, &r.id, &r.body}
	return r
}

func (r *eventRow) columns() []column { return r.cells }

func (r *eventRow) position() (key, id int64) { return r.created.n, r.id.n }

// append writes the event, which is stored as it is shown.
func (r *eventRow) append(b []byte) []byte { return append(b, r.body.b...) }
