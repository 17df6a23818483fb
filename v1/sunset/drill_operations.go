package sunset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sellerd/ent"
	"sellerd/ent/legacydrill"
	"sellerd/internal/base/each"
	"sellerd/v1/apikey"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/items"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// This file schedules drills of the legacy interface's end, for a seller whose program cannot send the header of a drill. In
// the time of a drill, /rest answers all calls with the seller's keys as after its end. drills.go knows what is running.

// MaxLegacyDrills is how many drills of one account and mode may be running or to come.
const MaxLegacyDrills = 10

// keptDrills is how many drills of an owner that are over are kept for the list.
const keptDrills = 10

// The bounds of a drill.
const (
	farthestDrill = 90 * 24 * time.Hour
	shortestDrill = time.Minute
)

const drillsPath = "/v1/account/legacy-drills"

// The endpoints of drills.
var (
	CreateLegacyDrill = core.NewOp("CreateLegacyDrill", "POST", drillsPath, 201, (*Rest).createLegacyDrill,
		core.Needs(permission.AccountWrite), core.Since("1.4.0"), core.Locates, core.AnswersETag,
		core.Doc("Schedules a drill: in its time, /rest answers every call with your keys, or with one of them, as it will after its end."),
		core.Refuses(refusal.InvalidValue, refusal.OutOfRange, refusal.DrillLimitReached))
	BrowseLegacyDrills = core.NewOp("BrowseLegacyDrills", "GET", drillsPath, 200, (*Rest).browseLegacyDrills,
		core.Needs(permission.AccountRead), core.Since("1.4.0"),
		core.Doc("Lists your drills of the end of /rest: those to come, and the last ones that are over."))
	GetLegacyDrill = core.NewOp("GetLegacyDrill", "GET", drillsPath+"/{id}", 200, (*Rest).getLegacyDrill, core.Needs(permission.AccountRead),
		core.Tagged, core.Since("1.4.0"),
		core.Doc("Reads a drill of the end of /rest."))
	DeleteLegacyDrill = core.NewOp("DeleteLegacyDrill", "DELETE", drillsPath+"/{id}", 200, (*Rest).deleteLegacyDrill,
		core.Needs(permission.AccountWrite), core.Since("1.4.0"),
		core.Doc("Calls off a drill to come, or ends a running one early."),
		core.Refuses(refusal.PreconditionFailed))
)

// LegacyDrill is a time in which /rest answers as after its end.
type LegacyDrill struct {
	ID        wire.DrillID     `json:"id"`
	From      wire.Time        `json:"from"`
	To        wire.Time        `json:"to" doc:"the first instant after the drill"`
	KeyID     wire.Opt[string] `json:"key_id" doc:"the only key that takes part; null for all keys of the account in the mode of this request"`
	CreatedAt wire.Time        `json:"created_at"`
}

func legacyDrillFrom(row *ent.LegacyDrill) LegacyDrill {
	return LegacyDrill{
		ID: wire.DrillID(row.ID), From: wire.Time(row.BeginsAt), To: wire.Time(row.EndsAt), KeyID: wire.Maybe(row.KeyID), CreatedAt: wire.Time(row.CreatedAt),
	}
}

func (d LegacyDrill) tag() string { return etag.Of(wire.EncodeJSON(nil, &d)) }

// LegacyDrillInput is a new drill.
type LegacyDrillInput struct {
	From  wire.Opt[wire.Time] `json:"from" validate:"required" doc:"60 seconds to 90 days ahead"`
	To    wire.Opt[wire.Time] `json:"to" validate:"required" doc:"1 minute to 24 hours after from, and not after the end of /rest"`
	KeyID wire.Opt[string]    `json:"key_id" validate:"omitnil,max=64,oneline" doc:"the third part of a key, or key_prefix of GET /v1/account/legacy-usage; default: all keys of the account in the key's mode"`
}

// CreateLegacyDrillInput schedules a drill.
type CreateLegacyDrillInput struct {
	Drill LegacyDrillInput `body:"json"`
}

// LegacyDrillRef names a drill in a path.
type LegacyDrillRef struct {
	ID wire.DrillID `path:"id" missing:"drill_not_found"`
}

// RunningDrills returns the drills of the legacy interface's end that are running now.
func (s *Rest) RunningDrills(ctx context.Context) Running { return s.drills.Running(ctx) }

