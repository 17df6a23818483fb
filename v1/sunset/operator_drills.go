package sunset

import (
	"context"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/ent/legacydrill"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// This file schedules drills of the legacy interface's end for everybody. The operator announces them a week before: the home
// page, the migration guide and the feed show them.

// announcedDrill is how long before its begin a drill for everybody must be scheduled.
const announcedDrill = 7 * 24 * time.Hour

const operatorDrillsPath = "/operator/legacy-drills"

// The operator's endpoints of drills.
var (
	OperatorCreateLegacyDrill = core.NewOp("OperatorCreateLegacyDrill", "POST", operatorDrillsPath, 201, (*Rest).operatorCreateLegacyDrill,
		core.Locates, core.AnswersETag,
		core.Doc("Schedules a drill for everybody, at least a week ahead: in that time /rest answers 410, as it will after its end."),
		core.Refuses(refusal.OutOfRange))
	OperatorBrowseLegacyDrills = core.NewOp("OperatorBrowseLegacyDrills", "GET", operatorDrillsPath, 200, (*Rest).operatorBrowseLegacyDrills,
		core.Doc("Lists the drills for everybody, also those that are over."))
	OperatorGetLegacyDrill = core.NewOp("OperatorGetLegacyDrill", "GET", operatorDrillsPath+"/{id}", 200, (*Rest).operatorGetLegacyDrill,
		core.Tagged,
		core.Doc("Reads a drill for everybody."))
	OperatorDeleteLegacyDrill = core.NewOp("OperatorDeleteLegacyDrill", "DELETE", operatorDrillsPath+"/{id}", 200, (*Rest).
					operatorDeleteLegacyDrill,
		core.Doc("Calls off a drill for everybody, or ends it while it runs."),
		core.Refuses(refusal.PreconditionFailed))
)

// AnnouncedDrill is a drill for everybody. Only Announced gives those that are called off.
type AnnouncedDrill struct {
	ID          wire.DrillID        `json:"id"`
	From        wire.Time           `json:"from"`
	To          wire.Time           `json:"to"`
	CreatedAt   wire.Time           `json:"created_at"`
	CalledOffAt wire.Opt[wire.Time] `json:"-"`
}

func announcedDrillFrom(row *ent.LegacyDrill) AnnouncedDrill {
	return AnnouncedDrill{
		ID: wire.DrillID(row.ID), From: wire.Time(row.BeginsAt), To: wire.Time(row.EndsAt), CreatedAt: wire.Time(row.CreatedAt), CalledOffAt: wire.MaybeTime(row.CalledOffAt),
	}
}

// AnnouncedDrills are the drills for everybody, also those that are over or were called off, in the order of their begin.
// Without the database they are those that were last read.
func (s *Rest) AnnouncedDrills(ctx context.Context) []AnnouncedDrill {
	return each.Of(s.drills.Announced(ctx), announcedDrillFrom)
}

// OperatorDrillInput is a new drill for everybody.
type OperatorDrillInput struct {
	From wire.Opt[wire.Time] `json:"from" validate:"required"`
	To   wire.Opt[wire.Time] `json:"to" validate:"required"`
}

// OperatorCreateDrillInput schedules a drill for everybody.
type OperatorCreateDrillInput struct {
	Drill OperatorDrillInput `body:"json"`
}

// operatorCreateLegacyDrill schedules a drill for everybody.
func (s *Rest) operatorCreateLegacyDrill(ctx context.Context, c *core.Call, in *OperatorCreateDrillInput) (*AnnouncedDrill, error) {
	wire.CheckRules(&in.Drill, "", &c.Problems)
	s.checkDrillTimes(in.Drill.From, in.Drill.To, announcedDrill, 0, &c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	var out *AnnouncedDrill
	err := s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (core.Audited, error) {
		now := s.Now()
		if err := s.AnnounceKey(ctx, tx, c); err != nil {
			return core.Audited{}, err
		}
		row, err := tx.LegacyDrill.Create().SetID(s.IDs.Ordered()).SetOwner(Everybody).
			SetBeginsAt(int64(in.Drill.From.V)).SetEndsAt(int64(in.Drill.To.V)).SetCreatedAt(int64(now)).Save(ctx)
		if err != nil {
			return core.Audited{}, fmt.Errorf("store drill: %w", err)
		}
		made := announcedDrillFrom(row)
		out, c.Meta.Location, c.Meta.ETag = &made, operatorDrillsPath+"/"+made.ID.String(), made.tag()
		return core.Audited{Target: made.ID.String(), After: out}, s.Remember(ctx, tx, now, c, out)
	})
	if err != nil {
		c.Meta.Location, c.Meta.ETag = "", ""
		return nil, err
	}
	s.drills.Changed()
	return out, nil
}

// operatorBrowseLegacyDrills lists the drills for everybody, also those that are over.
func (s *Rest) operatorBrowseLegacyDrills(ctx context.Context, _ *core.Call, in *items.ShortListInput) (*rows.Page[AnnouncedDrill], error) {
	return browseDrills(ctx, s, "OperatorBrowseLegacyDrills", Everybody, in, announcedDrillFrom)
}

// operatorGetLegacyDrill reads a drill for everybody.
func (s *Rest) operatorGetLegacyDrill(ctx context.Context, c *core.Call, in *LegacyDrillRef) (*AnnouncedDrill, error) {
	row, err := loadDrill(ctx, s.Store.Reader(), Everybody, in.ID)
	if err != nil {
		return nil, err
	}
	return new(announcedDrillFrom(row)), nil
}

func (d AnnouncedDrill) tag() string { return etag.Of(wire.EncodeJSON(nil, &d)) }

// operatorDeleteLegacyDrill calls off a drill for everybody, or ends it while it runs. The row stays, because the feed says that
// the drill is called off.
func (s *Rest) operatorDeleteLegacyDrill(ctx context.Context, c *core.Call, in *LegacyDrillRef) (*trade.Deleted[wire.DrillID], error) {
	err := s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (core.Audited, error) {
		row, err := loadDrill(ctx, tx, Everybody, in.ID)
		if err != nil {
			return core.Audited{}, err
		}
		before := announcedDrillFrom(row)
		if err := c.Precondition(before.tag()); err != nil {
			return core.Audited{}, err
		}
		if row.EndsAt <= int64(s.Now()) { // it has taken place, which the feed goes on to tell
			return core.Audited{}, refusal.New(refusal.DrillNotFound)
		}
		err = tx.LegacyDrill.Update().Where(legacydrill.ID(row.ID)).SetCalledOffAt(int64(s.Now())).Exec(ctx)
		if err != nil {
			return core.Audited{}, fmt.Errorf("call off drill %d: %w", row.ID, err)
		}
		return core.Audited{Target: in.ID.String(), Before: &before}, nil
	})
	if err != nil {
		return nil, err
	}
	s.drills.Changed()
	return &trade.Deleted[wire.DrillID]{ID: in.ID, Deleted: true}, nil
}
