package docstest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// upgrades is the page that says what each release needs.
const upgrades = "docs/operator/operating-upgrades.md"

// TestEveryReleaseHasItsNote expects a row for each release of the change log, in their order, and each migration in one row.
func TestEveryReleaseHasItsNote(t *testing.T) {
	var releases []string
	for _, found := range regexp.MustCompile(`(?m)^    "version": "([^"]+)"`).FindAllStringSubmatch(read(t, "changelog/releases.json"), -1) {
		releases = append(releases, found[1])
	}
	var described, migrations []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([0-9]+\.[0-9]+\.[0-9]+) \| ([^|]*) \|`).FindAllStringSubmatch(read(t, upgrades), -1) {
		described = append(described, row[1])
		migrations = append(migrations, numbersOf(t, row[2])...)
	}
	if diff := cmp.Diff(releases, described); diff != "" {
		t.Errorf("%s does not say what each release needs (-in the change log +on the page):\n%s", upgrades, diff)
	}
	slices.Sort(migrations)
	if diff := cmp.Diff(migrationFiles(t), migrations); diff != "" {
		t.Errorf("%s: write the number of a new migration into the row of the open release, and what it costs (-files +on the page):\n%s", upgrades, diff)
	}
}

// numbersOf are those of a cell: none, one, "0015 and 0016", or "0001 to 0005".
func numbersOf(t *testing.T, cell string) (numbers []string) {
	t.Helper()
	found := regexp.MustCompile(`[0-9]{4}`).FindAllString(cell, -1)
	if len(found) != 2 || !regexp.MustCompile(` to `).MatchString(cell) {
		return found
	}
	first, err := strconv.Atoi(found[0])
	if err != nil {
		t.Fatal(err)
	}
	for n := first; len(numbers) == 0 || numbers[len(numbers)-1] != found[1]; n++ {
		numbers = append(numbers, fmt.Sprintf("%04d", n))
	}
	return numbers
}

// migrationFiles are the numbers of the files of both databases.
func migrationFiles(t *testing.T) (numbers []string) {
	t.Helper()
	for _, kind := range []string{"sqlite", "postgres"} {
		entries, err := os.ReadDir(filepath.Join(root, "internal/store/migrations", kind))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if filepath.Ext(entry.Name()) == ".sql" {
				numbers = append(numbers, entry.Name()[:4])
			}
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