// DrillsConcern says whether one of some running drills is for the key with an id. Whether the caller has that key is not checked.
func (s *Rest) DrillsConcern(ctx context.Context, running Running, keyID string) bool {
	return keyID != "" && s.drills.Concern(ctx, running, keyID)
}

// checkDrillTimes adds what is wrong with the times of a new drill. It must begin at least notice ahead, and at most farthest
// if that is not 0.
func (s *Rest) checkDrillTimes(from, to wire.Opt[wire.Time], notice, farthest time.Duration, problems *refusal.Problems) {
	if !from.Set || !to.Set {
		return // which the rules of the input tell
	}
	switch now := s.Now(); { // instants are compared, because the time between two of them can be too long for a number
	case from.V < now.Add(notice):
		problems.Add(refusal.OutOfRange, "from", "must lie at least %s ahead", inWords(notice))
	case farthest > 0 && from.V > now.Add(farthest):
		problems.Add(refusal.OutOfRange, "from", "must lie at most %s ahead", inWords(farthest))
	}
	switch {
	case to.V < from.V.Add(shortestDrill):
		problems.Add(refusal.OutOfRange, "to", "must lie at least %s after from", inWords(shortestDrill))
	case to.V > from.V.Add(LongestDrill):
		problems.Add(refusal.OutOfRange, "to", "must lie at most %s after from", inWords(LongestDrill))
	case to.V > LegacySunset:
		problems.Add(refusal.OutOfRange, "to", "must not lie after the end of /rest, %s", LegacySunset)
	}
}

// inWords is a time of a drill for people.
func inWords(d time.Duration) string {
	switch {
	case d > LongestDrill:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d > time.Minute:
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}

// createLegacyDrill schedules a drill. Drills may overlap: /rest answers as after its end as long as one of them runs.
func (s *Rest) createLegacyDrill(ctx context.Context, c *core.Call, in *CreateLegacyDrillInput) (*LegacyDrill, error) {
	wire.CheckRules(&in.Drill, "", &c.Problems)
	s.checkDrillTimes(in.Drill.From, in.Drill.To, LeastNotice, farthestDrill, &c.Problems)
	key, err := s.drilledKey(ctx, c, in.Drill.KeyID)
	if err != nil {
		return nil, err
	}
	out, err := core.DoAs(ctx, s.Core, c, core.Entry{}, 0, func(ctx context.Context, tx *core.Change) (*LegacyDrill, error) {
		if err := makeRoomForDrill(ctx, tx); err != nil {
			return nil, err
		}
		row, err := tx.LegacyDrill.Create().SetID(s.IDs.Ordered()).SetOwner(int64(tx.Owner)).SetNillableKeyID(key.Ptr()).
			SetBeginsAt(int64(in.Drill.From.V)).SetEndsAt(int64(in.Drill.To.V)).SetCreatedAt(int64(tx.Now)).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("store drill: %w", err)
		}
		out := legacyDrillFrom(row)
		c.Meta.ETag, c.Meta.Location = out.tag(), drillsPath+"/"+out.ID.String()
		return &out, nil
	})
	s.drills.Changed()
	return out, err
}

// drilledKey is the id of the key that a seller has named, in either form. It must be a key of the caller's account and mode
// that is not revoked. A key that is not answers like one that does not exist.
func (s *Rest) drilledKey(ctx context.Context, c *core.Call, named wire.Opt[string]) (wire.Opt[string], error) {
	if !named.Set || c.Problems.Err() != nil {
		return wire.Opt[string]{}, nil //nolint:nilerr // the problems are refused together
	}
	id := named.V
	for _, prefix := range []string{apikey.Prefix("", core.ModeName(c.Test)), KeyPrefix + "_"} {
		id = strings.TrimPrefix(id, prefix)
	}
	info, err := s.FindKey(ctx, s.Store.Reader(), id, s.Now())
	switch {
	case errors.Is(err, core.ErrNoKey), err == nil && (info.AccountID != wire.ID(c.AccountID) || info.Mode != core.ModeName(c.Test) ||
		info.RevokedAt.Set):
		c.Problems.Add(refusal.InvalidValue, "key_id",
			"must be a key of your account in the same mode: the third part of the key, or its key_prefix")
		return wire.Opt[string]{}, nil
	case err != nil:
		return wire.Opt[string]{}, err
	}
	return wire.Some(id), nil
}

