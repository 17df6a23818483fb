//go:build cgo

package wire

import (
	"errors"

	"github.com/go-playground/validator/v10"
)

// ChecksInput says whether the program has what checks the rules of tags.
const ChecksInput = true

var rules = newRules()

func newRules() *validator.Validate {
	v := validator.New()
	for name, check := range textChecks {
		if err := v.RegisterValidation(name, func(f validator.FieldLevel) bool { return check(f.Field().String()) }); err != nil {
			panic(err) // the names are constants
		}
	}
	v.RegisterAlias("images", "max")
	return v
}

// brokenRules are those rules of a tag that a value breaks.
func brokenRules(value any, tag string) (all []brokenRule) {
	err := rules.Var(value, tag)
	if err == nil {
		return nil
	}
	var broken validator.ValidationErrors
	if !errors.As(err, &broken) {
		panic(err) // the tag itself is wrong, which is a mistake in the program
	}
	for _, b := range broken {
		all = append(all, brokenRule{b.Tag(), b.Param(), b.Kind()})
	}
	return all
}

// IsCountry says whether a text is an ISO 3166-1 alpha-2 code.
func IsCountry(code string) bool { return rules.Var(code, "iso3166_1_alpha2") == nil }
