package limit

import (
	"cmp"
	"slices"
	"strings"

	"sellerd/v1"
)

// table is a table that is written: its columns with their types, and what all rows have in further ones.
type table struct{ name, columns, constants string }

// width is how many values a row has.
func (t table) width() int { return strings.Count(t.columns, ",") + 1 }

// The tables in the order in which they are written.
const (
	batchesTable = iota
	submissionsTable
	keysTable
	itemsTable // this and the next belong to publishing
	wordsTable
	eventsTable
	tableCount
)

var tables = [tableCount]table{
	{"batches", "id bigint, owner bigint, accepted_count bigint, created_at bigint", "rejected_count 0"},
	{
		"submissions", "id bigint, owner bigint, batch_id bigint, batch_index bigint, personal_reference text, draft text, created_at bigint, " +
			"publish_deadline bigint, due_at bigint", "status 'pending', errors '', warnings '', lease 0, attempts 0, shipping_model_id 0",
	},
	{"idempotency_keys", "id text, fingerprint bytea, body text, location text, expires_at bigint", "status 202"},
	{
		"items", "id bigint, owner bigint, sale_type text, title text, subtitle text, description text, personal_reference text, " +
			"category_id bigint, currency text, price bigint, starting_price bigint, bid_increment bigint, reserve_price bigint, " +
			"current_price bigint, quantity bigint, duration_days bigint, run_started_at bigint, ends_at bigint, due_at bigint, " +
			"published_at bigint, created_at bigint, updated_at bigint, renewals bigint, renewals_left bigint, shipping_model_id bigint, " +
			"weight_grams bigint, images text, options bigint, site text, search text, status text, bid_count bigint, quantity_sold bigint, " +
			"restart_count bigint, visit_count bigint, sequence bigint, lease bigint", "",
	},
	{"item_words", "owner bigint, word text, item_id bigint", ""},
	{"events", "id bigint, owner bigint, type text, resource_type text, resource_id bigint, sequence bigint, body text, created_at bigint", ""},
}

// split divides a list of pairs.
func split(list string) (names, others []string) {
	for pair := range strings.SplitSeq(list, ", ") {
		if name, other, found := strings.Cut(pair, " "); found {
			names, others = append(names, name), append(others, other)
		}
	}
	return names, others
}

// insert is the beginning of an INSERT, and what stands behind the values of a row.
func (t table) insert() (begin, end string) {
	columns, _ := split(t.columns)
	names, literals := split(t.constants)
	return "INSERT INTO " + t.name + " (" + strings.Join(append(columns, names...), ", ") + ") ", strings.Join(append([]string{""}, literals...), ", ")
}

// written are the values of new rows one after another, by table.
type written [tableCount][]any

func (r *written) add(table int, values ...any) { r[table] = append(r[table], values...) }

// rowsOf are the rows of a group, whose charges are dated.
func (h *Handler) rowsOf(all []*charge) (r written) {
	var words []word
	for _, c := range all {
		for _, t := range c.turns {
			var batch, index any
			if t.batch != 0 {
				batch = t.batch
				r.add(batchesTable, t.batch, t.owner, int64(len(t.submissions)), t.at)
			}
			for i, s := range t.submissions {
				if batch != nil {
					index = int64(i)
				}
				r.add(submissionsTable, s.id, t.owner, batch, index, text(s.in.PersonalReference), s.draft, t.at, t.deadline(), t.now)
			}
			if t.key != "" {
				r.add(keysTable, t.key, t.fingerprint[:], string(t.data), t.location, t.at+keyRetention)
			}
		}
		for _, s := range c.items {
			words = r.publish(s, h.made, h.ordered.Add(1), words)
		}
	}
	slices.SortFunc(words, func(a, b word) int { return cmp.Or(cmp.Compare(a.owner, b.owner), strings.Compare(a.text, b.text)) })
	for _, w := range words { // so neighbours in the tree come one after another
		r.add(wordsTable, w.owner, w.text, w.item)
	}
	return r
}

func text(o v1.Opt[string]) any {
	if !o.Set {
		return nil
	}
	return o.V
}

func whole[T ~int | ~int64](o v1.Opt[T]) any {
	if !o.Set {
		return nil
	}
	return int64(o.V)
}

func minor(o v1.Opt[v1.Money]) any { return whole(v1.Opt[v1.Amount]{V: o.V.Amount, Set: o.Set}) }
