// Command release makes of conformance/next a sealed release: it moves the transcripts, keeps the OpenAPI documents beside
// them, writes the seal, and completes the release's entry in the change log. It refuses what breaks an earlier promise and
// what the change log does not announce.
//
//	go run ./conformance/release 1.3.0 2026-12-01
//
// The second word is the day of the release, today (UTC) without it. It is run in the module's root; make release is the way
// to run it, since it tests what is released.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sellerd/changelog"
	"sellerd/conformance"
	"sellerd/conformance/gate"
	"sellerd/translate"
	"sellerd/v1"
)

// Where things are, seen from the module's root.
const (
	folder    = "conformance"
	entryFile = "changelog/releases.json"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fail(errors.New("which version? go run ./conformance/release VERSION [YYYY-MM-DD]"))
	}
	date := time.Now().UTC().Format(time.DateOnly)
	if len(os.Args) == 3 {
		date = os.Args[2]
	}
	if err := release(os.Args[1], date); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "release:", err)
	os.Exit(1)
}

func release(version, date string) error {
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return fmt.Errorf("the day is written YYYY-MM-DD: %w", err)
	}
	sealed, err := conformance.CheckSeals(os.DirFS(folder))
	if err != nil {
		return err
	}
	if len(sealed) == 0 {
		return errors.New("there is no release before this one")
	}
	if err := announced(version); err != nil {
		return err
	}
	if err := compatible(version, sealed); err != nil {
		return err
	}
	if err := complete(); err != nil {
		return err
	}
	tip, err := seal(version, sealed[len(sealed)-1].Tip)
	if err != nil {
		return err
	}
	if err := enter(version, date, tip); err != nil {
		return err
	}
	fmt.Printf("%s is sealed with %s.\n", version, tip)
	return nil
}

// announced says no to a release that the change log does not know as the coming one.
func announced(version string) error {
	entry, ok := changelog.Find(version)
	switch {
	case !ok:
		return fmt.Errorf("%s has no entry in %s: say there what is new", version, entryFile)
	case entry.Released():
		return fmt.Errorf("%s was released on %s", version, entry.Date)
	case changelog.Releases()[0].Version != version:
		return fmt.Errorf("%s is not the newest entry of %s", version, entryFile)
	case v1.Release != version:
		return fmt.Errorf("v1.Release is %s", v1.Release)
	}
	return nil
}

// compatible says no when a promise is broken, or when the entry's kind says less than the documents.
func compatible(version string, sealed []conformance.SealedRelease) error {
	entry, _ := changelog.Find(version)
	for i, before := range sealed {
		verdict, err := gate.Check(os.DirFS(folder), before.Version, v1.OpenAPI("/"), translate.OpenAPI("/"))
		if err != nil {
			return err
		}
		if i == len(sealed)-1 && verdict != entry.Kind {
			return fmt.Errorf("the change log calls %s: %s, but compared with %s it is: %s", version, entry.Kind, before.Version, verdict)
		}
	}
	return nil
}

// complete says no while something that can be answered is pinned nowhere.
func complete() error {
	suite, err := conformance.LoadFrom(os.DirFS(folder))
	if err != nil {
		return err
	}
	rows, err := suite.Coverage()
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(rows, func(r conformance.Row) bool { return r.Sections == 0 }); i >= 0 {
		return fmt.Errorf("%s %d %s is pinned by no transcript", rows[i].Operation, rows[i].Status, rows[i].Code)
	}
	return nil
}

// seal moves next to the release's folder and closes it.
func seal(version, previous string) (tip string, err error) {
	next, to := filepath.Join(folder, "next"), filepath.Join(folder, "released", version)
	if err := os.Mkdir(to, 0o755); err != nil {
		return "", err
	}
	transcripts, err := filepath.Glob(filepath.Join(next, "*"))
	if err != nil {
		return "", err
	}
	for _, from := range transcripts {
		if filepath.Base(from) == "README" {
			continue
		}
		if err := os.Rename(from, filepath.Join(to, filepath.Base(from))); err != nil {
			return "", err
		}
	}
	for name, document := range map[string][]byte{gate.Document: v1.OpenAPI("/"), gate.LegacyDocument: translate.OpenAPI("/")} {
		if err := os.WriteFile(filepath.Join(to, name), document, 0o644); err != nil {
			return "", err
		}
	}
	text, err := conformance.Seal(os.DirFS(folder), version, previous)
	if err != nil {
		return "", err
	}
	return conformance.Tip(text), os.WriteFile(filepath.Join(to, conformance.SealFile), []byte(text), 0o644)
}

// enter completes the entry in the change log.
func enter(version, date, tip string) error {
	releases := changelog.Releases()
	for i := range releases {
		if releases[i].Version == version {
			releases[i].Date, releases[i].Seal, releases[i].ContractHash = date, tip, conformance.ContractHash()
		}
	}
	return os.WriteFile(entryFile, changelog.Encode(releases), 0o644)
}
