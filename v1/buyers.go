package v1

import (
	"context"
	"fmt"
	"math"
	"strings"

	"sellerd/ent"
	"sellerd/ent/buyer"
	"sellerd/v1/numbering"
	"sellerd/v1/refusal"
)

// Buyer is the buyer of a sale. All members except id, language, country and rating are personal data, and null once the
// buyer is forgotten.
type Buyer struct {
	ID        ID          `json:"id"`
	Nickname  string      `json:"nickname"`
	Email     Opt[string] `json:"email"`
	FirstName Opt[string] `json:"first_name"`
	LastName  Opt[string] `json:"last_name"`
	Language  string      `json:"language" enum:"en fr de it es nl"`
	Country   string      `json:"country" doc:"ISO 3166-1 alpha-2"`
	Phone     Opt[string] `json:"phone"`
	Rating    RatingSum   `json:"rating"`
}

// Address is the address of a parcel.
type Address struct {
	Name       Opt[string] `json:"name" validate:"omitnil,min=1,max=120,notblank,oneline,plaintext"`
	Line1      Opt[string] `json:"line1" validate:"omitnil,min=1,max=120,notblank,oneline,plaintext"`
	Line2      Opt[string] `json:"line2" validate:"omitnil,min=1,max=120,notblank,oneline,plaintext"`
	PostalCode Opt[string] `json:"postal_code" validate:"omitnil,min=1,max=20,notblank,oneline,plaintext"`
	City       Opt[string] `json:"city" validate:"omitnil,min=1,max=80,notblank,oneline,plaintext"`
	State      Opt[string] `json:"state" validate:"omitnil,min=1,max=80,notblank,oneline,plaintext"`
	Country    Opt[string] `json:"country" validate:"required,iso3166_1_alpha2" doc:"ISO 3166-1 alpha-2"`
	Phone      Opt[string] `json:"phone" validate:"omitnil,min=1,max=40,notblank,oneline,plaintext"`
}

// AddressInput is an Address as callers send it. Optional parts may be empty: programs send every line of their form.
type AddressInput struct {
	Name       Opt[string] `json:"name" validate:"omitnil,min=1,max=120,notblank,oneline,plaintext"`
	Line1      Opt[string] `json:"line1" validate:"omitnil,max=120,notblank,oneline,plaintext"`
	Line2      Opt[string] `json:"line2" validate:"omitnil,max=120,notblank,oneline,plaintext"`
	PostalCode Opt[string] `json:"postal_code" validate:"omitnil,max=20,notblank,oneline,plaintext"`
	City       Opt[string] `json:"city" validate:"omitnil,min=1,max=80,notblank,oneline,plaintext"`
	State      Opt[string] `json:"state" validate:"omitnil,max=80,notblank,oneline,plaintext"`
	Country    Opt[string] `json:"country" validate:"required,iso3166_1_alpha2" doc:"ISO 3166-1 alpha-2"`
	Phone      Opt[string] `json:"phone" validate:"omitnil,max=40,notblank,oneline,plaintext"`
}

// dropEmpty leaves out optional parts that are empty.
func (a *AddressInput) dropEmpty() {
	dropEmpty(&a.Line1, &a.Line2, &a.PostalCode, &a.State, &a.Phone)
}

// dropEmpty leaves out texts that are empty.
func dropEmpty(texts ...*Opt[string]) {
	for _, text := range texts {
		if text.V == "" {
			text.Set = false
		}
	}
}

func buyerFrom(row *ent.Buyer) Buyer {
	return Buyer{
		ID: ID(row.ID), Nickname: row.Nickname, Email: Maybe(row.Email), FirstName: Maybe(row.FirstName), LastName: Maybe(row.LastName),
		Language: row.Language, Country: row.Country, Phone: Maybe(row.Phone),
		Rating: RatingSum{row.RatingCount, percentage(row.RatingSum, row.RatingCount)},
	}
}

// percentage is the mean of some scores, with one decimal; null without any.
func percentage(sum int64, count int) Opt[float64] {
	if count == 0 {
		return Opt[float64]{}
	}
	return Some(math.Round(float64(sum)*10/float64(count)) / 10)
}

// BuyerInput names a buyer: a known one by id or nickname, or a new one. Members that are given for a known buyer replace
// the stored ones.
type BuyerInput struct {
	ID        Opt[ID]           `json:"id" validate:"omitnil" doc:"of a known buyer; excludes nickname"`
	Nickname  Opt[string]       `json:"nickname" validate:"omitnil,min=1,max=40,notblank,oneline,plaintext" doc:"required without id"`
	Email     Opt[string]       `json:"email" validate:"omitnil,email,max=254"`
	FirstName Opt[string]       `json:"first_name" validate:"omitnil,max=80,notblank,oneline,plaintext"`
	LastName  Opt[string]       `json:"last_name" validate:"omitnil,max=80,notblank,oneline,plaintext"`
	Language  Opt[string]       `json:"language" validate:"omitnil,oneof=en fr de it es nl" default:"en"`
	Country   Opt[string]       `json:"country" validate:"omitnil,iso3166_1_alpha2" doc:"needed of a new buyer unless the address has one"`
	Phone     Opt[string]       `json:"phone" validate:"omitnil,max=40,notblank,oneline,plaintext"`
	Address   Opt[AddressInput] `json:"address" validate:"omitnil" doc:"where purchases go that say nothing else"`
}

