package v1

import (
	"context"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/ent/legacydrill"
	"sellerd/v1/etag"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/sunset"
	"sellerd/v1/wire"
)

// This file schedules drills of the legacy interface's end for everybody. The operator announces them a week before: the home
// page, the migration guide and the feed show them.

// announcedDrill is how long before its begin a drill for everybody must be scheduled.
const announcedDrill = 7 * 24 * time.Hour

const operatorDrillsPath = "/operator/legacy-drills"

// The operator's endpoints of drills.
var (
	OperatorCreateLegacyDrill = op("OperatorCreateLegacyDrill", "POST", operatorDrillsPath, 201, (*Rest).operatorCreateLegacyDrill, locates, answersETag,
		doc("Schedules a drill for everybody, at least a week ahead: in that time /rest answers 410, as it will after its end."),
		refuses(OutOfRange))
	OperatorBrowseLegacyDrills = op("OperatorBrowseLegacyDrills", "GET", operatorDrillsPath, 200, (*Rest).operatorBrowseLegacyDrills,
		doc("Lists the drills for everybody, also those that are over."))
	OperatorGetLegacyDrill = op("OperatorGetLegacyDrill", "GET", operatorDrillsPath+"/{id}", 200, (*Rest).operatorGetLegacyDrill, tagged,
		doc("Reads a drill for everybody."))
	OperatorDeleteLegacyDrill = op("OperatorDeleteLegacyDrill", "DELETE", operatorDrillsPath+"/{id}", 200, (*Rest).operatorDeleteLegacyDrill,
		doc("Calls off a drill for everybody, or ends it while it runs."),
		refuses(PreconditionFailed))
)

// AnnouncedDrill is a drill for everybody. Only Announced gives those that are called off.
type AnnouncedDrill struct {
	ID          DrillID   `json:"id"`
	From        Time      `json:"from"`
	To          Time      `json:"to"`
	CreatedAt   Time      `json:"created_at"`
	CalledOffAt Opt[Time] `json:"-"`
}

func announcedDrillFrom(row *ent.LegacyDrill) AnnouncedDrill {
	return AnnouncedDrill{
		ID: DrillID(row.ID), From: Time(row.BeginsAt), To: Time(row.EndsAt), CreatedAt: Time(row.CreatedAt), CalledOffAt: MaybeTime(row.CalledOffAt),
	}
}

// AnnouncedDrills are the drills for everybody, also those that are over or were called off, in the order of their begin.
// Without the database they are those that were last read.
func (s *Rest) AnnouncedDrills(ctx context.Context) (announced []AnnouncedDrill) {
	for _, row := range s.drills.Announced(ctx) {
		announced = append(announced, announcedDrillFrom(row))
	}
	return announced
}

// OperatorDrillInput is a new drill for everybody.
type OperatorDrillInput struct {
	From Opt[Time] `json:"from" validate:"required"`
	To   Opt[Time] `json:"to" validate:"required"`
}

// OperatorCreateDrillInput schedules a drill for everybody.
type OperatorCreateDrillInput struct {
	Drill OperatorDrillInput `body:"json"`
}

// operatorCreateLegacyDrill schedules a drill for everybody.
func (s *Rest) operatorCreateLegacyDrill(ctx context.Context, c *Call, in *OperatorCreateDrillInput) (*AnnouncedDrill, error) {
	wire.CheckRules(&in.Drill, "", &c.Problems)
	s.checkDrillTimes(in.Drill.From, in.Drill.To, announcedDrill, 0, &c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	if err := s.ids.Prepare(ctx); err != nil {
		return nil, err
	}
	var out *AnnouncedDrill
	err := s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := s.now()
		if err := s.announceKey(ctx, tx, c); err != nil {
			return err
		}
		row, err := tx.LegacyDrill.Create().SetID(s.ids.Ordered()).SetOwner(sunset.Everybody).
			SetBeginsAt(int64(in.Drill.From.V)).SetEndsAt(int64(in.Drill.To.V)).SetCreatedAt(int64(now)).Save(ctx)
		if err != nil {
			return fmt.Errorf("store drill: %w", err)
		}
		made := announcedDrillFrom(row)
		out, c.Meta.Location, c.Meta.ETag = &made, operatorDrillsPath+"/"+made.ID.String(), made.tag()
		return s.remember(ctx, tx, now, c, out)
	})
	if err != nil {
		c.Meta.Location, c.Meta.ETag = "", ""
		return nil, err
	}
	s.drills.Changed()
	return out, nil
}

// operatorBrowseLegacyDrills lists the drills for everybody, also those that are over.
func (s *Rest) operatorBrowseLegacyDrills(ctx context.Context, _ *Call, in *ShortListInput) (*Page[AnnouncedDrill], error) {
	found, err := drillsOf(ctx, s.store.Reader(), sunset.Everybody)
	if err != nil {
		return nil, err
	}
	all := make([]AnnouncedDrill, len(found))
	for i, row := range found {
		all[i] = announcedDrillFrom(row)
	}
	return rows.Cut(s.cursors, rows.Scope("OperatorBrowseLegacyDrills", sunset.Everybody), all, func(d *AnnouncedDrill) int64 { return int64(d.ID) }, in.After, in.Limit.Or(MaxPageSize))
}

// operatorGetLegacyDrill reads a drill for everybody.
func (s *Rest) operatorGetLegacyDrill(ctx context.Context, c *Call, in *LegacyDrillRef) (*AnnouncedDrill, error) {
	row, err := loadDrill(ctx, s.store.Reader(), sunset.Everybody, in.ID)
	if err != nil {
		return nil, err
	}
	out := announcedDrillFrom(row)
	c.Meta.ETag = out.tag()
	return &out, nil
}

func (d AnnouncedDrill) tag() string { return etag.Of(EncodeJSON(nil, &d)) }

// operatorDeleteLegacyDrill calls off a drill for everybody, or ends it while it runs. The row stays, because the feed says that
// the drill is called off.
func (s *Rest) operatorDeleteLegacyDrill(ctx context.Context, c *Call, in *LegacyDrillRef) (*Deleted[DrillID], error) {
	err := s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		row, err := loadDrill(ctx, tx, sunset.Everybody, in.ID)
		if err != nil {
			return err
		}
		if err := c.precondition(announcedDrillFrom(row).tag()); err != nil {
			return err
		}
		if row.EndsAt <= int64(s.now()) { // it has taken place, which the feed goes on to tell
			return refusal.New(DrillNotFound)
		}
		err = tx.LegacyDrill.Update().Where(legacydrill.ID(row.ID)).SetCalledOffAt(int64(s.now())).Exec(ctx)
		if err != nil {
			return fmt.Errorf("call off drill %d: %w", row.ID, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.drills.Changed()
	return &Deleted[DrillID]{in.ID, true}, nil
}
