package privacy

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sellerd/v1/core"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file writes what is stored about an account or a buyer: rows of the tables as JSON objects, whose members are the columns.
// Instants are written as /v1 writes them, stored JSON as it is, and amounts in cents, as they are stored.

// exportPage is how many rows one statement reads.
const exportPage = 500

// ExportedFile is a file of an export, with the number of its lines.
type ExportedFile struct {
	Name  string `json:"name"`
	Lines int    `json:"lines"`
}

// ExportedAccount says what an export has. It is the last file of an export, too.
type ExportedAccount struct {
	AccountID  wire.ID        `json:"account_id"`
	ExportedAt wire.Time      `json:"exported_at"`
	Files      []ExportedFile `json:"files"`
}

// ExportAccount writes everything of an account but its secrets: a file with a JSON object on each line for each table and mode that has
// rows, and the addresses of the pictures. create begins a file; the one before it is complete then.
func (s *Privacy) ExportAccount(ctx context.Context, id int64, create func(name string) (io.Writer, error)) (*ExportedAccount, error) {
	if err := s.knowsAccount(ctx, id); err != nil {
		return nil, err
	}
	out := &ExportedAccount{AccountID: wire.ID(id), ExportedAt: s.Now()}
	for _, owner := range []core.Owner{core.OwnerOf(id, false), core.OwnerOf(id, true)} {
		for _, t := range catalogue() {
			name := owner.Mode() + "/" + t.name + ".ndjson"
			if t.by == "account" {
				if owner.Test() { // they were written with the live data
					continue
				}
				name = t.name + ".ndjson"
			}
			rows := exportFile{ExportedFile: ExportedFile{Name: name}, create: create}
			if err := s.eachRow(ctx, t, t.ofOwner(owner), rows.line); err != nil {
				return nil, err
			}
			out.add(rows)
		}
		pictures := exportFile{ExportedFile: ExportedFile{Name: owner.Mode() + "/pictures.txt"}, create: create}
		if err := s.eachPicture(ctx, owner, pictures.line); err != nil {
			return nil, err
		}
		out.add(pictures)
	}
	file, err := create("export.json")
	if err != nil {
		return nil, err
	}
	_, err = file.Write(append(wire.EncodeJSON(nil, out), '\n'))
	return out, err
}

func (out *ExportedAccount) add(file exportFile) {
	if file.Lines > 0 {
		out.Files = append(out.Files, file.ExportedFile)
	}
}

// knowsAccount fails with ErrNoAccount if there is no such account.
func (s *Privacy) knowsAccount(ctx context.Context, id int64) error {
	_, err := s.Store.Reader().Account.Get(ctx, id)
	return core.Missing(err, core.ErrNoAccount, "load account %d", id)
}

// exportFile is a file of an export, which begins with its first line.
type exportFile struct {
	ExportedFile
	create func(name string) (io.Writer, error)
	out    io.Writer
}

// line writes a line.
func (f *exportFile) line(text []byte) (err error) {
	if f.out == nil {
		if f.out, err = f.create(f.Name); err != nil {
			return err
		}
	}
	f.Lines++
	_, err = f.out.Write(append(text, '\n'))
	return err
}

// eachPicture yields the addresses of the pictures of an owner's items.
func (s *Privacy) eachPicture(ctx context.Context, owner core.Owner, yield func(address []byte) error) error {
	items := &catalogued{name: "items", order: []string{"created_at", "id"}, columns: []column{{"images", classText, "json"}}}
	return s.eachRow(ctx, items, fmt.Sprintf("owner = %d", owner), func(object []byte) error {
		var of struct {
			Images []struct {
				URL string `json:"url"`
			} `json:"images"`
		}
		if err := json.Unmarshal(object, &of); err != nil {
			return fmt.Errorf("read pictures: %w", err)
		}
		for _, picture := range of.Images {
			if err := yield([]byte(picture.URL)); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachRow yields the rows of a table that meet a condition, as JSON objects, in the table's order. Each page is a statement of its own, so
// that a long export holds no version of the database. What yield gets, it may keep.
func (s *Privacy) eachRow(ctx context.Context, t *catalogued, condition string, yield func(object []byte) error) error {
	shown := t.shown()
	if len(t.order) == 0 || condition == "1 = 0" {
		return nil
	}
	var names []string
	for _, c := range shown {
		names = append(names, c.name)
	}
	order := strings.Join(t.order, ", ")
	from := `SELECT ` + strings.Join(append(names, t.order...), ", ") + ` FROM ` + t.name + ` WHERE ` + condition
	last, places := []any(nil), []string{"$1", "$2"}[:len(t.order)]
	for {
		text, page := from, 0
		if last != nil {
			text += ` AND (` + order + `) > (` + strings.Join(places, ", ") + `)`
		}
		text += fmt.Sprintf(` ORDER BY %s LIMIT %d`, order, exportPage)
		var objects [][]byte
		err := rows.Query(ctx, s.Store.Reader(), text, last, func(found *sql.Rows) error {
			page++
			values, targets := make([]any, len(shown)+len(t.order)), make([]any, len(shown)+len(t.order))
			for i := range values {
				targets[i] = &values[i]
			}
			if err := found.Scan(targets...); err != nil {
				return err
			}
			object, err := rowObject(shown, values)
			objects, last = append(objects, object), values[len(shown):]
			return err
		})
		if err != nil {
			return fmt.Errorf("export %s: %w", t.name, err)
		}
		for _, object := range objects { // no statement is open while the reader of the export is slow
			if err := yield(object); err != nil {
				return err
			}
		}
		if page < exportPage {
			return nil
		}
	}
}

// rowObject is a row as a JSON object.
func rowObject(columns []column, values []any) ([]byte, error) {
	out := []byte("{")
	for i, c := range columns {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `"`+c.name+`":`...)
		text, isText := values[i].(string)
		number, isNumber := values[i].(int64)
		switch {
		case c.format == "json" && isText && json.Valid([]byte(text)):
			out = append(out, text...)
		case c.format == "json" && text == "":
			out = append(out, "null"...)
		case c.format == "time" && isNumber && number > 0:
			out = append(out, `"`+wire.Time(number).String()+`"`...)
		default:
			value, err := json.Marshal(values[i])
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", c.name, err)
			}
			out = append(out, value...)
		}
	}
	return append(out, '}'), nil
}
