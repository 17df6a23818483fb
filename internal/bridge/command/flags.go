package command

import (
	"flag"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// FlagSet is the flags for the standard library, made of the same tags as those of sellerd's parser, without which the program
// of its own is smaller. help is what --help prints.
func (c *Command) FlagSet(name string) (flags *flag.FlagSet, help string) {
	flags = flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are worded by the caller
	flags.Usage = func() {}
	var usage strings.Builder
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		sentence, ok := field.Tag.Lookup("help")
		if !ok {
			continue
		}
		long := field.Tag.Get("name")
		if long == "" {
			long = dashed(field.Name)
		}
		otherwise := field.Tag.Get("default")
		sentence = strings.ReplaceAll(strings.ReplaceAll(sentence, "${default}", otherwise), "$$", "$")
		switch target := v.Field(i).Addr().Interface().(type) {
		case *string:
			flags.StringVar(target, long, otherwise, sentence)
			fmt.Fprintf(&usage, "  --%s=%s\n        %s\n", long, field.Tag.Get("placeholder"), sentence)
		case *[]string: // given again, or with commas between two
			flags.Func(long, sentence, func(value string) error {
				for one := range strings.SplitSeq(value, ",") {
					*target = append(*target, strings.TrimSpace(one))
				}
				return nil
			})
			fmt.Fprintf(&usage, "  --%s=%s,...\n        %s\n", long, field.Tag.Get("placeholder"), sentence)
		case *bool:
			flags.BoolVar(target, long, false, sentence)
			fmt.Fprintf(&usage, "  --%s\n        %s\n", long, sentence)
		default:
			panic("a flag of another kind: " + long)
		}
	}
	return flags, fmt.Sprintf("Usage: %s --to=URL [flags]\n\n%s\n\nFlags:\n%s  --version\n        Print the version.\n", name, c.Help(), usage.String())
}

// dashed is the name of a flag for a field: insecure-bind for InsecureBind.
func dashed(field string) string {
	var b strings.Builder
	for i, r := range field {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}
