package translate_test

import (
	"slices"
	"testing"

	"sellerd/translate"
)

// TestDroppingAnyRowIsNoticed changes the tables in every small way, one at a time, and wants the proof to fail.
func TestDroppingAnyRowIsNoticed(t *testing.T) {
	if err := proof(translate.Calls, translate.NotificationTypes); err != nil {
		t.Fatal(err)
	}
	m := mutation{t: t}
	for _, call := range translate.Calls {
		m.calls(call)
	}
	m.enumerations()
	m.errorRows()
	m.notifications()
	t.Logf("rows %d, caught %d; swapped paths %d, caught %d; lost converters %d, caught %d", m.dropped.tried, m.dropped.caught,
		m.swapped.tried, m.swapped.caught, m.unconverted.tried, m.unconverted.caught)
}

type mutation struct {
	t                             *testing.T
	dropped, swapped, unconverted tally
}

type tally struct{ tried, caught int }

// count demands that the proof of something changed fails.
func (m *mutation) count(into *tally, what string, err error) {
	into.tried++
	if err == nil {
		m.t.Errorf("no sample and no golden shows %s", what)
		return
	}
	into.caught++
}

// clone copies a call so that its rows can change.
func clone(call *translate.Call) *translate.Call {
	c := *call
	c.In, c.Out = slices.Clone(call.In), slices.Clone(call.Out)
	return &c
}

// side is the rows of one direction of a call.
func side(call *translate.Call, d translate.Direction) *[]translate.Row {
	if d == translate.In {
		return &call.In
	}
	return &call.Out
}

func (m *mutation) calls(call *translate.Call) {
	for _, d := range []translate.Direction{translate.In, translate.Out} {
		rows := *side(call, d)
		for i := range rows {
			where := call.ID + ": " + rows[i].Legacy + " " + rows[i].V1 + " " + rows[i].Const
			changed := clone(call)
			*side(changed, d) = slices.Delete(*side(changed, d), i, i+1)
			m.count(&m.dropped, "a lost row, "+where, proof([]*translate.Call{changed}, nil))

			if i+1 < len(rows) && rows[i].V1 != rows[i+1].V1 {
				changed = clone(call)
				in := *side(changed, d)
				in[i].V1, in[i+1].V1 = in[i+1].V1, in[i].V1
				m.count(&m.swapped, "swapped paths, "+where, proof([]*translate.Call{changed}, nil))
			}
			if converts(&rows[i], d) {
				changed = clone(call)
				(*side(changed, d))[i].Convert = nil
				m.count(&m.unconverted, "a lost converter, "+where, proof([]*translate.Call{changed}, nil))
			}
		}
	}
}

// converts says whether a row's converter does anything in a direction: amounts, for one, are already written by /v1 as
// /rest has them, and markup is taken as it comes.
func converts(row *translate.Row, d translate.Direction) bool {
	switch c := row.Convert; {
	case c == nil:
		return false
	case d == translate.In:
		return c != translate.Markup
	default:
		return string(c.AppendLegacy(nil, []byte(c.Example[1]))) != c.Example[1]
	}
}

// enumerations loses each pair of each enumeration, wherever it is used.
func (m *mutation) enumerations() {
	for _, c := range translate.Converters {
		for i := range c.Pairs {
			less := translate.WithoutPair(c, i)
			var changed []*translate.Call
			for _, call := range translate.Calls {
				if copied := clone(call); replace(copied.In, c, less)+replace(copied.Out, c, less) > 0 {
					changed = append(changed, copied)
				}
			}
			m.count(&m.dropped, "a lost pair, "+c.Name+": "+c.Pairs[i][0], proof(changed, nil))
		}
	}
}

// replace puts another converter into rows and counts those that had the first.
func replace(rows []translate.Row, was, is *translate.Converter) (n int) {
	for i := range rows {
		if rows[i].Convert == was {
			rows[i].Convert = is
			n++
		}
	}
	return n
}

func (m *mutation) errorRows() {
	all := translate.ErrorRows
	defer func() { translate.ErrorRows = all }()
	for i, row := range all {
		translate.ErrorRows = slices.Delete(slices.Clone(all), i, i+1)
		m.count(&m.dropped, "a lost text of "+string(row.Code), proof(translate.Calls, nil))
	}
}

func (m *mutation) notifications() {
	for n, kind := range translate.NotificationTypes {
		for i, row := range kind.Rows {
			changed := *kind
			changed.Rows = slices.Delete(slices.Clone(kind.Rows), i, i+1)
			types := slices.Clone(translate.NotificationTypes)
			types[n] = &changed
			m.count(&m.dropped, "a lost row, "+kind.Type+": "+row.Legacy, proof(nil, types))

			if i+1 < len(kind.Rows) && row.V1 != kind.Rows[i+1].V1 {
				changed := *kind
				changed.Rows = slices.Clone(kind.Rows)
				changed.Rows[i].V1, changed.Rows[i+1].V1 = changed.Rows[i+1].V1, changed.Rows[i].V1
				types[n] = &changed
				m.count(&m.swapped, "swapped paths, "+kind.Type+": "+row.Legacy, proof(nil, types))
			}
		}
	}
}