// dropEmpty leaves out optional members that are empty.
func (in *BuyerInput) dropEmpty() {
	dropEmpty(&in.FirstName, &in.LastName, &in.Phone)
	in.Address.V.dropEmpty()
}

// check adds the problems of an input that names a buyer.
func (in *BuyerInput) check(problems *Problems) {
	switch {
	case in.ID.Set && in.Nickname.Set:
		problems.Add(ConflictingFields, "buyer.nickname", "excludes buyer.id")
	case !in.ID.Set && !in.Nickname.Set:
		problems.Add(MissingField, "buyer.nickname", "is required, or buyer.id")
	case strings.HasPrefix(in.Nickname.V, forgottenPrefix):
		problems.Add(InvalidValue, "buyer.nickname", "must not begin with %s, which only forgotten buyers have", forgottenPrefix)
	}
}

// buyers is the scope of the buyers an owner can sell to: one for all live data, one for each owner of test data, so that
// one integrator's invented buyers are never shown to another.
func buyersOf(o Owner) int64 {
	if o.Test() {
		return int64(o)
	}
	return 0
}

// buyerNumber takes a number for a buyer who may be new; it is 0 for a known buyer.
func (s *Market) buyerNumber(ctx context.Context, owner Owner, in *BuyerInput) (int64, error) {
	if in.ID.Set {
		return 0, nil
	}
	if known, err := s.knowsBuyer(ctx, owner, in.Nickname.V); err != nil || known {
		return 0, err
	}
	return s.ids.Numbers(ctx, numbering.Buyers, 1)
}

func (s *Market) knowsBuyer(ctx context.Context, owner Owner, nickname string) (bool, error) {
	known, err := s.store.Reader().Buyer.Query().Where(buyer.Scope(buyersOf(owner)), buyer.Nickname(nickname)).Exist(ctx)
	if err != nil {
		return false, fmt.Errorf("look for buyer: %w", err)
	}
	return known, nil
}

// buyer finds the named buyer and updates its data, or makes a new one with the number taken before. Buyers belong to the
// marketplace, not to an account: live sellers share them. In test mode each account has its own invented buyers.
func (tx tradeChange) buyer(ctx context.Context, in *BuyerInput, number int64) (*ent.Buyer, error) {
	if number != 0 {
		country := in.Country.Or(in.Address.V.Country.V)
		if country == "" {
			return nil, refusal.Newf(MissingField, "buyer.country", "is required of a new buyer")
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
		return nil, refusal.Newf(InvalidValue, "buyer.id", "There is no such buyer.")
	}
	if err != nil {
		return nil, fmt.Errorf("load buyer: %w", err)
	}
	update := tx.Buyer.UpdateOne(row).SetUpdatedAt(int64(tx.Now)).
		SetNillableEmail(in.Email.Ptr()).SetNillableFirstName(in.FirstName.Ptr()).SetNillableLastName(in.LastName.Ptr()).
		SetNillableLanguage(in.Language.Ptr()).SetNillableCountry(in.Country.Ptr()).SetNillablePhone(in.Phone.Ptr())
	if in.Address.Set {
		update.SetAddress(RawOf(Address(in.Address.V)).Text)
	}
	// The row is changed even when nothing is new: the change waits for a transaction that is erasing the buyer.
	if row, err = update.Save(ctx); err != nil {
		return nil, fmt.Errorf("update buyer: %w", err)
	}
	if row.ForgottenAt != nil {
		return nil, refusal.Newf(InvalidValue, "buyer.id", "There is no such buyer.")
	}
	return row, nil
}

// addressOf is a buyer's address as far as it is known, at least name and country.
func addressOf(row *ent.Buyer) string {
	if row.Address != "" {
		return row.Address
	}
	address := Address{Country: Some(row.Country), Phone: Maybe(row.Phone)}
	switch {
	case row.FirstName != nil && row.LastName != nil:
		address.Name = Some(*row.FirstName + " " + *row.LastName)
	case row.LastName != nil:
		address.Name = Some(*row.LastName)
	default:
		address.Name = Some(row.Nickname)
	}
	return RawOf(address).Text
}

// RatingSum sums up the ratings of an account or a buyer.
type RatingSum struct {
	Count      int          `json:"count"`
	Percentage Opt[float64] `json:"percentage" doc:"null without ratings"`
}

// forgottenPrefix begins the nicknames of forgotten buyers; no other buyer can have such a nickname.
const forgottenPrefix = "forgotten-"
