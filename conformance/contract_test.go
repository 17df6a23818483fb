package conformance_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/changelog"
	"sellerd/conformance"
	"sellerd/conformance/gate"
	"sellerd/translate"
	"sellerd/v1"
)

// TestNoReleaseHasChanged compares the releases with their seals, and the tips with the change log: whoever changes a
// released file and seals it again must also change what was announced.
func TestNoReleaseHasChanged(t *testing.T) {
	got, err := conformance.CheckSeals(here)
	if err != nil {
		t.Fatal(err)
	}
	var want []conformance.SealedRelease
	for _, entry := range changelog.Releases() {
		if entry.Released() {
			want = append([]conformance.SealedRelease{{Version: entry.Version, Tip: entry.Seal}}, want...)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the change log and the seals (-want +got):\n%s", diff)
	}
}

// TestEveryReleaseIsKept compares today's documents with those of each release. What the newest entry of the change log
// announces must be what has changed since the release before it.
func TestEveryReleaseIsKept(t *testing.T) {
	newest := changelog.Releases()[0]
	before := changelog.Releases()[1].Version
	versions, err := conformance.Versions(here)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range versions {
		verdict, err := gate.Check(here, version, v1.OpenAPI("/"), translate.OpenAPI("/"))
		if err != nil {
			t.Error(err)
		}
		if version == before && verdict != newest.Kind {
			t.Errorf("the change log calls %s: %s, but compared with %s it is: %s", newest.Version, newest.Kind, before, verdict)
		}
	}
}

// TestTheContractIsAnnounced compares the contract with the newest entry of the change log, sentence by sentence.
func TestTheContractIsAnnounced(t *testing.T) {
	newest := changelog.Releases()[0]
	if got := conformance.ContractHash(); got != newest.ContractHash {
		t.Errorf("the contract has changed since %s was announced: its hash is %s. If %s is not out yet, write that into its entry in %s; if it is, make an entry for the release to come",
			newest.Version, got, newest.Version, changelog.File)
	}
}

// TestASentenceIsPartOfTheContract shows what the comparison of documents does not see, and the hash does.
func TestASentenceIsPartOfTheContract(t *testing.T) {
	contract := conformance.Contract()
	for _, part := range []string{
		v1.GetItem.Doc,                        // of an operation
		v1.ErrorCatalogue[0].Remedy,           // of an error
		v1.EventTypes[0].When,                 // of an event
		translate.Calls[0].Title,              // of a call
		translate.Converters[0].Doc,           // of a converter
		translate.ErrorRows[0].Text,           // of an old error
		translate.NotificationTypes[0].Doc,    // of a notification
		translate.Sunset.Format("2006-01-02"), // the day that was told
	} {
		if part == "" || !bytes.Contains(contract, []byte(part)) {
			t.Errorf("the contract does not hold %q", part)
		}
	}
}

// TestTheSealedDocumentIsTodays holds for as long as the newest release is what the program does: then the file beside its
// transcripts is the one that is served.
func TestTheSealedDocumentIsTodays(t *testing.T) {
	newest := changelog.Releases()[0]
	if !newest.Released() {
		return // the release to come has no file yet
	}
	for name, today := range map[string][]byte{gate.Document: v1.OpenAPI("/"), gate.LegacyDocument: translate.OpenAPI("/")} {
		sealed, err := os.ReadFile("released/" + newest.Version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(sealed, today) {
			t.Errorf("%s of %s is not what is served", name, newest.Version)
		}
	}
}
