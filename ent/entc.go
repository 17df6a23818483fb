//go:build ignore

// Command entc generates the packages under ent from its schema.
//
// It generates twice: first everything, then the client again without the migrations. The program applies the versioned
// migrations of internal/store and makes none, so its client need not hold ent/migrate and its parsers, which would add 4.9 MB
// to the program. ent/migrate stays for internal/store/migratediff, which writes migrations.
//
// The defaults of columns are plain values, and are printed as such. ent's own code would read them from the schema when a program
// starts: its schema packages call methods by name, because of which the linker would keep every method of every type.
package main

import (
	"log"

	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
)

// defaults replaces ent's template of the same name.
var defaults = gen.MustParse(gen.NewTemplate("defaults").Parse(`{{ define "runtime/register" }}
import (
{{- range $n := $.Nodes }}{{ if $n.HasDefault }}
	"{{ $.Config.Package }}/{{ $n.PackageDir }}"
{{- end }}{{ end }}
)

// The defaults of columns, as the schema has them.
func init() {
{{- range $n := $.Nodes }}{{ range $f := $n.Fields }}
	{{- if or $f.DefaultFunc $f.UpdateDefault $f.Validators $n.NumHooks $n.NumInterceptors $n.NumPolicy }}{{ fail "only plain defaults are printed" }}{{ end }}
	{{- if $f.Default }}
	{{ $n.PackageDir }}.{{ $f.DefaultName }} = {{ printf "%#v" $f.DefaultValue }}
	{{- end }}
{{- end }}{{ end }}
}
{{ end }}`))

func main() {
	log.SetFlags(0)
	log.SetPrefix("entc: ")
	features := []gen.Feature{gen.FeatureLock, gen.FeatureModifier, gen.FeatureExecQuery, gen.FeatureVersionedMigration}
	for _, without := range []gen.SchemaMode{0, gen.Migrate} {
		storage, err := gen.NewStorage("sql")
		if err != nil {
			log.Fatal(err)
		}
		reduced := *storage
		reduced.SchemaMode &^= without
		if err := entc.Generate("./schema", &gen.Config{Storage: &reduced, Features: features, Templates: []*gen.Template{defaults}}); err != nil {
			log.Fatal(err)
		}
	}
}
