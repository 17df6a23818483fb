package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sellerd/internal/base/each"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// Category is a category of the marketplace's tree.
type Category struct {
	ID          wire.ID           `json:"id"`
	Name        string            `json:"name" doc:"in the language asked for"`
	ParentID    wire.Opt[wire.ID] `json:"parent_id"`
	Path        []CategoryStep    `json:"path" doc:"from the root to the category itself"`
	Level       int               `json:"level" doc:"0 for the roots"`
	Selectable  bool              `json:"selectable" doc:"whether items can be put into it"`
	HasChildren bool              `json:"has_children"`
}

// CategoryStep is one step of the path to a category.
type CategoryStep struct {
	ID   wire.ID `json:"id"`
	Name string  `json:"name"`
}

// BrowseCategoriesInput are the filters of the list of categories.
type BrowseCategoriesInput struct {
	ParentID   wire.Opt[wire.ID] `query:"parent_id" doc:"the children of this category; with leaves_only or q everything below it"`
	LeavesOnly bool              `query:"leaves_only" default:"false" doc:"selectable categories without children"`
	Q          wire.Opt[string]  `query:"q" doc:"part of the name, whatever its case and accents"`
	Limit      wire.Opt[int]     `query:"limit" min:"1" max:"1000" default:"1000"`
	After      wire.Opt[string]  `query:"after" doc:"next_cursor of the page before"`
}

const maxCategories = 1000

// browseCategories lists the marketplace's categories in tree order, by default all of them.
func (s *Accounts) browseCategories(_ context.Context, c *core.Call, in *BrowseCategoriesInput) (*rows.Page[Category], error) {
	tree := s.Reference.Categories
	if in.ParentID.Set {
		if _, ok := tree.Lookup(int64(in.ParentID.V)); !ok {
			return nil, refusal.Newf(refusal.InvalidParameter, "parent_id", "There is no category %s.", in.ParentID.V)
		}
	}
	language, ok := reference.Language(c.Language)
	if !ok {
		language = 0
	}
	scope := rows.Scope("BrowseCategories", 0, fmt.Appendf(nil, "%v|%v|%q|%d", in.ParentID, in.LeavesOnly, in.Q.V, language))
	from, err := s.Cursors.After(in.After, scope)
	if err != nil {
		return nil, err
	}
	folded := reference.Fold(in.Q.V)
	out := &rows.Page[Category]{Results: []Category{}}
	limit := in.Limit.Or(maxCategories)
	for i := range tree.Rows {
		row := &tree.Rows[i]
		if !in.wants(tree, row) || folded != "" && !strings.Contains(tree.Folded[language][i], folded) || int64(i) < from.Key {
			continue
		}
		if len(out.Results) == limit {
			out.NextCursor = wire.Some(s.Cursors.Encode(rows.Cursor{Scope: scope, Key: int64(i)}))
			break
		}
		out.Results = append(out.Results, categoryFrom(tree, row, language))
	}
	if len(out.Results) > 0 {
		c.Meta.Language = reference.Languages[language] // of the names
	}
	return out, nil
}

func (in *BrowseCategoriesInput) wants(tree *reference.Tree, row *reference.Category) bool {
	if in.LeavesOnly && (tree.HasChildren(row) || !row.Selectable) {
		return false
	}
	if !in.ParentID.Set {
		return true
	}
	if !in.LeavesOnly && !in.Q.Set {
		return row.ParentID == int64(in.ParentID.V)
	}
	return row.ID != int64(in.ParentID.V) && slices.ContainsFunc(tree.Path(row.ID),
		func(step *reference.Category) bool { return step.ID == int64(in.ParentID.V) })
}

func categoryFrom(tree *reference.Tree, row *reference.Category, language int) Category {
	out := Category{
		ID: wire.ID(row.ID), Name: row.Names[language], Level: row.Level, Selectable: row.Selectable,
		HasChildren: tree.HasChildren(row),
	}
	if row.ParentID != 0 {
		out.ParentID = wire.Some(wire.ID(row.ParentID))
	}
	for _, step := range tree.Path(row.ID) {
		out.Path = append(out.Path, CategoryStep{wire.ID(step.ID), step.Names[language]})
	}
	return out
}

// DeliveryService is one product of a carrier.
type DeliveryService struct {
	ID                  wire.ID          `json:"id"`
	Name                string           `json:"name"`
	Carrier             string           `json:"carrier"`
	Country             string           `json:"country" doc:"where the carrier is at home"`
	Tracked             bool             `json:"tracked"`
	TrackingURLTemplate wire.Opt[string] `json:"tracking_url_template" doc:"{number} stands for the tracking number"`
	NumberPattern       wire.Opt[string] `json:"number_pattern" doc:"regular expression that tracking numbers match"`
	Active              bool             `json:"active"`
}

// BrowseDeliveryServicesInput are the filters of the list of delivery services.
type BrowseDeliveryServicesInput struct {
	Country []string       `query:"country" since:"1.2.0" doc:"ISO 3166-1 alpha-2"`
	Active  wire.Opt[bool] `query:"active" since:"1.2.0"`

	Limit wire.Opt[int]    `query:"limit" since:"1.3.0" min:"1" max:"200" default:"200"`
	After wire.Opt[string] `query:"after" since:"1.3.0" doc:"next_cursor of the page before"`
}

// browseDeliveryServices lists the carriers' services, which trackings and shipping models refer to.
func (s *Accounts) browseDeliveryServices(_ context.Context, _ *core.Call,
	in *BrowseDeliveryServicesInput,
) (*rows.Page[DeliveryService], error) {
	all := []DeliveryService{}
	for i := range s.Reference.DeliveryServices {
		row := &s.Reference.DeliveryServices[i]
		if len(in.Country) > 0 && !slices.Contains(in.Country, row.Country) || in.Active.Set && in.Active.V != row.Active {
			continue
		}
		all = append(all, DeliveryService{
			ID: wire.ID(row.ID), Name: row.Name, Carrier: row.Carrier, Country: row.Country, Tracked: row.Tracked,
			TrackingURLTemplate: core.NotEmpty(row.TrackingURLTemplate), NumberPattern: core.NotEmpty(row.NumberPattern), Active: row.Active,
		})
	}
	scope := rows.Scope("BrowseDeliveryServices", 0, fmt.Appendf(nil, "%q|%v", items.Distinct(in.Country), in.Active))
	return rows.Cut(s.Cursors, scope, all, func(d *DeliveryService) int64 { return int64(d.ID) }, in.After, in.Limit.Or(items.MaxPageSize))
}

// browseShippingModels lists the caller's shipping models, of which there are few.
func (s *Accounts) browseShippingModels(ctx context.Context, c *core.Call,
	in *items.ShortListInput,
) (*rows.Page[shipping.Model], error) {
	found, err := shipping.Of(ctx, s.Reads.Reader(), int64(c.Owner))
	if err != nil {
		return nil, err
	}
	all := each.Of(found, shipping.From)
	limit := in.Limit.Or(items.MaxPageSize)
	if c.WholeLists {
		limit = max(limit, len(all))
	}
	scope := rows.Scope("BrowseShippingModels", int64(c.Owner))
	return rows.Cut(s.Cursors, scope, all, func(m *shipping.Model) int64 { return int64(m.ID) }, in.After, limit)
}
