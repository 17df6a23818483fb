package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	textunicode "golang.org/x/text/encoding/unicode"

	"sellerd/internal/base/pattern"
)

// likely are the encodings that a question shows, the most frequent first.
var likely = []string{"windows-1252", "ISO-8859-15", "macintosh", "IBM850", "windows-1250", "windows-1251", "windows-1254"}

// decode makes letters of bytes. The note says in which way, if the file itself does not.
func decode(data []byte, name string) (text, note string, err error) {
	if name != "" {
		text, err = decodeAs(data, name)
		return text, "", err
	}
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return "", "", errors.New("the file is UTF-32: save it as CSV UTF-8 or as an Excel workbook")
	case bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")):
		return utf16Text(data[2:], data[0] == 0xff), "read as UTF-16", nil
	case bytes.HasPrefix(data, []byte("\ufeff")):
		text := strings.TrimPrefix(string(data), "\ufeff")
		if !utf8.ValidString(text) {
			return "", "", fmt.Errorf("line %d is not UTF-8, though the file begins as UTF-8 does: save it again, or name its --encoding", lineOf(text))
		}
		return text, "", nil
	}
	if little, ok := looksUTF16(data); ok {
		return utf16Text(data, little), "read as UTF-16", nil
	}
	if utf8.Valid(data) {
		return string(data), "", nil
	}
	if err := mixed(data); err != nil {
		return "", "", err
	}
	western, err := decodeAs(data, likely[0])
	if err != nil || doubtful(western) {
		return "", "", question(data)
	}
	return western, fmt.Sprintf("read as %s, for example %q; --encoding names another", likely[0], excerpt(lineBeyondASCII(western))), nil
}

// mixed is an error if part of the file is UTF-8: a row was pasted into it from another file. By accident, a line in another encoding is
// hardly ever UTF-8.
func mixed(data []byte) error {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
	number, good, bad, firstGood, firstBad, example := 0, 0, 0, 0, 0, ""
	for line := range strings.Lines(text) {
		number++
		switch {
		case !utf8.ValidString(line):
			if bad++; firstBad == 0 {
				firstBad, example = number, line
			}
		case strings.ContainsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }):
			if good++; firstGood == 0 {
				firstGood = number
			}
		}
	}
	if 4*good < bad || good == 0 {
		return nil
	}
	if western, err := decodeAs([]byte(example), likely[0]); err == nil {
		example = western
	}
	return fmt.Errorf("lines of the file are in different encodings: line %d is UTF-8, and line %d is not: %q. "+
		"Type the letters beyond A to Z in such lines again (%d), and save the file as CSV UTF-8 or as an Excel workbook",
		firstGood, firstBad, Visible(excerpt(strings.ToValidUTF8(example, "�"))), bad)
}

// decodeAs reads bytes in an encoding that the user names.
func decodeAs(data []byte, name string) (string, error) {
	encoding, err := lookUp(name)
	if err != nil {
		return "", err
	}
	if encoding == textunicode.UTF8 {
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		if !utf8.Valid(data) {
			return "", fmt.Errorf("line %d is not UTF-8: name another --encoding", lineOf(string(data)))
		}
		return string(data), nil
	}
	out, err := encoding.NewDecoder().Bytes(data)
	if err != nil {
		return "", fmt.Errorf("the file is not in the encoding %s: %w", name, err)
	}
	text := strings.TrimPrefix(string(out), "\ufeff")
	if line, _, found := strings.Cut(text, "\ufffd"); found {
		return "", fmt.Errorf("line %d has bytes that do not exist in the encoding %s: name another --encoding", strings.Count(line, "\n")+1, name)
	}
	return text, nil
}

// numbered are the names of encodings by their numbers: cp1252, Win-1252, 8859-15, OEM 850.
var numbered = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`^(?:windows|win|cp|codepage|ms)?(125[0-8])$`), "windows-"},
	{regexp.MustCompile(`^(?:iso)?8859([0-9]{1,2})$`), "ISO-8859-"},
	{regexp.MustCompile(`^(?:ibm|cp|oem|dos)(437|8[56][0-9])$`), "IBM"},
}

