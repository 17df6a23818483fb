package migrations

import (
	"maps"
	"regexp"
	"slices"
)

// Indexes are the names of the indexes that a database of a kind has after all migrations, in order. They are read from the migrations, because
// the tables of the generated model would bring all of its tools for migrations into the program (4.8 MB).
func Indexes(kind string) ([]string, error) {
	statement := regexp.MustCompile("(?m)^CREATE(?: UNIQUE)? INDEX(?: CONCURRENTLY)?(?: IF NOT EXISTS)? [\"`]?(\\w+)[\"`]? ON [\"`]?(\\w+)|" +
		"(?:^DROP INDEX(?: CONCURRENTLY)?(?: IF EXISTS)?|USING INDEX) [\"`]?(\\w+)|^DROP TABLE(?: IF EXISTS)? [\"`]?(\\w+)") // USING INDEX names it anew
	tables := map[string]string{} // of indexes
	err := each(kind, func(_ string, _ int64, text string) {
		for _, found := range statement.FindAllStringSubmatch(text, -1) {
			created, on, dropped, table := found[1], found[2], found[3], found[4]
			if created != "" {
				tables[created] = on
			}
			maps.DeleteFunc(tables, func(index, of string) bool { return index == dropped || of == table })
		}
	})
	return slices.Sorted(maps.Keys(tables)), err
}
