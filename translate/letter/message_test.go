package letter_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/translate/letter"
)

var mailing = letter.Mailing{
	From: mail.Address{Name: "Équipe", Address: "support@example.com"}, At: time.Date(2027, 4, 8, 9, 5, 7, 0, time.UTC), Host: letter.HostOf(baseURL),
}

// read is a message as a reader of e-mail has it.
type read struct {
	From, Subject, Date, ID, Language, Type, Body string
	To                                            [][2]string
	Defects                                       []string
}

// python has Python read a file.
func python[T any](t *testing.T, kind string, content []byte) (found T) {
	t.Helper()
	installed.Require(t, "THE LETTERS WERE NOT READ", "python3")
	path := filepath.Join(t.TempDir(), "letters."+kind)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("python3", "-W", "error", "testdata/read.py", kind, path).Output()
	if err != nil {
		t.Fatalf("python3: %v", err)
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// mean is a letter with what formats stumble over: lines that begin with From, dots, equal signs, long lines, other letters, and quotation marks.
func mean() letter.Letter {
	return letter.Letter{
		Account: 5001, Nickname: "Zoë.李-42", Email: `"a. b"@bücher.example`, Language: "fr", State: "active", Keys: []string{"dk_live_7fK2pQ9xLm3A"},
		Calls: []string{"item", "login"}, LastUsedAt: at("2027-04-01"), Subject: "Vos programmes appellent encore /rest, qui prend fin le 5 octobre 2027 – été, août, forêt",
		Body: "From here on\n>From there\n.\n\nFrom " + strings.Repeat("é, ", 60) + "\n= 100 %, \"a\", b;\tc\n" + strings.Repeat("x", 300) + "\nFrom\n",
	}
}

// wantRead is what a reader must make of it.
func wantRead(l letter.Letter) read {
	return read{
		From: "Équipe <support@example.com>", Subject: l.Subject, Date: "2027-04-08T09:05:07+00:00", ID: "<sunset.5001.20270408T090507Z@api.example.com>", Language: "fr",
		Type: "text/plain", Body: l.Body, To: [][2]string{{l.Nickname, `"a. b"@xn--bcher-kva.example`}}, Defects: []string{},
	}
}

func TestAReaderOfEmailReadsTheMessage(t *testing.T) {
	l := mean()
	text := l.Message(mailing)
	if diff := cmp.Diff([]read{wantRead(l)}, python[[]read](t, "eml", text)); diff != "" {
		t.Errorf("(-written +read):\n%s\n%s", diff, text)
	}
	for line := range bytes.SplitSeq(bytes.TrimSuffix(text, []byte("\r\n")), []byte("\r\n")) {
		if len(line) > 78 || bytes.ContainsAny(line, "\r\n") || bytes.HasPrefix(line, []byte("From ")) {
			t.Errorf("this line is too long, ends with half an end, or begins a message of a mailbox: %q", line)
		}
		for _, c := range line {
			if c > 126 || c < 32 && c != '\t' {
				t.Errorf("this line is not ASCII: %q", line)
				break
			}
		}
	}
}

// The longest name takes several words of RFC 2047. Old versions of Python put a blank between them, so Go reads it.
func TestALongNameIsReadWhole(t *testing.T) {
	l := mean()
	l.Nickname = strings.Repeat("李", 40)
	message, err := mail.ReadMessage(bytes.NewReader(l.Message(mailing)))
	if err != nil {
		t.Fatal(err)
	}
	to, err := message.Header.AddressList("To")
	if err != nil || len(to) != 1 || to[0].Name != l.Nickname || to[0].Address != `"a. b"@xn--bcher-kva.example` && to[0].Address != "a. b@xn--bcher-kva.example" {
		t.Errorf("%v, %v", to, err)
	}
}

func TestAReaderOfMailboxesFindsEachLetterOnce(t *testing.T) {
	l := mean()
	var mailbox []byte
	for range 3 {
		mailbox = append(mailbox, l.Mailbox(mailing)...)
	}
	if diff := cmp.Diff([]read{wantRead(l), wantRead(l), wantRead(l)}, python[[]read](t, "mbox", mailbox)); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if bytes.Contains(mailbox, []byte("\r")) || !bytes.HasPrefix(mailbox, []byte("From support@example.com Thu Apr  8 09:05:07 2027\nDate: ")) ||
		!bytes.HasSuffix(mailbox, []byte("\n\n")) || bytes.Count(mailbox, []byte("\n\nFrom ")) != 2 {
		t.Errorf("it is no mailbox:\n%s", mailbox)
	}
}

func TestASpreadsheetReadsTheRow(t *testing.T) {
	l := mean()
	l.Nickname, l.Subject = "=HYPERLINK(1)", "＝1+1"
	row := l.Row()
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	w.UseCRLF = true
	if err := w.WriteAll([][]string{letter.Columns, row}); err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"account_id", "email", "nickname", "language", "state", "last_used_at", "keys", "calls", "subject", "body"},
		{
			"5001", `"a. b"@bücher.example`, "'=HYPERLINK(1)", "fr", "active", "2027-04-01T00:00:00Z", "dk_live_7fK2pQ9xLm3A", "item login", "'＝1+1",
			strings.ReplaceAll(l.Body, "\n", "\r\n"),
		},
	}
	if diff := cmp.Diff(want, python[[][]string](t, "csv", table.Bytes())); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

func TestCellsAreNoFormulas(t *testing.T) {
	for _, text := range []string{"=1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠a"} {
		if got := letter.PlainCell(text); got != "'"+text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for _, text := range []string{"", "anna", "a=b", "'=1", "5001"} {
		if got := letter.PlainCell(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestWhatCannotBeAddressed(t *testing.T) {
	for address, want := range map[string]bool{
		"anna@example.com": true, `"a b"@example.com`: true, "zoë@example.com": true, "": false, "anna": false, "anna@": false, "a@example.com\nBcc: b@example.com": false,
	} {
		l := letter.Letter{Nickname: "anna", Email: address}
		if got := l.Deliverable(); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}

func TestHostOf(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.example.com/seller": "api.example.com", "http://localhost:8080": "localhost", "http://127.0.0.1:8080": "[127.0.0.1]", "http://[::1]:8080": "[IPv6:::1]",
		"https://bücher.example": "xn--bcher-kva.example",
	} {
		if got := letter.HostOf(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
