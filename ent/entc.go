//go:build ignore

// Command entc generates the packages under ent from its schema.
//
// It generates twice: first everything, then the client again without the migrations. The program applies the versioned
// migrations of internal/store and makes none, so its client need not hold ent/migrate and its parsers, which would add 4.9 MB
// to the program. ent/migrate stays for internal/store/migratediff, which writes migrations.
//
// The defaults of columns are read from the schema when a program starts. A program for the machines of sellers (the build tag
// seller) has no database and does not need them. The packages that read them call methods by name, because of which the linker
// would keep every method of every type: 8 MB.
package main

import (
	"log"
	"os"

	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
)

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
		if err := entc.Generate("./schema", &gen.Config{Storage: &reduced, Features: features}); err != nil {
			log.Fatal(err)
		}
	}
	const defaults = "runtime.go"
	text, err := os.ReadFile(defaults)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(defaults, append([]byte("//go:build !seller\n\n"), text...), 0o644); err != nil {
		log.Fatal(err)
	}
}
