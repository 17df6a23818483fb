package conformance_test

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/changelog"
	"sellerd/conformance"
	"sellerd/conformance/gate"
	"sellerd/translate"
	"sellerd/translate/openapi"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// TestNoReleaseHasChanged compares the releases in the archive with their seals, and the tips with the change log: a change
// of a released file that is sealed again needs a change of the change log too.
func TestNoReleaseHasChanged(t *testing.T) {
	got, err := conformance.CheckSeals(released(t))
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

// tips are those of the releases that are out, once more: to seal an old release again, one must forge them here too, which a
// reader of the change cannot miss.
var tips = map[string]string{
	"1.0.0": "1a1a1c5e47960c3533e9cc17959cd50ea561dbf46b469804d2b168ea867ba96f",
	"1.1.0": "0e6b1823dbac233a9318086b4f6c50ea48381031db5df44cea39fd5916660c66",
	"1.2.0": "af4061427996a030686b24d5e39f23603057ac7ec05209bca3359a46103a6d52",
	"1.2.1": "69ec07de3f2ee6d2e4998c194d052f183fb55c932632ac8daac03542b184d85f",
	"1.3.0": "49cf1c2abcc2fa47485e883538a42f8ce583951c82eb010294a899772f5eba37",
	"1.4.0": "9278441e2f111d1bac179c402f976e12bfd13d18f0d977f245de6cf4b00f294a",
	"1.5.0": "2d386e66675706c87c7983a791ae65b1b4e2b6ea43bfe94599b9fb2a079c89a0",
	"1.5.1": "eb28af8df5649633bba036313f4350f2f0ef090a226a437877fdc4c486a39cb5",
}

// TestNoAnnouncementHasChanged compares the entries of releases that are out with what they said when they were sealed.
func TestNoAnnouncementHasChanged(t *testing.T) {
	for _, entry := range changelog.Releases() {
		if !entry.Released() {
			continue
		}
		if tip, known := tips[entry.Version]; known && tip != entry.Seal {
			t.Errorf("%s was sealed with %s, and the change log says %s", entry.Version, tip, entry.Seal)
		}
		want, err := fs.ReadFile(released(t), "released/"+entry.Version+"/"+conformance.AnnouncementFile)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(conformance.Announcement(entry))); diff != "" {
			t.Errorf("the entry of %s has changed since it was sealed (-sealed +now):\n%s", entry.Version, diff)
		}
	}
}

// TestTheContractIsAnnounced compares the contract with the newest entry of the change log, sentence by sentence.
func TestTheContractIsAnnounced(t *testing.T) {
	newest := changelog.Releases()[0]
	if got := conformance.ContractHash(); got != newest.ContractHash {
		t.Errorf("the contract has changed since %s was announced: its hash is %s. If %s is not out yet, write that into its entry in %s; if it is, make an "+
			"entry for the release to come",
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
		translate.Sunset.Format("2006-01-02"), // the day that was announced
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
	for name, today := range map[string][]byte{gate.Document: v1openapi.Document("/"), gate.LegacyDocument: openapi.Document("/")} {
		sealed, err := fs.ReadFile(released(t), "released/"+newest.Version+"/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(sealed, today) {
			t.Errorf("%s of %s is not what is served", name, newest.Version)
		}
	}
}
