package exporting

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
)

// spool keeps the rows of items in a temporary file until all are there, and then has them in the order in which the items were submitted,
// which is that of their ids. The list has them in the order of their publication, which pictures delay: after an import of the file, another
// export would have the same rows in another order.
type spool struct {
	file   *os.File
	places []place
	end    int64
}

// place is where a row is.
type place struct{ id, offset, length int64 }

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "export-*") // made 0600
	if err != nil {
		err = fmt.Errorf("no temporary file can be made in %s: %w", os.TempDir(), err)
	}
	return &spool{file: file}, err
}

func (s *spool) add(id string, cells []string) error {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return err
	}
	text, err := json.Marshal(cells)
	if err != nil {
		return err
	}
	s.places = append(s.places, place{n, s.end, int64(len(text))})
	s.end += int64(len(text))
	_, err = s.file.Write(text)
	return err
}

// each passes the rows.
func (s *spool) each(row func(cells []string) error) error {
	slices.SortFunc(s.places, func(a, b place) int { return cmp.Compare(a.id, b.id) })
	var cells []string
	for _, place := range s.places {
		text := make([]byte, place.length)
		if _, err := s.file.ReadAt(text, place.offset); err != nil {
			return err
		}
		if err := json.Unmarshal(text, &cells); err != nil {
			return err
		}
		if err := row(cells); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the file.
func (s *spool) remove() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name()) // nothing depends on it
}