// makeRoomForDrill returns an error if the owner may not have one more drill. It removes the oldest of those that are over.
func makeRoomForDrill(ctx context.Context, tx *core.Change) error {
	all, err := tx.LegacyDrill.Query().Where(legacydrill.Owner(int64(tx.Owner))).Order(ent.Asc(legacydrill.FieldEndsAt, legacydrill.FieldID)).
		All(ctx)
	if err != nil {
		return fmt.Errorf("load drills: %w", err)
	}
	over := slices.IndexFunc(all, func(d *ent.LegacyDrill) bool { return d.EndsAt > int64(tx.Clock) })
	if over < 0 {
		over = len(all)
	}
	if len(all)-over >= MaxLegacyDrills {
		return refusal.With(refusal.DrillLimitReached, map[string]any{"limit": MaxLegacyDrills})
	}
	for _, old := range all[:max(0, over-keptDrills)] {
		if err := tx.LegacyDrill.DeleteOneID(old.ID).Exec(ctx); err != nil {
			return fmt.Errorf("remove drill %d: %w", old.ID, err)
		}
	}
	return nil
}

// browseLegacyDrills lists the caller's drills, of which there are few.
func (s *Rest) browseLegacyDrills(ctx context.Context, c *core.Call, in *items.ShortListInput) (*rows.Page[LegacyDrill], error) {
	return browseDrills(ctx, s, "BrowseLegacyDrills", c.Owner, in, legacyDrillFrom)
}

// browseDrills lists the drills of an owner that are not called off.
func browseDrills[D any](ctx context.Context, s *Rest, operation string, owner core.Owner, in *items.ShortListInput,
	shown func(*ent.LegacyDrill) D,
) (*rows.Page[D], error) {
	found, err := s.Store.Reader().LegacyDrill.Query().Where(legacydrill.Owner(int64(owner)), legacydrill.CalledOffAtIsNil()).
		Order(ent.Asc(legacydrill.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("browse drills: %w", err)
	}
	page, err := rows.Cut(s.Cursors, rows.Scope(operation, int64(owner)), found, func(d **ent.LegacyDrill) int64 { return (*d).ID },
		in.After, in.Limit.Or(items.MaxPageSize))
	if err != nil {
		return nil, err
	}
	return &rows.Page[D]{Results: each.Of(page.Results, shown), NextCursor: page.NextCursor}, nil
}

// getLegacyDrill reads one of the caller's drills.
func (s *Rest) getLegacyDrill(ctx context.Context, c *core.Call, in *LegacyDrillRef) (*LegacyDrill, error) {
	row, err := loadDrill(ctx, s.Store.Reader(), c.Owner, in.ID)
	if err != nil {
		return nil, err
	}
	return new(legacyDrillFrom(row)), nil
}

// deleteLegacyDrill removes a drill. If it is running, it ends.
func (s *Rest) deleteLegacyDrill(ctx context.Context, c *core.Call, in *LegacyDrillRef) (*trade.Deleted[wire.DrillID], error) {
	out, err := core.DoAs(ctx, s.Core, c, core.Entry{}, 0, func(ctx context.Context, tx *core.Change) (*trade.Deleted[wire.DrillID], error) {
		row, err := loadDrill(ctx, tx.Client, tx.Owner, in.ID)
		if err != nil {
			return nil, err
		}
		if err := c.Precondition(legacyDrillFrom(row).tag()); err != nil {
			return nil, err
		}
		if err := tx.LegacyDrill.DeleteOneID(row.ID).Exec(ctx); err != nil {
			return nil, fmt.Errorf("delete drill %d: %w", row.ID, err)
		}
		return &trade.Deleted[wire.DrillID]{ID: in.ID, Deleted: true}, nil
	})
	s.drills.Changed()
	return out, err
}

// loadDrill loads a drill of an owner that is not called off.
func loadDrill(ctx context.Context, client *ent.Client, owner core.Owner, id wire.DrillID) (*ent.LegacyDrill, error) {
	row, err := client.LegacyDrill.Query().Where(legacydrill.ID(int64(id)), legacydrill.Owner(int64(owner)), legacydrill.CalledOffAtIsNil()).
		Only(ctx)
	return row, core.NotLoaded(err, refusal.DrillNotFound, "drill", int64(id))
}
