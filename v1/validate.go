package v1

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"github.com/go-playground/validator/v10"
)

// Rules that one field can tell by itself stand in its validate tag and are checked here, for every stack. A field of
// type Opt is required unless its tag begins with omitnil. Rules about several fields are in their resource's file.

// ruleCode is what a broken rule of a tag is called. %s is the rule's parameter.
type ruleCode struct {
	code    Code
	message string
}

var (
	stringRules = map[string]ruleCode{
		"min": {TooShort, "must have at least %s characters"},
		"max": {TooLong, "must have at most %s characters"},
	}
	numberRules = map[string]ruleCode{
		"min": {OutOfRange, "must be at least %s"},
		"max": {OutOfRange, "must be at most %s"},
	}
	listRules = map[string]ruleCode{
		"min": {TooShort, "must have at least %s entries"},
		"max": {TooLong, "must have at most %s entries"},
	}
	anyRules = map[string]ruleCode{
		"required":  {MissingField, "is required"},
		"oneof":     {InvalidValue, "must be one of: %s"},
		"plaintext": {HTMLNotAllowed, "must be plain text without markup"},
		"oneline":   {InvalidValue, "must be a single line without control characters"},
		"notblank":  {TooShort, "must not be blank"},
		"clock":     {InvalidValue, "must be a time of day such as 20:30"},
		"images":    {TooManyImages, "must have at most %s images"},
	}
)

var (
	markup    = regexp.MustCompile(`<[A-Za-z/!?]`)
	clockTime = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
	rules     = newRules()
)

func newRules() *validator.Validate {
	v := validator.New()
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	})
	v.RegisterCustomTypeFunc(func(field reflect.Value) any {
		if !field.Field(1).Bool() {
			return reflect.Zero(reflect.PointerTo(field.Field(0).Type())).Interface() // missing is a nil pointer
		}
		if id, ok := field.Field(0).Interface().(ID); ok {
			return id.String() // an id of 0 is given, and wrong; it is not missing
		}
		return field.Field(0).Interface()
	}, Opt[string]{}, Opt[int]{}, Opt[bool]{}, Opt[ID]{}, Opt[Time]{}, Opt[Money]{}, Opt[ItemOptions]{})
	for name, check := range map[string]func(string) bool{
		"plaintext": func(s string) bool { return !markup.MatchString(s) },
		"oneline":   func(s string) bool { return strings.IndexFunc(s, unicode.IsControl) < 0 },
		"notblank":  func(s string) bool { return strings.TrimSpace(s) != "" },
		"clock":     clockTime.MatchString,
	} {
		if err := v.RegisterValidation(name, func(f validator.FieldLevel) bool { return check(f.Field().String()) }); err != nil {
			panic(err) // the names are constants
		}
	}
	if err := v.RegisterValidation("images", func(f validator.FieldLevel) bool {
		var most int
		_, err := fmt.Sscan(f.Param(), &most)
		return err == nil && f.Field().Len() <= most
	}); err != nil {
		panic(err)
	}
	return v
}

// checkRules adds every broken rule of v's tags to the problems, with paths below prefix.
func checkRules(v any, prefix string, problems *Problems) {
	err := rules.Struct(v)
	if err == nil {
		return
	}
	broken, ok := err.(validator.ValidationErrors)
	if !ok {
		panic(err) // v is not a struct: a programmer's mistake
	}
	for _, b := range broken {
		_, path, _ := strings.Cut(b.Namespace(), ".")
		rule := ruleFor(b)
		message := rule.message
		if strings.Contains(message, "%s") {
			message = fmt.Sprintf(message, strings.ReplaceAll(b.Param(), " ", ", "))
		}
		problems.Add(rule.code, prefix+path, "%s", message)
	}
}

func ruleFor(b validator.FieldError) ruleCode {
	if b.Kind() == reflect.Pointer {
		return anyRules["required"]
	}
	table := numberRules
	switch b.Kind() {
	case reflect.String:
		table = stringRules
	case reflect.Slice:
		table = listRules
	}
	for _, t := range []map[string]ruleCode{table, anyRules} {
		if rule, ok := t[b.Tag()]; ok {
			return rule
		}
	}
	return ruleCode{InvalidValue, "is not accepted"}
}