// lookUp finds an encoding by the names that programs give it: Python's utf-8-sig, UTF-8-BOM of editors, latin-1.
func lookUp(name string) (encoding.Encoding, error) {
	name = strings.TrimSpace(name)
	short := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
	switch short {
	case "ansi":
		name = "windows-1252"
	case "macroman", "mac":
		name = "macintosh"
	case "utf16", "unicode":
		return textunicode.UTF16(textunicode.LittleEndian, textunicode.UseBOM), nil
	case "utf16le", "utf16be":
		name = "utf-16" + short[len(short)-2:]
	case "utf8sig", "utf8bom", "utf8withbom", "utf8withsignature":
		name = "utf-8"
	case "latin1":
		name = "latin1"
	}
	for _, known := range numbered {
		if m := known.form.FindStringSubmatch(short); m != nil {
			name = known.name + m[1]
		}
	}
	if found, err := ianaindex.IANA.Encoding(name); err == nil && found != nil {
		return found, nil
	}
	if found, err := htmlindex.Get(name); err == nil {
		return found, nil
	}
	return nil, fmt.Errorf("--encoding %s is not known: names are for example utf-8, %s", name, strings.Join(likely, ", "))
}

func lineOf(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return strings.Count(text[:i], "\n") + 1
			}
		}
	}
	return 1
}

// looksUTF16 recognises UTF-16 without a byte order mark: every other byte of Latin letters is zero.
func looksUTF16(data []byte) (little, ok bool) {
	zero := [2]int{}
	sample := data[:min(len(data), 4096)]
	for i, b := range sample {
		if b == 0 {
			zero[i%2]++
		}
	}
	half := len(sample) / 2
	return zero[1] > zero[0], len(data)%2 == 0 && half > 0 && (zero[1] > half/2 && zero[0] < half/10+1 || zero[0] > half/2 && zero[1] < half/10+1)
}

// utf16Text reads UTF-16. Half a unit at the end is left out, and a lone surrogate becomes U+FFFD, which is refused.
func utf16Text(data []byte, little bool) string {
	order := textunicode.BigEndian
	if little {
		order = textunicode.LittleEndian
	}
	text, _ := textunicode.UTF16(order, textunicode.IgnoreBOM).NewDecoder().Bytes(data[:len(data)&^1]) // it reads whatever there is
	return string(text)
}

// western are the characters beyond ASCII that a text in a language of western Europe has. A text in another encoding, read as
// windows-1252, soon has others.
const western = "àâäáãåçéèêëíìîïñóòôöõúùûüßœæøÀÂÄÁÅÇÉÈÊËÍÎÏÑÓÔÖÚÜŒÆØ€£§°ºª«»¿¡’‘“”„–—…©®™×·½¼¾²³\u00a0"

