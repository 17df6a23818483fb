package migrations

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
)

// Indexes are the names of the indexes that a database of a kind has after all migrations, in order. They are read from the migrations, because
// the tables of the generated model would bring all of its tools for migrations into the program (4.8 MB).
func Indexes(kind string) ([]string, error) {
	paths, err := fs.Glob(files, kinds[kind].folder+"/*.sql")
	if err != nil {
		return nil, fmt.Errorf("find the migrations: %w", err)
	}
	statement := regexp.MustCompile("(?m)^CREATE(?: UNIQUE)? INDEX(?: CONCURRENTLY)?(?: IF NOT EXISTS)? [\"`]?(\\w+)[\"`]? ON [\"`]?(\\w+)|" +
		"(?:^DROP INDEX(?: CONCURRENTLY)?(?: IF EXISTS)?|USING INDEX) [\"`]?(\\w+)|^DROP TABLE(?: IF EXISTS)? [\"`]?(\\w+)") // USING INDEX names it anew
	tables := map[string]string{} // of indexes
	for _, path := range slices.Sorted(slices.Values(paths)) {
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, fmt.Errorf("read a migration: %w", err)
		}
		for _, found := range statement.FindAllStringSubmatch(string(text), -1) {
			created, on, dropped, table := found[1], found[2], found[3], found[4]
			if created != "" {
				tables[created] = on
			}
			maps.DeleteFunc(tables, func(index, of string) bool { return index == dropped || of == table })
		}
	}
	return slices.Sorted(maps.Keys(tables)), nil
}
