package importing

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sellerd/internal/base/filelock"
)

// state remembers which rows were listed, of all the files of a folder. It is a file of JSON lines that grows: a batch is written down with
// its key and its body before it is sent, and its answer afterwards. After an end at any point, the next run sends a batch without an
// answer once more, exactly as it was, and the service does the work once. The file is for its owner's eyes only.
type state struct {
	file    *os.File // nil in a run that changes nothing
	path    string
	to      string // the server, account, mode and run that the lines are about; others are left alone
	batches []*batch
	byKey   map[string]*batch
}

// batch is a batch that was sent, or is about to be.
type batch struct {
	key     string
	at      time.Time
	rows    []sentRow
	body    json.RawMessage
	id      string // of the service, once accepted
	settled bool   // there is an answer
}

// sentRow is a row of a batch.
type sentRow struct {
	ID         string `json:"id"`
	Reference  string `json:"reference,omitempty"`
	Row        int    `json:"row"` // of the file at that time
	bare       string // what it says without its reference
	file       string // its name
	shown      string // its name with the ending
	submission string // empty if it was not accepted
	final      bool
	item       string // once published; empty and final if publication rejected it
	problems   []Problem
}

func (r *sentRow) listed() bool { return r.submission != "" && (!r.final || r.item != "") }

// stateLine is a line of the file. It has one of the parts.
type stateLine struct {
	To     string           `json:"to"`
	Key    string           `json:"key,omitempty"`
	At     *time.Time       `json:"at,omitempty"` // of the plan
	File   string           `json:"file,omitempty"`
	Ending string           `json:"ending,omitempty"`
	Rows   []sentRow        `json:"rows,omitempty"`
	Body   json.RawMessage  `json:"body,omitempty"`
	Answer *answerLine      `json:"answer,omitempty"`
	Final  map[int]finalRow `json:"final,omitempty"`
	Reset  bool             `json:"reset,omitempty"` // the sandbox was reset: nothing before counts
}

type answerLine struct {
	Batch       string   `json:"batch,omitempty"`
	Submissions []string `json:"submissions,omitempty"`
}

type finalRow struct {
	Item     string    `json:"item,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
}

// openState opens the file. Only one import at a time may write to it: another would send a row that the first was refused again, in a
// batch with other rows behind it, and so under another key. A run that changes nothing only reads it.
func openState(path string, dryRun bool) (*state, error) {
	s := &state{path: path, byKey: map[string]*batch{}}
	if dryRun {
		return s, nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: what was listed cannot be remembered. Name another place with --state", err)
	}
	if held, _ := filelock.Try(file); held { // not every file system has locks
		_ = file.Close()
		return nil, fmt.Errorf("another import of this file, or of one in its folder, is running: wait until it has ended. It writes to %s", path)
	}
	s.file = file
	if folder, err := os.Open(filepath.Dir(path)); err == nil { // so that the name is on the disk, too; not every system can
		_ = folder.Sync()
		_ = folder.Close()
	}
	return s, nil
}

// oneSpelling has the address at the beginning in small letters and without a standard port, so that another spelling lists nothing twice.
func oneSpelling(to string) string {
	address, rest, _ := strings.Cut(to, " ")
	u, err := url.Parse(address)
	if err != nil {
		return to
	}
	u.Host = strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u.String() + " " + rest
}

// read reads what the file says about to. A line that a crash cut off is none: what it would have said did not happen.
func (s *state) read(to string) error {
	s.to = oneSpelling(to)
	text, err := os.ReadFile(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range bytes.Lines(text) {
		var l stateLine
		if json.Unmarshal(line, &l) == nil && oneSpelling(l.To) == s.to {
			s.apply(l)
		}
	}
	if s.file != nil && len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		_, err = s.file.WriteString("\n")
		return err
	}
	return nil
}

func (s *state) apply(l stateLine) {
	b := s.byKey[l.Key]
	switch {
	case l.Reset:
		s.batches, s.byKey = nil, map[string]*batch{}
	case l.At != nil:
		b = &batch{key: l.Key, at: *l.At, rows: l.Rows, body: l.Body}
		var body struct{ Items []json.RawMessage }
		_ = json.Unmarshal(l.Body, &body) // the program wrote it
		book, sheet, of := strings.Cut(l.File, sheetOf)
		shown := book + l.Ending
		if of {
			shown += sheetOf + sheet
		}
		for i := range b.rows {
			b.rows[i].file, b.rows[i].shown = l.File, shown
			if i < len(body.Items) {
				b.rows[i].bare = bare(body.Items[i])
			}
		}
		s.batches, s.byKey[l.Key] = append(s.batches, b), b
	case b == nil: // of a batch before a reset
	case l.Answer != nil:
		b.id, b.settled, b.body = l.Answer.Batch, true, nil
		for i := range min(len(b.rows), len(l.Answer.Submissions)) {
			b.rows[i].submission = l.Answer.Submissions[i]
		}
	default:
		for i, f := range l.Final {
			if i >= 0 && i < len(b.rows) {
				b.rows[i].final, b.rows[i].item, b.rows[i].problems = true, f.Item, f.Problems
			}
		}
	}
}

// write adds a line, and returns when it is on the disk.
func (s *state) write(l stateLine) error {
	l.To = s.to
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err = s.file.Write(append(line, '\n')); err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("%w: what was listed cannot be remembered", err)
	}
	s.apply(l)
	return nil
}

func (s *state) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// plan writes a batch down before it is sent.
func (s *state) plan(key string, at time.Time, file, ending string, rows []*Row, body []byte) (*batch, error) {
	sent := make([]sentRow, len(rows))
	for i, row := range rows {
		sent[i] = sentRow{ID: row.id, Reference: row.Reference, Row: row.Row}
	}
	err := s.write(stateLine{Key: key, At: &at, File: file, Ending: ending, Rows: sent, Body: body})
	return s.byKey[key], err
}

// settle writes an answer down. Without a batch, no row of it was accepted.
func (s *state) settle(b *batch, id string, submissions []string) error {
	return s.write(stateLine{Key: b.key, Answer: &answerLine{id, submissions}})
}

// bare is an item without its reference, in short.
func bare(item json.RawMessage) string {
	members := map[string]any{}
	_ = json.Unmarshal(item, &members) // the program wrote it
	delete(members, "personal_reference")
	sum := sha256.Sum256(encode(members))
	return string(sum[:16])
}

// listed are the rows that were accepted and not rejected later, by their identity. rejected are those that publication rejected.
func (s *state) listed() (byID map[string]*sentRow, rejected map[string][]*sentRow) {
	byID, rejected = map[string]*sentRow{}, map[string][]*sentRow{}
	for _, b := range s.batches {
		for i := range b.rows {
			switch row := &b.rows[i]; {
			case row.listed():
				byID[row.ID] = row
			case row.submission != "":
				rejected[row.ID] = append(rejected[row.ID], row)
			}
		}
	}
	return byID, rejected
}
