package trade

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/ent/buyer"
	"sellerd/ent/rating"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// Rating is the seller's rating of the buyer of a sale.
type Rating struct {
	SaleID        wire.ID          `json:"sale_id"`
	BuyerID       wire.ID          `json:"buyer_id"`
	Score         wire.Opt[int]    `json:"score" enum:"100 75 50 25 0" doc:"null is a neutral comment"`
	Comment       wire.Opt[string] `json:"comment"`
	RevisionCount int              `json:"revision_count"`
	CreatedAt     wire.Time        `json:"created_at"`
	UpdatedAt     wire.Time        `json:"updated_at"`
	EditableUntil wire.Time        `json:"editable_until" doc:"60 days after the sale"`
}

func ratingFrom(row *ent.Rating, soldAt wire.Time) Rating {
	return Rating{
		SaleID: wire.ID(row.ID), BuyerID: wire.ID(row.BuyerID), Score: items.MaybeInt(row.Score), Comment: wire.Maybe(row.Comment), RevisionCount: row.RevisionCount,
		CreatedAt: wire.Time(row.CreatedAt), UpdatedAt: wire.Time(row.UpdatedAt), EditableUntil: soldAt.Add(RatingWindow),
	}
}

// RatingInput is a seller's rating of a buyer.
type RatingInput struct {
	Score   wire.Opt[int]    `json:"score" validate:"omitnil,oneof=100 75 50 25 0" doc:"null is a neutral comment"`
	Comment wire.Opt[string] `json:"comment" validate:"omitnil,min=1,max=500,notblank,plaintext" doc:"plain text; required without a score"`
}

// check adds the errors of score and comment together.
func (in *RatingInput) check(problems *refusal.Problems) {
	if !in.Score.Set && !in.Comment.Set {
		problems.Add(refusal.MissingField, "comment", "is required without a score")
	}
}

// scoresOfCancelled are the scores that the buyer of a cancelled sale can get, beside a neutral comment.
var scoresOfCancelled = []int{25, 0}

// allowedFor rejects a score that a cancelled sale does not allow.
func (in *RatingInput) allowedFor(sold *ent.Sale) error {
	if sold.Status != items.SaleCancelled || !in.Score.Set || slices.Contains(scoresOfCancelled, in.Score.V) {
		return nil
	}
	return refusal.Newf(refusal.ScoreNotAllowed, "score", "A cancelled sale takes only 25, 0 or a neutral comment.").
		With(map[string]any{"allowed_scores": []any{25, 0, nil}})
}

// total is the score's part in the buyer's ratings: the number of scores and their sum. A neutral comment does not count.
func (in *RatingInput) total() (count, sum int) {
	if !in.Score.Set {
		return 0, 0
	}
	return 1, in.Score.V
}

// RateBuyerInput rates the buyer of a sale.
type RateBuyerInput struct {
	ID     wire.ID     `path:"id" missing:"sale_not_found"`
	Rating RatingInput `body:"json"`
}

// rateBuyer stores the seller's rating of a buyer, once for each sale.
func (s *Market) rateBuyer(ctx context.Context, c *core.Call, in *RateBuyerInput) (*Rating, error) {
	wire.CheckRules(&in.Rating, "", &c.Problems)
	in.Rating.check(&c.Problems)
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Rating, error) {
		sold, err := loadSale(ctx, tx.Client, tx.Owner, in.ID)
		if err != nil {
			return nil, err
		}
		if err := in.Rating.allowedFor(sold); err != nil {
			return nil, err
		}
		if sold.RatedAt != nil {
			return nil, refusal.New(refusal.RatingExists)
		}
		if err := tx.ratingWindowOpen(sold); err != nil {
			return nil, err
		}
		row, err := tx.Rating.Create().SetID(sold.ID).SetOwner(sold.Owner).SetBuyerID(sold.BuyerID).
			SetNillableScore(wire.Int64Ptr(in.Rating.Score)).SetNillableComment(in.Rating.Comment.Ptr()).
			SetCreatedAt(int64(tx.Now)).SetUpdatedAt(int64(tx.Now)).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("store rating of sale %d: %w", sold.ID, err)
		}
		c.Meta.Location = "/v1/sales/" + in.ID.String() + "/rating"
		return tx.rated(ctx, c, sold, row, &RatingInput{}, &in.Rating)
	})
}

