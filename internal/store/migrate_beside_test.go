package store

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"sellerd/internal/store/migrations"
)

// firstBeside is the first migration that is held to the rules here: those before it came before the rules, or are excused by their tests.
const firstBeside = "0017"

// Statements of a migration with which a program from before it could not go on, or would wait for long.
var breaking = map[string]*regexp.Regexp{
	"a column goes":                                   regexp.MustCompile(`(?i)DROP COLUMN`),
	"a table goes":                                    regexp.MustCompile(`(?i)DROP TABLE`),
	"a table or column gets another name":             regexp.MustCompile(`(?i)RENAME (TO|COLUMN)`),
	"a column becomes mandatory":                      regexp.MustCompile(`(?i)SET NOT NULL`),
	"a column gets another type":                      regexp.MustCompile(`(?i)ALTER COLUMN "?\w+"? (SET DATA )?TYPE`),
	"a new column must be filled, and has no default": regexp.MustCompile(`(?i)ADD COLUMN (IF NOT EXISTS )?["` + "`" + `]\w+["` + "`" + `] [\w ()]*NOT NULL\s*([,;]|$)`),
	"an index of PostgreSQL that locks out writers":   regexp.MustCompile(`(?i)CREATE (UNIQUE )?INDEX (IF NOT EXISTS )?"(\w+)" ON "(\w+)"`),
}

// few are tables of some thousand rows, whose indexes are built in a moment.
var few = map[string]bool{"accounts": true, "api_keys": true, "webhooks": true}

// TestMigrationsLetOlderServersGoOn reads what make soak-upgrade tries: servers of the release before run beside the new schema.
func TestMigrationsLetOlderServersGoOn(t *testing.T) {
	for _, kind := range []string{dialect.SQLite, dialect.Postgres} {
		files, err := migrations.Files(kind)
		if err != nil {
			t.Fatal(err)
		}
		names, err := fs.Glob(files, "*.sql")
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no migrations: %v", kind, err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				t.Fatal(err)
			}
			if name >= firstBeside {
				for _, broken := range breaks(string(text)) {
					t.Errorf("%s/%s: %s", kind, name, broken)
				}
			}
		}
	}
}

// breaks says what in a migration an older program could not bear. A table that the migration makes is not known to it.
func breaks(text string) (reasons []string) {
	made := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?i)CREATE TABLE (?:IF NOT EXISTS )?["`+"`"+`](\w+)`).FindAllStringSubmatch(text, -1) {
		made[found[1]] = true
	}
	text = regexp.MustCompile(`(?m)^--.*$`).ReplaceAllString(text, "")
	for reason, pattern := range breaking {
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			if table := found[len(found)-1]; !made[table] && !few[table] {
				reasons = append(reasons, reason+": "+strings.TrimSpace(found[0]))
			}
		}
	}
	return reasons
}

// TestBreaks expects that what breaks is seen, and nothing else.
func TestBreaks(t *testing.T) {
	for text, want := range map[string]int{
		"ALTER TABLE `bills` ADD COLUMN `name` text NOT NULL;":                                    1,
		`ALTER TABLE "bills" ADD COLUMN IF NOT EXISTS "name" text NOT NULL, ADD COLUMN "x" int;`:  1,
		`ALTER TABLE "bills" ADD COLUMN "name" text NOT NULL DEFAULT '';`:                         0,
		"ALTER TABLE `bills` ADD COLUMN `name` text NULL;":                                        0,
		`ALTER TABLE "bills" ALTER COLUMN "name" SET NOT NULL;`:                                   1,
		`ALTER TABLE "bills" ALTER COLUMN "name" TYPE text;`:                                      1,
		`ALTER TABLE "bills" DROP COLUMN "name";`:                                                 1,
		"ALTER TABLE `new_bills` RENAME TO `bills`;\nDROP TABLE `bills`;":                         2,
		`CREATE INDEX "bills_name" ON "bills" ("name");`:                                          1,
		`CREATE INDEX CONCURRENTLY "bills_name" ON "bills" ("name");`:                             0,
		`CREATE TABLE "audit" ("id" bigint NOT NULL); CREATE INDEX "audit_id" ON "audit" ("id");`: 0,
		"-- DROP TABLE `bills`;":                                                                  0,
	} {
		if got := breaks(text); len(got) != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}
