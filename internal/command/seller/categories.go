package seller

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sellerd/internal/apiclient"
	"sellerd/internal/command"
)

// Categories finds the number of a category, which the column Category ID of an import takes.
type Categories struct {
	Words    []string `arg:"" help:"Parts of names: of the category, or of those that it is in. Case and accents do not matter."`
	Language string   `default:"en" enum:"en,fr,de,it,es,nl" placeholder:"NAME" help:"Language of the names: en, fr, de, it, es or nl (default: ${default})."`

	account
}

type category struct {
	ID   string     `json:"id"`
	Name string     `json:"name"`
	Path []category `json:"path"` // ends with itself
}

// Run prints the categories.
func (c *Categories) Run(ctx context.Context, p *command.Program) error {
	client, err := c.client(ctx, p)
	if err != nil {
		return err
	}
	lines, err := c.find(ctx, client)
	for _, line := range lines {
		fmt.Println(line)
	}
	return err
}

// find returns a line for each category that has all words, in the order of the tree. It is an error if there is none.
func (c *Categories) find(ctx context.Context, client *apiclient.Client) (lines []string, err error) {
	client.Language = c.Language
	var having []map[string]bool // the ids of the categories whose names have a word
	for _, word := range c.Words {
		ids := map[string]bool{}
		if err := eachCategory(ctx, client, url.Values{"q": {word}}, func(of category) { ids[of.ID] = true }); err != nil {
			return nil, err
		}
		having = append(having, ids)
	}
	err = eachCategory(ctx, client, url.Values{"leaves_only": {"true"}}, func(leaf category) {
		var names []string
		for _, step := range leaf.Path {
			names = append(names, step.Name)
		}
		lacks := func(ids map[string]bool) bool {
			return !slices.ContainsFunc(leaf.Path, func(step category) bool { return ids[step.ID] })
		}
		if !slices.ContainsFunc(having, lacks) {
			lines = append(lines, fmt.Sprintf("%-9s %s", leaf.ID, strings.Join(names, " > ")))
		}
	})
	if err == nil && len(lines) == 0 {
		err = fmt.Errorf("no category has all of these words: %s. Try fewer of them, or the beginning of one", strings.Join(c.Words, " "))
	}
	return lines, err
}

// eachCategory reads a list of categories to its end.
func eachCategory(ctx context.Context, client *apiclient.Client, query url.Values, each func(category)) error {
	return apiclient.Walk(ctx, client, "/v1/categories", query, func(results []category) error {
		for _, of := range results {
			each(of)
		}
		return nil
	})
}