// misread finds places that are rare in western languages and common where another encoding was taken for windows-1252: č, ę and ů as è, ê
// and ù, or letters of the Mac and of DOS as signs between letters. It would rather ask once too often.
var misread = pattern.Late(strings.Join([]string{
	`[^\x00-\x7f\x{a0}€–—…’‘“”„«»]{3}`,                                      // Cyrillic, Greek, Asian
	`\p{L}[¿¡£§°ºª«„‘“™©®×·½¼¾]\p{Ll}`,                                      // signs within a word
	`[£§™©®×½¼¾]\p{L}|\p{L}[¡¿]|[¿¡](\s|$)`,                                 // or at its edge
	`\p{L}[–—…”]\p{Ll}|\p{L}\x{a0}\p{Ll}`,                                   // ñ, ó, î and á of the Mac and DOS
	`\s[…ÇõÕãÀ]\s`,                                                          // à of DOS, « and others of the Mac
	`\p{L}{2}[^\PLdulntvms]’(?:[^\PLstdmrvl]|\p{L}{3})`,                     // í of the Mac; l’art, Anna’s and they’re are right
	`[^\PLlmLM][²³]|[²³]\p{L}`,                                              // ł
	`(?:[èÈ][aeiouyAEIOUY]|(?:^|\PL)[èÈÊ]\p{Ll}|[èê][^aeiouyé\PL]+[aiouy])`, // č and ę
	`ê(?:\PL|$)|[ùì]\p{Ll}|[øØåÅæÆ]`,                                        // ę, ů and ě; Danish has to be named
	`ã(?:[^oes\PL]|\p{L}s|$)|\p{L}{2}ã\PL`,                                  // ă of Romanian; a Portuguese word that ends in ã is asked about, too
	`ñ(?:[^aeiouáéíóú\PL]|\PL|$)|ç(?:[^aouãõâáàòô\PL]|\PL|$)`,               // ń, ē
	`œ(?:[^ustncdlrgmi\PL]|\PL|$)|õ(?:[^e]|$)|û[^tcrlmst\PL]|(?:^|\PL)û|î[^tlnmcr\PL]|áe|[ieu]á(?:\PL|$)|[^\PLaeiouyAEIOUY]á[^\PLaeiouy](?:e|$)`, // ś, ő, ū, ß of DOS
}, "|"))

// doubtful says whether a text read as windows-1252 may be in another encoding.
func doubtful(text string) bool {
	letters := 0
	for _, r := range text {
		if r >= utf8.RuneSelf && !strings.ContainsRune(western, r) {
			return true
		}
		if r >= utf8.RuneSelf && unicode.IsLetter(r) {
			letters++
		}
	}
	if letters == 0 && strings.ContainsRune(text, '…') { // à of DOS, if it is the only letter
		return true
	}
	return misread().MatchString(text)
}

// question is the error that shows how one line of the file looks in the likely encodings.
func question(data []byte) error {
	line, at := []byte(nil), 0
	for i, candidate := range bytes.FieldsFunc(data, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if high := highBytes(candidate); high > at {
			line, at = candidate, high
		}
		if i > 1000 {
			break
		}
	}
	var words strings.Builder
	var shown []string
	for _, name := range likely {
		text, err := decodeAs(line, name)
		if text = excerpt(Trim(text)); err == nil && !slices.Contains(shown, text) && !strings.ContainsFunc(text, control) {
			shown = append(shown, text)
			fmt.Fprintf(&words, "\n  --encoding %-12s  %s", name, text)
		}
	}
	return errors.New("the file is not UTF-8, and its encoding is not certain. Which of these lines is right? Run the command again with what stands before it" + words.String() +
		"\nIf none is, save the file as \"CSV UTF-8\" or as an Excel workbook, or name its encoding with --encoding")
}

// mangled says whether UTF-8 was taken for windows-1252 before the file was saved: é became Ã©.
func mangled(text string) bool {
	if !strings.ContainsAny(text, "ÃÂâÄÅ") {
		return false
	}
	back, err := charmap.Windows1252.NewEncoder().String(text)
	return err == nil && utf8.ValidString(back)
}

func highBytes(line []byte) (n int) {
	for _, b := range line[:min(len(line), 70)] {
		if b >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

func lineBeyondASCII(text string) string {
	at := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
	start := strings.LastIndexAny(text[:max(at, 0)], "\r\n") + 1
	line := text[start:]
	if end := strings.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	if lead := at - start; lead > 40 {
		line = line[lead-20:]
	}
	return strings.ToValidUTF8(line, "")
}

// excerpt is the beginning of a text, on one line.
func excerpt(text string) string { return Excerpt(text, 70) }

// Excerpt is the beginning of a text, on one line, of at most so many characters.
func Excerpt(text string, most int) string {
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return string(letters)
}
