package letter

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Mailing is what the messages of a run have in common.
type Mailing struct {
	From mail.Address
	At   time.Time
	Host string // of the service: the ids of messages end with it
}

// HostOf is the host of a service for addresses of e-mail: its name, or its number in brackets (RFC 5321, 4.1.3).
func HostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return "localhost"
	}
	switch ip := net.ParseIP(u.Hostname()); {
	case ip == nil:
		return ascii(u.Hostname())
	case ip.To4() != nil:
		return "[" + ip.String() + "]"
	default:
		return "[IPv6:" + ip.String() + "]"
	}
}

// ascii writes a domain as mail servers know it.
func ascii(domain string) string {
	if name, err := idna.Lookup.ToASCII(domain); err == nil {
		return name
	}
	return domain
}

// Deliverable says whether a message can be addressed to the seller.
func (l *Letter) Deliverable() bool {
	_, ok := mailbox(l.Nickname, l.Email)
	return ok
}

// mailbox is an address for the header of a message. A domain in other letters is written in ASCII; before the @ they stay (RFC 6532).
func mailbox(name, address string) (*mail.Address, bool) {
	parsed, err := mail.ParseAddress(address)
	if err != nil {
		return nil, false
	}
	at := strings.LastIndexByte(parsed.Address, '@')
	return &mail.Address{Name: name, Address: parsed.Address[:at+1] + ascii(parsed.Address[at+1:])}, true
}

// Message is the letter as an e-mail message (RFC 5322), with lines that end with CRLF. No line of it begins with "From ", so that it can stand in a
// mailbox as it is. The letter is deliverable.
func (l *Letter) Message(m Mailing) []byte {
	to, _ := mailbox(l.Nickname, l.Email)
	var b bytes.Buffer
	for _, field := range [][2]string{
		{"Date", m.At.UTC().Format("Mon, 02 Jan 2006 15:04:05 -0700")},
		{"From", addressed(&m.From)},
		{"To", addressed(to)},
		{"Subject", encoded(l.Subject)},
		{"Message-ID", fmt.Sprintf("<sunset.%s.%s@%s>", l.Account, m.At.UTC().Format("20060102T150405Z"), m.Host)},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
		{"Content-Language", l.Language},
		{"Auto-Submitted", "auto-generated"}, // RFC 3834: nobody is away to it
	} {
		b.WriteString(folded(field[0] + ": " + field[1]))
	}
	b.WriteString("\r\n")
	b.Write(quoted(l.Body))
	return b.Bytes()
}

// addressed is an address with its name.
func addressed(a *mail.Address) string {
	if isASCII(a.Name) {
		return a.String()
	}
	return encoded(a.Name) + " " + (&mail.Address{Address: a.Address}).String()
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// encodedBytes is how many bytes are in an encoded word at most, so that it fits beside the name of a field.
const encodedBytes = 39

// encoded is a text in encoded words (RFC 2047), or as it is if it needs none. Characters are not divided.
func encoded(text string) string {
	if isASCII(text) {
		return text
	}
	var words []string
	for text != "" {
		end := min(encodedBytes, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:end]))+"?=")
		text = text[end:]
	}
	return strings.Join(words, " ")
}

// headerLine is how many characters a line of a header has at most if it has words in other letters (RFC 2047, 2).
const headerLine = 76

// folded is a field of a header, in as many lines as it needs. It is folded where it has blanks.
func folded(field string) string {
	return onLines(strings.Split(field, " "), "", " ", "\r\n", headerLine)
}

// quoted is a text in quoted-printable (RFC 2045). A line that would begin with "From " is written so that it does not, and reads the same.
func quoted(text string) []byte {
	var b bytes.Buffer
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	out := bytes.ReplaceAll(b.Bytes(), []byte("\r\nFrom "), []byte("\r\n=46rom =\r\n"))
	if rest, ok := bytes.CutPrefix(out, []byte("From ")); ok {
		out = append([]byte("=46rom =\r\n"), rest...)
	}
	return out
}

// Mailbox is the letter as a part of a mailbox in the format of RFC 4155: a line that begins with From, the message with lines that end with LF, and a
// blank line.
func (l *Letter) Mailbox(m Mailing) []byte {
	message := bytes.ReplaceAll(l.Message(m), []byte("\r\n"), []byte("\n"))
	return fmt.Appendf(nil, "From %s %s\n%s\n", m.From.Address, m.At.UTC().Format("Mon Jan _2 15:04:05 2006"), message)
}
