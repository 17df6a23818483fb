package trade

import (
	"context"
	"fmt"
	"math"
	"strings"

	"sellerd/ent"
	"sellerd/ent/buyer"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/numbering"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// Buyer is the buyer of a sale. All members except id, language, country and rating are personal data, and null once the
// buyer is forgotten. Only the nickname, which the marketplace shows to everybody, is shown to every key that reads sales or bills.
type Buyer struct {
	ID        wire.ID          `json:"id"`
	Nickname  string           `json:"nickname"`
	Email     wire.Opt[string] `json:"email" personal:"true"`
	FirstName wire.Opt[string] `json:"first_name" personal:"true"`
	LastName  wire.Opt[string] `json:"last_name" personal:"true"`
	Language  string           `json:"language" enum:"en fr de it es nl"`
	Country   string           `json:"country" doc:"ISO 3166-1 alpha-2"`
	Phone     wire.Opt[string] `json:"phone" personal:"true"`
	Rating    RatingSum        `json:"rating" doc:"a new rating moves the ETag of the buyer's sales and bills, and not their updated_at"`

	ForgottenAt wire.Opt[wire.Time] `json:"forgotten_at" since:"1.6.0" doc:"when the marketplace erased the buyer's personal data; null: it has not"`
}

// Address is the address of a parcel.
type Address struct {
	Name       wire.Opt[string] `json:"name" personal:"true" validate:"omitnil,min=1,max=120,notblank,oneline,plaintext"`
	Line1      wire.Opt[string] `json:"line1" personal:"true" validate:"omitnil,min=1,max=120,notblank,oneline,plaintext"`
	Line2      wire.Opt[string] `json:"line2" personal:"true" validate:"omitnil,min=1,max=120,notblank,oneline,plaintext"`
	PostalCode wire.Opt[string] `json:"postal_code" personal:"true" validate:"omitnil,min=1,max=20,notblank,oneline,plaintext"`
	City       wire.Opt[string] `json:"city" personal:"true" validate:"omitnil,min=1,max=80,notblank,oneline,plaintext"`
	State      wire.Opt[string] `json:"state" personal:"true" validate:"omitnil,min=1,max=80,notblank,oneline,plaintext"`
	Country    wire.Opt[string] `json:"country" personal:"true" validate:"required,iso3166_1_alpha2" doc:"ISO 3166-1 alpha-2"`
	Phone      wire.Opt[string] `json:"phone" personal:"true" validate:"omitnil,min=1,max=40,notblank,oneline,plaintext"`
}

// AddressInput is an Address as callers send it. Optional parts may be empty: programs send every line of their form.
type AddressInput struct {
	Name       wire.Opt[string] `json:"name" validate:"omitnil,min=1,max=120,notblank,oneline,plaintext"`
	Line1      wire.Opt[string] `json:"line1" validate:"omitnil,max=120,notblank,oneline,plaintext"`
	Line2      wire.Opt[string] `json:"line2" validate:"omitnil,max=120,notblank,oneline,plaintext"`
	PostalCode wire.Opt[string] `json:"postal_code" validate:"omitnil,max=20,notblank,oneline,plaintext"`
	City       wire.Opt[string] `json:"city" validate:"omitnil,min=1,max=80,notblank,oneline,plaintext"`
	State      wire.Opt[string] `json:"state" validate:"omitnil,max=80,notblank,oneline,plaintext"`
	Country    wire.Opt[string] `json:"country" validate:"required,iso3166_1_alpha2" doc:"ISO 3166-1 alpha-2"`
	Phone      wire.Opt[string] `json:"phone" validate:"omitnil,max=40,notblank,oneline,plaintext"`
}

// dropEmpty leaves out optional parts that are empty.
func (a *AddressInput) dropEmpty() {
	dropEmpty(&a.Line1, &a.Line2, &a.PostalCode, &a.State, &a.Phone)
}

// dropEmpty leaves out texts that are empty.
func dropEmpty(texts ...*wire.Opt[string]) {
	for _, text := range texts {
		if text.V == "" {
			text.Set = false
		}
	}
}

func buyerFrom(row *ent.Buyer) Buyer {
	return Buyer{
		ID: wire.ID(row.ID), Nickname: row.Nickname, Email: wire.Maybe(row.Email), FirstName: wire.Maybe(row.FirstName), LastName: wire.Maybe(row.LastName),
		Language: row.Language, Country: row.Country, Phone: wire.Maybe(row.Phone),
		Rating:      RatingSum{row.RatingCount, percentage(row.RatingSum, row.RatingCount)},
		ForgottenAt: wire.MaybeTime(row.ForgottenAt),
	}
}

// tagOf is the entity tag of an object as the caller sees it.
func tagOf[T any](c *core.Call, object *T) (string, error) {
	if c.ReadsBuyers() {
		return etag.Of(wire.EncodeJSON(nil, object)), nil
	}
	seen := *object
	err := c.Redact(&seen)
	return etag.Of(wire.EncodeJSON(nil, &seen)), err
}

// percentage is the mean of some scores, with one decimal; null without any.
func percentage(sum int64, count int) wire.Opt[float64] {
	if count == 0 {
		return wire.Opt[float64]{}
	}
	return wire.Some(math.Round(float64(sum)*10/float64(count)) / 10)
}

// BuyerInput names a buyer: a known one by id or nickname, or a new one. Members that are given for a known buyer replace
// the stored ones.
type BuyerInput struct {
	ID        wire.Opt[wire.ID]      `json:"id" validate:"omitnil" doc:"of a known buyer; excludes nickname"`
	Nickname  wire.Opt[string]       `json:"nickname" validate:"omitnil,min=1,max=40,notblank,oneline,plaintext" doc:"required without id"`
	Email     wire.Opt[string]       `json:"email" validate:"omitnil,email,max=254"`
	FirstName wire.Opt[string]       `json:"first_name" validate:"omitnil,max=80,notblank,oneline,plaintext"`
	LastName  wire.Opt[string]       `json:"last_name" validate:"omitnil,max=80,notblank,oneline,plaintext"`
	Language  wire.Opt[string]       `json:"language" validate:"omitnil,oneof=en fr de it es nl" default:"en"`
	Country   wire.Opt[string]       `json:"country" validate:"omitnil,iso3166_1_alpha2" doc:"needed of a new buyer unless the address has one"`
	Phone     wire.Opt[string]       `json:"phone" validate:"omitnil,max=40,notblank,oneline,plaintext"`
	Address   wire.Opt[AddressInput] `json:"address" validate:"omitnil" doc:"where purchases go that say nothing else"`
}

// dropEmpty leaves out optional members that are empty.
func (in *BuyerInput) dropEmpty() {
	dropEmpty(&in.FirstName, &in.LastName, &in.Phone)
	in.Address.V.dropEmpty()
}

// check adds the problems of an input that names a buyer.
func (in *BuyerInput) check(problems *refusal.Problems) {
	switch {
	case in.ID.Set && in.Nickname.Set:
		problems.Add(refusal.ConflictingFields, "buyer.nickname", "excludes buyer.id")
	case !in.ID.Set && !in.Nickname.Set:
		problems.Add(refusal.MissingField, "buyer.nickname", "is required, or buyer.id")
	case strings.HasPrefix(in.Nickname.V, ForgottenPrefix):
		problems.Add(refusal.InvalidValue, "buyer.nickname", "must not begin with %s, which only forgotten buyers have", ForgottenPrefix)
	}
}

// buyers is the scope of the buyers an owner can sell to: one for all live data, one for each owner of test data, so that
// one integrator's invented buyers are never shown to another.
func buyersOf(o core.Owner) int64 {
	if o.Test() {
		return int64(o)
	}
	return 0
}

// buyerNumber takes a number for a buyer who may be new; it is 0 for a known buyer.
func (s *Market) buyerNumber(ctx context.Context, owner core.Owner, in *BuyerInput) (int64, error) {
	if in.ID.Set {
		return 0, nil
	}
	if known, err := s.knowsBuyer(ctx, owner, in.Nickname.V); err != nil || known {
		return 0, err
	}
	return s.IDs.Numbers(ctx, numbering.Buyers, 1)
}

func (s *Market) knowsBuyer(ctx context.Context, owner core.Owner, nickname string) (bool, error) {
	known, err := s.Store.Reader().Buyer.Query().Where(buyer.Scope(buyersOf(owner)), buyer.Nickname(nickname)).Exist(ctx)
	if err != nil {
		return false, fmt.Errorf("look for buyer: %w", err)
	}
	return known, nil
}

// buyer finds the named buyer and updates its data, or makes a new one with the number taken before. Buyers belong to the
// marketplace, not to an account: live sellers share them. In test mode each account has its own invented buyers.
func (tx Change) buyer(ctx context.Context, in *BuyerInput, number int64) (*ent.Buyer, error) {
	if number != 0 {
		country := in.Country.Or(in.Address.V.Country.V)
		if country == "" {
			return nil, refusal.Newf(refusal.MissingField, "buyer.country", "is required of a new buyer")
		}
		// By hand, because builders have no ON CONFLICT.
		_, err := tx.ExecContext(ctx, `INSERT INTO buyers (id, scope, nickname, language, country, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $6)
 ON CONFLICT (scope, nickname) DO NOTHING`, number, buyersOf(tx.Owner), in.Nickname.V, in.Language.Or("en"), country, int64(tx.Now))
		if err != nil {
			return nil, fmt.Errorf("create buyer: %w", err)
		}
	}
	found := tx.Buyer.Query().Where(buyer.Scope(buyersOf(tx.Owner)))
	if in.ID.Set {
		found.Where(buyer.ID(int64(in.ID.V)), buyer.ForgottenAtIsNil())
	} else {
		found.Where(buyer.Nickname(in.Nickname.V))
	}
	row, err := found.Only(ctx)
	if ent.IsNotFound(err) {
		return nil, refusal.Newf(refusal.InvalidValue, "buyer.id", "There is no such buyer.")
	}
	if err != nil {
		return nil, fmt.Errorf("load buyer: %w", err)
	}
	update := tx.Buyer.UpdateOne(row).SetUpdatedAt(int64(tx.Now)).
		SetNillableEmail(in.Email.Ptr()).SetNillableFirstName(in.FirstName.Ptr()).SetNillableLastName(in.LastName.Ptr()).
		SetNillableLanguage(in.Language.Ptr()).SetNillableCountry(in.Country.Ptr()).SetNillablePhone(in.Phone.Ptr())
	if in.Address.Set {
		update.SetAddress(wire.RawOf(Address(in.Address.V)).Text)
	}
	// The row is changed even when nothing is new: the change waits for a transaction that is erasing the buyer.
	if row, err = update.Save(ctx); err != nil {
		return nil, fmt.Errorf("update buyer: %w", err)
	}
	if row.ForgottenAt != nil {
		return nil, refusal.Newf(refusal.InvalidValue, "buyer.id", "There is no such buyer.")
	}
	return row, nil
}

// addressOf is a buyer's address as far as it is known, at least name and country.
func addressOf(row *ent.Buyer) string {
	if row.Address != "" {
		return row.Address
	}
	address := Address{Country: wire.Some(row.Country), Phone: wire.Maybe(row.Phone)}
	switch {
	case row.FirstName != nil && row.LastName != nil:
		address.Name = wire.Some(*row.FirstName + " " + *row.LastName)
	case row.LastName != nil:
		address.Name = wire.Some(*row.LastName)
	default:
		address.Name = wire.Some(row.Nickname)
	}
	return wire.RawOf(address).Text
}

// RatingSum sums up the ratings of an account or a buyer.
type RatingSum struct {
	Count      int               `json:"count"`
	Percentage wire.Opt[float64] `json:"percentage" doc:"null without ratings"`
}

// ForgottenPrefix begins the nicknames of forgotten buyers; no other buyer can have such a nickname.
const ForgottenPrefix = "forgotten-"
