// Command release turns conformance/next into a sealed release: it moves the transcripts, stores the OpenAPI documents
// beside them, writes the seal, and completes the release's entry in the change log. It adds the release to the archive that
// the program is built with, and removes the folder of the release before, which the archive has. It rejects changes that
// break an earlier promise or that the change log does not announce.
//
//	go run ./conformance/release 1.6.0 2026-12-01T09:30:00Z
//
// The second word is the instant of the release, now without it. Run it with make release, in the module's root, which also runs the tests.
package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sellerd/changelog"
	"sellerd/conformance"
	"sellerd/conformance/gate"
	"sellerd/translate/openapi"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// folder is the path of the promises from the module's root.
const folder = "conformance"

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fail(errors.New("which version? go run ./conformance/release VERSION [" + changelog.InstantForm + "]"))
	}
	date := time.Now().UTC().Format(changelog.InstantForm)
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
	at, err := time.Parse(changelog.InstantForm, date)
	if err != nil {
		return fmt.Errorf("the instant is written in UTC, to the second: %w", err)
	}
	if at.After(time.Now()) {
		return fmt.Errorf("%s has not come yet", date)
	}
	if err := announced(version); err != nil {
		return err
	}
	released, err := conformance.Released()
	if err != nil {
		return err
	}
	sealed, err := untouched(released, changelog.Releases()[1])
	if err != nil {
		return err
	}
	suite, err := conformance.Load()
	if err != nil {
		return err
	}
	if err := gate.CheckCorrections(suite, released, changelog.Releases(), openapi.Document("/")); err != nil {
		return err
	}
	if err := compatible(suite, released, version, sealed); err != nil {
		return err
	}
	if err := errors.Join(renewed(), complete(suite)); err != nil {
		return err
	}
	// The table is checked before anything is written: a mistake in it would stop every program that is built with it.
	releases := changelog.Releases()
	releases[0].Date, releases[0].ContractHash = date, conformance.ContractHash()
	releases[0].Seal = releases[0].ContractHash // in the form of the tip that follows
	if _, err := changelog.Decode(changelog.Encode(releases)); err != nil {
		return err
	}
	tip, err := seal(folder, releases[0], released, sealed[len(sealed)-1].Tip)
	if err != nil {
		return errors.Join(err, os.RemoveAll(filepath.Join(folder, "released", version)))
	}
	releases[0].Seal = tip
	if err := os.WriteFile(changelog.File, changelog.Encode(releases), 0o644); err != nil {
		return err
	}
	fmt.Printf("%s is sealed with %s.\n", version, tip)
	return tidy(folder, version)
}

// untouched compares the releases in the archive with their seals, and the newest with its entry in the change log. Since a
// seal names the one before it, no release can have changed then, and none can be missing.
func untouched(released fs.FS, newest changelog.Release) ([]conformance.SealedRelease, error) {
	sealed, err := conformance.CheckSeals(released)
	if err != nil {
		return nil, err
	}
	want := conformance.SealedRelease{Version: newest.Version, Tip: newest.Seal}
	if len(sealed) == 0 || sealed[len(sealed)-1] != want {
		return nil, fmt.Errorf("the archive's releases are %v, and the change log has %v as the last", sealed, want)
	}
	return sealed, nil
}

// announced is an error if the release is not the next one in the change log.
func announced(version string) error {
	entry, ok := changelog.Find(version)
	switch {
	case !ok:
		return fmt.Errorf("%s has no entry in %s: say there what is new", version, changelog.File)
	case entry.Released():
		return fmt.Errorf("%s was released on %s", version, entry.Date)
	case changelog.Releases()[0].Version != version:
		return fmt.Errorf("%s is not the newest entry of %s", version, changelog.File)
	case v1.Release != version:
		return fmt.Errorf("v1.Release is %s", v1.Release)
	}
	return nil
}

// compatible is an error if a promise is broken, or if the documents have changes that the entry's kind does not cover.
func compatible(suite *conformance.Suite, released fs.FS, version string, sealed []conformance.SealedRelease) error {
	entry, _ := changelog.Find(version)
	var changes []gate.Change
	for _, before := range sealed { // the last one is the newest
		var err error
		if changes, err = gate.Check(suite, released, before.Version, v1openapi.Document("/"), openapi.Document("/")); err != nil {
			return err
		}
	}
	return gate.Announced(entry, changes)
}

// renewed is an error if a committed document differs from that of the program.
func renewed() error {
	for file, document := range map[string][]byte{"v1/openapi/openapi.json": v1openapi.Document("/"), "translate/openapi/openapi.json": openapi.Document("/")} {
		committed, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !bytes.Equal(committed, document) {
			return fmt.Errorf("%s is not what the program says: renew it first", file)
		}
	}
	return nil
}

// complete is an error if a possible answer is shown in no section.
func complete(suite *conformance.Suite) error {
	for _, t := range suite.Transcripts {
		for _, section := range t.Sections {
			if section.Answer == nil {
				return fmt.Errorf("%s: the answer of %q is not recorded", t.File, section.Title)
			}
		}
	}
	rows, err := suite.Coverage()
	if err != nil {
		return err
	}
	legacy, err := suite.LegacyCoverage()
	if err != nil {
		return err
	}
	rows = append(rows, legacy...)
	if i := slices.IndexFunc(rows, func(r conformance.Row) bool { return r.Sections == 0 }); i >= 0 {
		return fmt.Errorf("%s %d %s is pinned by no transcript", rows[i].Operation, rows[i].Status, rows[i].Code)
	}
	return nil
}

// seal copies next to the release's folder, closes it, and adds it to the archive. All files are written first, so that a
// release is complete or does not exist. Only then are the transcripts removed from next, and older folders from released.
func seal(folder string, entry changelog.Release, before *zip.Reader, previous string) (tip string, err error) {
	to := filepath.Join(folder, "released", entry.Version)
	if err := os.CopyFS(to, os.DirFS(filepath.Join(folder, "next"))); err != nil {
		return "", err
	}
	files := map[string][]byte{
		gate.Document: v1openapi.Document("/"), gate.LegacyDocument: openapi.Document("/"),
		conformance.AnnouncementFile: conformance.Announcement(entry),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return "", err
		}
	}
	if err := os.Remove(filepath.Join(to, "README")); err != nil {
		return "", err
	}
	text, err := conformance.Seal(os.DirFS(folder), entry.Version, previous)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(to, conformance.SealFile), []byte(text), 0o644); err != nil {
		return "", err
	}
	after, err := conformance.Archive(before, os.DirFS(folder), entry.Version)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, conformance.ArchiveFile)
	if err := os.WriteFile(file+".new", after, 0o644); err != nil {
		return "", err
	}
	return conformance.Tip(text), os.Rename(file+".new", file)
}

// tidy removes the transcripts that are now sealed, and the folders of the releases before.
func tidy(folder, version string) error {
	return errors.Join(empty(filepath.Join(folder, "next"), ""), empty(filepath.Join(folder, "released"), version))
}

// empty removes what is in a folder, except its README and what is to stay.
func empty(folder, stays string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == "README" || entry.Name() == stays {
			continue
		}
		if err := os.RemoveAll(filepath.Join(folder, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
