package servertest

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"entgo.io/ent/dialect"
	"golang.org/x/text/encoding/charmap"

	"sellerd/internal/store"
)

// This file looks for texts that must not be kept, in whatever format somebody may have stored them.

// Spellings are the forms in which a text may be stored: raw, in Latin-1, in JSON, in XML, percent-encoded once or twice, in base64
// and in hexadecimal. They are in lower case, and none contains another one.
func Spellings(text string) [][]byte {
	forms := [][]byte{[]byte(text)}
	if latin1, err := charmap.ISO8859_1.NewEncoder().Bytes([]byte(text)); err == nil { // else it has other letters
		forms = append(forms, latin1)
	}
	for _, quot := range [][2]string{{"&#34;", "&#39;"}, {"&quot;", "&apos;"}, {`"`, "'"}} {
		in := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, quot[0], "'", quot[1]).Replace(text)
		forms = append(forms, []byte(in), []byte(references(in)))
	}
	for _, ascii := range []bool{false, true} {
		once := inJSON(text, ascii)
		forms = append(forms, []byte(once), []byte(inJSON(once, ascii)))
	}
	for _, form := range forms { // of the forms so far
		for _, escape := range []func(string) string{url.QueryEscape, url.PathEscape, percentAll} {
			once := escape(string(form))
			forms = append(forms, []byte(once), []byte(escape(once)))
		}
		forms = append(forms, []byte(hex.EncodeToString(form)))
		for skip := range 3 { // base64 depends on what stands before
			padded := base64.StdEncoding.EncodeToString(append(make([]byte, skip), form...))
			from, to := (skip*8+5)/6, (skip+len(form))*8/6 // of the letters that depend on nothing else
			forms = append(forms, []byte(padded[from:to]))
		}
	}
	var short [][]byte
	for _, form := range forms {
		form = bytes.ToLower(form)
		if !slices.ContainsFunc(short, func(other []byte) bool { return bytes.Contains(form, other) }) {
			short = append(short, form)
		}
	}
	return short
}

// references is a text in XML whose letters beyond ASCII are references.
func references(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r < 0x80 {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "&#%d;", r)
		}
	}
	return out.String()
}

// percentAll encodes every byte that is no letter and no digit.
func percentAll(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		if b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

// inJSON is a text within a JSON string, which may have to be ASCII.
func inJSON(text string, ascii bool) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r < 0x80 || !ascii:
			out.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		}
	}
	return out.String()
}

// Traces looks for texts in every column of every table, and says where it found which. It has no list of tables, so that it does
// not miss new ones.
func Traces(tb testing.TB, db *store.DB, texts ...string) (found []string) {
	tb.Helper()
	columns := `SELECT m.name, '"' || c.name || '"' FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, 2`
	if db.Dialect() == dialect.Postgres {
		columns = `SELECT table_name, '"' || column_name || CASE data_type WHEN 'bytea' THEN '"' ELSE '"::text' END
 FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2`
	}
	var names [][2]string
	query(tb, db, columns, func(rows *sql.Rows) error {
		names = append(names, [2]string{})
		last := &names[len(names)-1]
		return rows.Scan(&last[0], &last[1])
	})
	if len(names) < 100 {
		tb.Fatalf("only %d columns are looked at", len(names))
	}
	if db.Dialect() == dialect.Postgres { // what the planner knows of values
		names = append(names, [2]string{"pg_stats", "most_common_vals::text"}, [2]string{"pg_stats", "histogram_bounds::text"})
	}
	spellings := allSpellings(texts)
	for _, name := range names {
		counts := map[string]int{}
		query(tb, db, `SELECT `+name[1]+` FROM "`+name[0]+`" WHERE `+name[1]+` IS NOT NULL`, func(rows *sql.Rows) error {
			var cell any
			if err := rows.Scan(&cell); err != nil {
				return err
			}
			content, binary := cell.([]byte)
			if !binary {
				content = []byte(fmt.Sprint(cell))
			}
			for text := range countSpellings(content, spellings) {
				counts[text]++
			}
			return nil
		})
		found = append(found, lines(name[0]+"."+name[1], counts, "rows")...)
	}
	return found
}

func query(tb testing.TB, db *store.DB, text string, each func(*sql.Rows) error) {
	tb.Helper()
	rows, err := db.Reader().QueryContext(context.Background(), text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			tb.Fatalf("%s: %v", text, err)
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
}

// ServerTraces looks for texts in the bytes of all files of a PostgreSQL database: tables, their long values (TOAST), indexes, and what the
// planner keeps. It has each of them written anew first (VACUUM FULL), which leaves the server's log and its archive.
func ServerTraces(tb testing.TB, db *store.DB, texts ...string) (found []string) {
	tb.Helper()
	for _, statement := range []string{"VACUUM FULL", "CHECKPOINT"} {
		if _, err := db.Reader().ExecContext(context.Background(), statement); err != nil {
			tb.Fatalf("%s: %v", statement, err)
		}
	}
	spellings, files := allSpellings(texts), 0
	query(tb, db, `SELECT c.oid::regclass::text, pg_read_binary_file(pg_relation_filepath(c.oid), 0, 100000000, true) FROM pg_class c
 WHERE pg_relation_filepath(c.oid) IS NOT NULL AND NOT relisshared`, func(rows *sql.Rows) error {
		var name string
		var content []byte
		if err := rows.Scan(&name, &content); err != nil {
			return err
		}
		files++
		found = append(found, lines(name, countSpellings(content, spellings), "times")...)
		return nil
	})
	if files < 100 {
		tb.Fatalf("only %d files are looked at", files)
	}
	slices.Sort(found)
	return found
}

// FileTraces looks for texts in the bytes of a SQLite file and of the files beside it, and says where it found which.
func FileTraces(tb testing.TB, path string, texts ...string) (found []string) {
	tb.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no files of %s: %v", path, err)
	}
	spellings := allSpellings(texts)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		found = append(found, lines(filepath.Base(file), countSpellings(content, spellings), "times")...)
	}
	return found
}

type spelling struct {
	text string
	form []byte
}

func allSpellings(texts []string) (all []spelling) {
	for _, text := range texts {
		for _, form := range Spellings(text) {
			all = append(all, spelling{text, form})
		}
	}
	return all
}

func countSpellings(content []byte, spellings []spelling) map[string]int {
	content = bytes.ToLower(content)
	counts := map[string]int{}
	for _, s := range spellings {
		if n := bytes.Count(content, s.form); n > 0 {
			counts[s.text] += n
		}
	}
	return counts
}

// lines say in how many rows, or how many times, each text was found in a place.
func lines(place string, counts map[string]int, unit string) (found []string) {
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		found = append(found, fmt.Sprintf("%s: %q %d %s", place, text, counts[text], unit))
	}
	return found
}

// DatabaseFile is the path of the file of a SQLite world, empty on PostgreSQL.
func DatabaseFile(tb testing.TB, db *store.DB) (path string) {
	tb.Helper()
	if db.Dialect() == dialect.Postgres {
		return ""
	}
	query(tb, db, `SELECT file FROM pragma_database_list WHERE name = 'main'`, func(rows *sql.Rows) error { return rows.Scan(&path) })
	return cmp.Or(path, "no file")
}
