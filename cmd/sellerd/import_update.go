package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// This file changes the items that the rows of a file name.

// changing changes the items that the rows name, and rehearsing finds out what that would do.
var (
	changing = target{
		path: "/v1/item-changes", list: "changes", success: http.StatusOK, columns: updateColumns(), entry: changeOf, done: "changed",
		take: (*importer).takeChanged, keys: "update",
	}
	rehearsing = target{
		path: "/v1/item-changes?validate_only=true", list: "changes", success: http.StatusOK, columns: updateColumns(), entry: changeOf, done: "changed",
		take: (*importer).takeValid, keys: "rehearse",
	}
)

// target is the operation that takes the file's rows.
func (c *importFileCmd) target() target {
	switch {
	case !c.Update:
		return listing
	case c.DryRun:
		return rehearsing
	default:
		return changing
	}
}

// updateColumns are the columns that a file of changes may have: those that name an item, the one that closes it, and those of listings
// that can change.
func updateColumns() []importColumn {
	naming := []importColumn{{"reference", nil}, {"personal_reference", nil}, {"item_id", nil}, {"close", nil}}
	fixed := []string{"personal_reference", "sale_type", "starts_at"}
	return append(naming, slices.DeleteFunc(slices.Clone(importColumns), func(c importColumn) bool { return slices.Contains(fixed, c.name) })...)
}

func updateColumnNames() []string { return columnNamesOf(updateColumns()) }

// referenceOf is the reference in a row. Files of changes may have the column under its name in files of listings.
func referenceOf(cells func(column string) string) string {
	return cmp.Or(strings.TrimSpace(cells("reference")), strings.TrimSpace(cells("personal_reference")))
}

// changeOf is a row as a change of an item.
func changeOf(cells func(column string) string) any {
	change := map[string]any{}
	if reference := referenceOf(cells); reference != "" {
		change["personal_reference"] = reference
	}
	if id := strings.TrimSpace(cells("item_id")); id != "" {
		change["item_id"] = id
	}
	switch why := strings.ToLower(strings.TrimSpace(cells("close"))); why {
	case "", "no", "false", "0":
		change["patch"] = members(updateColumns(), cells)
	case "yes", "true", "1", "x":
		change["close"] = map[string]any{}
	default:
		change["close"] = map[string]any{"reason": why}
	}
	return change
}

func (im *importer) takeChanged(batch *importBatch, answer apiAnswer) ([]*importRow, error) {
	return nil, batch.takeResults(answer, rowChanged)
}

func (im *importer) takeValid(batch *importBatch, answer apiAnswer) ([]*importRow, error) {
	return nil, batch.takeResults(answer, rowValid)
}

// takeResults gives each row of a call with changes its outcome.
func (b *importBatch) takeResults(answer apiAnswer, done string) error {
	var data struct {
		Results []struct {
			StatusCode int        `json:"status_code"`
			ItemID     string     `json:"item_id"`
			Errors     []apiError `json:"errors"`
		} `json:"results"`
	}
	if err := json.Unmarshal(answer.data, &data); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if len(data.Results) != len(b.rows) {
		return fmt.Errorf("the answer speaks of %d rows instead of %d", len(data.Results), len(b.rows))
	}
	for i, result := range data.Results {
		row := b.rows[i]
		row.ItemID = result.ItemID
		if result.StatusCode != http.StatusOK {
			row.refuse(result.Errors)
			continue
		}
		row.Outcome, row.Replayed = done, answer.replayed
	}
	return nil
}