// getRating reads the seller's rating of a sale's buyer.
func (s *Market) getRating(ctx context.Context, c *core.Call, in *SaleRef) (*Rating, error) {
	sold, err := loadSale(ctx, s.Reads.Reader(), c.Owner, in.ID)
	if err != nil {
		return nil, err
	}
	row, err := loadRating(ctx, s.Reads.Reader(), sold)
	if err != nil {
		return nil, err
	}
	return new(ratingFrom(row, wire.Time(sold.SoldAt))), nil
}

// loadRating loads a sale's rating.
func loadRating(ctx context.Context, client *ent.Client, sold *ent.Sale) (*ent.Rating, error) {
	row, err := client.Rating.Query().Where(rating.ID(sold.ID), rating.Owner(sold.Owner)).Only(ctx)
	return row, core.NotLoaded(err, refusal.RatingNotFound, "rating of sale", sold.ID)
}

// ReviseRatingInput is a change of a rating.
type ReviseRatingInput struct {
	ID    wire.ID                 `path:"id" missing:"sale_not_found"`
	Patch wire.Patch[RatingInput] `body:"json"`
}

// reviseRating changes the seller's rating of a buyer. The result as a whole must be valid: when only the comment of a sale
// is revised that was cancelled since, a score that is no longer allowed cannot stay.
func (s *Market) reviseRating(ctx context.Context, c *core.Call, in *ReviseRatingInput) (*Rating, error) {
	if len(in.Patch.Fields) == 0 && c.Problems.Err() == nil {
		return nil, refusal.New(refusal.EmptyPatch)
	}
	wire.CheckRules(&in.Patch.To, "", &c.Problems)
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Rating, error) {
		sold, err := loadSale(ctx, tx.Client, tx.Owner, in.ID)
		if err != nil {
			return nil, err
		}
		row, err := loadRating(ctx, tx.Client, sold)
		if err != nil {
			return nil, err
		}
		if err := c.Precondition(ratingETag(ratingFrom(row, wire.Time(sold.SoldAt)))); err != nil {
			return nil, err
		}
		before := RatingInput{items.MaybeInt(row.Score), wire.Maybe(row.Comment)}
		after := before
		in.Patch.Apply(&after)
		var problems refusal.Problems
		after.check(&problems)
		if err := cmp.Or(problems.Err(), after.allowedFor(sold), tx.ratingWindowOpen(sold)); err != nil {
			return nil, err
		}
		update := tx.Rating.UpdateOneID(row.ID).SetRevisionCount(row.RevisionCount + 1).SetUpdatedAt(int64(tx.Now))
		items.SetOrClear(wire.Int64Ptr(after.Score), update.Mutation().SetScore, update.Mutation().ClearScore)
		items.SetOrClear(after.Comment.Ptr(), update.Mutation().SetComment, update.Mutation().ClearComment)
		if row, err = update.Save(ctx); err != nil {
			return nil, fmt.Errorf("revise rating of sale %d: %w", sold.ID, err)
		}
		return tx.rated(ctx, c, sold, row, &before, &after)
	})
}

// ratingWindowOpen is an error after the end of the window.
func (tx Change) ratingWindowOpen(sold *ent.Sale) error {
	if until := wire.Time(sold.SoldAt).Add(RatingWindow); until <= tx.Clock {
		return refusal.With(refusal.RatingWindowClosed, map[string]any{"editable_until": until.String()})
	}
	return nil
}

// rated updates a changed rating's sale, and the buyer's sums over the ratings of all sellers.
func (tx Change) rated(ctx context.Context, c *core.Call, sold *ent.Sale, row *ent.Rating, before, after *RatingInput) (*Rating, error) {
	err := tx.Sale.UpdateOneID(sold.ID).SetRatedAt(row.CreatedAt).SetUpdatedAt(int64(tx.Now)).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("note rating of sale %d: %w", sold.ID, err)
	}
	hadCount, hadSum := before.total()
	count, sum := after.total()
	err = tx.Buyer.Update().Where(buyer.ID(sold.BuyerID)).AddRatingCount(count - hadCount).AddRatingSum(int64(sum - hadSum)).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("sum up ratings of buyer %d: %w", sold.BuyerID, err)
	}
	out := ratingFrom(row, wire.Time(sold.SoldAt))
	c.Meta.ETag = ratingETag(out)
	return &out, nil
}

// ratingETag is the entity tag of a read of the rating.
func ratingETag(shown Rating) string { return etag.Of(wire.EncodeJSON(nil, &shown)) }
