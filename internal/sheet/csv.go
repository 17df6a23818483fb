package sheet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"sellerd/internal/base/pattern"
)

// keptText is a formula that keeps Excel from changing a text: ="00123".
var keptText = pattern.Late(`^\s*="([^"]*)"\s*$`)

// sepLine is a line for Excel that names the separator. Excel does not show it.
var sepLine = pattern.Late(`^(?i:"?sep=)([^\r\n"])"?[,;|\t]*(?:\r\n|\r|\n)`)

// failed is what stands in a cell when a formula failed, in many languages, or when the column was too narrow; and a formula itself.
var failed = pattern.Late(`^(?s:#[¡¿]?[\p{Lu}/0-9_]{2,}[!?]|#(?:N/A|N/D|N/DISP|NV|NB|ND|I/T|Н/Д|YOK|BRAK|GETTING_DATA)|#{3,}|(?:Err|Error|Erreur|Errore|Erro|Fehler|Fout|Fel|Fejl|Feil|Virhe|Hiba|Chyba|Błąd):5[0-9]{2}|=[^=\s].*)$`)

// separators are those that are recognised, with their names. The last one is said to users.
var separators = []struct {
	character byte
	names     []string
}{
	{',', []string{"comma", "commas"}},
	{';', []string{"semicolon", "semicolons"}},
	{'\t', []string{"tab", `\t`, "tabs"}},
	{'|', []string{"pipe", "bar", "vertical bar", "vertical bars"}},
}

// readText reads a file of separated values.
func readText(data []byte, o Options) (*Raw, error) {
	text, note, err := decode(data, o.Encoding)
	if err != nil {
		return nil, err
	}
	text = strings.TrimRight(text, "\x00\x1a") // what editors and transfers of old leave at the end
	raw := &Raw{}
	if note != "" {
		raw.notes = append(raw.notes, note)
	}
	line := 1
	separator, err := Separator(o.Separator)
	if err != nil {
		return nil, err
	}
	if found := sepLine().FindStringSubmatch(text); found != nil && found[1][0] < utf8.RuneSelf {
		if separator == 0 {
			separator = found[1][0]
		}
		text, line = text[len(found[0]):], line+1
	}
	if separator == 0 {
		if separator, err = separatorOf(text, o.HeaderRow); err != nil {
			return nil, err
		}
	}
	if separator != ',' {
		raw.notes = append(raw.notes, "columns separated by "+nameOf(separator)+"; --separator names another")
	}
	raw.separator = separator
	p := parser{text: text, separator: separator, line: line, headerRow: o.HeaderRow, raw: raw}
	p.byRule = sync.OnceValue(func() bool { return byRule(text, separator) })
	if err := p.parse(); err != nil {
		return nil, err
	}
	if inner, ok := raw.unquoted(); ok && strings.HasPrefix(Trim(text), `"`) {
		return readText([]byte(inner), Options{Encoding: "utf-8", Separator: o.Separator, HeaderRow: o.HeaderRow})
	}
	return raw, nil
}

// byRule says whether a file is as RFC 4180 has it, with as many cells in each row. Then a quote after a backslash is no more than that. A file
// that puts a backslash before quotes in place of another quote is not: its cells would go on into the next ones.
func byRule(text string, separator byte) bool {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.ReuseRecord = rune(separator), true
	for {
		switch _, err := r.Read(); {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return false
		}
	}
}

// unquoted is the text of a file each line of which is in double quotes as a whole.
func (raw *Raw) unquoted() (string, bool) {
	var lines []string
	columns := false
	for _, row := range raw.rows {
		if len(row.Cells) > 1 || strings.Contains(row.Cells[0].Text, "\n") {
			return "", false
		}
		columns = columns || len(lines) == 0 && strings.ContainsAny(row.Cells[0].Text, ",;\t|")
		lines = append(lines, row.Cells[0].Text)
	}
	return strings.Join(lines, "\n") + "\n", columns
}

func nameOf(separator byte) string {
	for _, known := range separators {
		if known.character == separator {
			return known.names[len(known.names)-1]
		}
	}
	return fmt.Sprintf("%q", string(separator))
}

// Separator is the separator that the user names, 0 if there is none.
func Separator(name string) (byte, error) {
	if name == "" {
		return 0, nil
	}
	for _, known := range separators {
		if slices.Contains(known.names, strings.ToLower(name)) {
			return known.character, nil
		}
	}
	if len(name) != 1 || strings.ContainsAny(name, "\"\r\n") || name[0] >= utf8.RuneSelf {
		return 0, fmt.Errorf("--separator must be one character or tab, not %q", name)
	}
	return name[0], nil
}

// separatorOf finds the separator of the header. Where two fit it alike, the rows decide.
func separatorOf(text string, headerRow int) (byte, error) {
	for ; headerRow > 1; headerRow-- {
		_, text, _ = strings.Cut(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	}
	lines := outsideQuotes(text, 50)
	if len(lines) == 0 {
		return ',', nil
	}
	var best []byte
	most := 0
	for _, candidate := range separators {
		switch n := strings.Count(lines[0], string(candidate.character)); {
		case n > most:
			best, most = []byte{candidate.character}, n
		case n == most && n > 0:
			best = append(best, candidate.character)
		}
	}
	if len(best) > 1 {
		best = slices.DeleteFunc(best, func(c byte) bool {
			return slices.ContainsFunc(lines, func(line string) bool { return strings.Count(line, string(c)) != most })
		})
		if len(best) != 1 {
			return 0, errors.New("what separates the columns is not certain: name it, for example --separator ';'")
		}
	}
	if most == 0 {
		return ',', nil
	}
	return best[0], nil
}

// outsideQuotes are the first lines that are not empty, without what stands in double quotes.
func outsideQuotes(text string, atMost int) (lines []string) {
	var line strings.Builder
	quoted := false
	end := func() {
		if line.Len() > 0 {
			lines = append(lines, line.String())
		}
		line.Reset()
	}
	for i := 0; i < len(text) && len(lines) < atMost; i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
			line.WriteByte('x')
		case quoted:
		case c == '\r' || c == '\n':
			end()
		default:
			line.WriteByte(c)
		}
	}
	end()
	return lines
}

// parser takes a text apart. It is lenient with quotes only where they cannot move a cell.
type parser struct {
	text      string
	separator byte
	at, line  int // where it is: the byte, and the line from 1
	row       int // of the spreadsheet, from 1
	raw       *Raw
	width     int // of the header, 0 before it
	headerRow int
	cells     int
	byRule    func() bool // a backslash means nothing
}

func (p *parser) parse() error {
	for p.at < len(p.text) {
		p.row++
		row := Row{Number: p.row, Line: p.line}
		stray := false // a quote within a quoted cell was taken as it is
		for more := true; more; {
			text, wasStray, err := p.cell(len(row.Cells))
			if err != nil {
				return fmt.Errorf("row %d (line %d of the file): %w", p.row, row.Line, err)
			}
			stray = stray || wasStray
			p.raw.check(row, len(row.Cells), text)
			row.Cells = append(row.Cells, Cell{Text: text})
			more = p.at < len(p.text) && p.text[p.at] == p.separator
			if more {
				p.at++
			}
		}
		if p.at == len(p.text) {
			p.raw.unended = p.row
		}
		p.lineEnd()
		if p.cells += len(row.Cells); p.cells > maxCells {
			return fmt.Errorf("the file has more than %d cells: split it", maxCells)
		}
		if stray && p.width > 0 && len(row.Cells) != p.width {
			return fmt.Errorf(`row %d (line %d of the file): a double quote within a cell in double quotes must be written twice: ""`, p.row, row.Line)
		}
		if p.width == 0 && p.row >= p.headerRow && (len(row.Cells) > 1 || Trim(row.Cells[0].Text) != "") {
			p.width = len(row.Cells)
		}
		p.raw.rows = append(p.raw.rows, row)
	}
	return nil
}

// lineEnd passes the end of a line.
func (p *parser) lineEnd() {
	if p.at < len(p.text) {
		p.line++
		if strings.HasPrefix(p.text[p.at:], "\r\n") {
			p.at++
		}
		p.at++
	}
}

func (p *parser) cell(column int) (text string, stray bool, err error) {
	start := p.at
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t' && p.separator != '\t') {
		p.at++
	}
	if p.at < len(p.text) && p.text[p.at] == '"' {
		p.at++
		return p.quoted(column)
	}
	end := strings.IndexAny(p.text[p.at:], string(p.separator)+"\r\n")
	if end < 0 {
		end = len(p.text) - p.at
	}
	p.at += end
	text = p.text[start:p.at]
	if strings.Contains(text, `\"`) && !p.byRule() {
		return "", false, p.escaped(column)
	}
	return keptText().ReplaceAllString(text, "$1"), false, nil
}

func (p *parser) escaped(column int) error {
	return fmt.Errorf(`column %s has \" in it: a double quote must be written twice, "", and not after a backslash. `+
		`Save the file as an Excel workbook or as CSV anew`, Position(column))
}

// quoted reads a cell after its first quote.
func (p *parser) quoted(column int) (text string, stray bool, err error) {
	var b strings.Builder
	begin, firstLine := p.at, p.line
	for {
		end := strings.IndexAny(p.text[p.at:], "\"\r\n")
		if end < 0 {
			return "", false, fmt.Errorf("a double quote opens column %s and is never closed: close it, or write it twice if it is part of the text",
				Position(column))
		}
		b.WriteString(p.text[p.at : p.at+end])
		p.at += end
		if p.text[p.at] != '"' {
			p.lineEnd()
			b.WriteByte('\n') // whatever the file has
			continue
		}
		if p.text[p.at-1] == '\\' && p.at > begin && !p.byRule() {
			return "", false, p.escaped(column)
		}
		p.at++
		after := strings.TrimLeft(p.text[p.at:], " ")
		switch {
		case strings.HasPrefix(p.text[p.at:], `"`):
			b.WriteByte('"')
			p.at++
		case after == "" || after[0] == p.separator || after[0] == '\r' || after[0] == '\n':
			p.at = len(p.text) - len(after)
			text = b.String()
			if p.line > firstLine && (stray || p.holdsRows(text, column)) {
				return "", false, fmt.Errorf("a double quote opens column %s and is closed only in line %d, with whole rows between: close it, "+
					"or write it twice if it is part of the text", Position(column), p.line)
			}
			return keptText().ReplaceAllString(text, "$1"), stray, nil
		default:
			stray = true
			b.WriteByte('"')
		}
	}
}

// holdsRows says whether a cell with several lines has swallowed rows: a line in it has as many columns as the header, without the blanks
// that follow the commas of a sentence. In a file by the rule, it has only if its lines are the rest of a row, whole rows, and the
// beginning of another that is as long as that of its own.
func (p *parser) holdsRows(text string, column int) bool {
	whole, others := false, false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		n, most := strings.Count(line, string(p.separator)), p.width-1
		whole = whole || n == most && n > 1 && !strings.Contains(line, string(p.separator)+" ")
		switch i {
		case 0:
			most -= column
		case len(lines) - 1:
			most = column
		}
		others = others || n != most
	}
	return whole && !(others && p.byRule())
}

// check adds a problem if a text has characters that no text has.
func (raw *Raw) check(row Row, column int, text string) {
	message := ""
	if at := strings.IndexFunc(text, control); at >= 0 {
		r, _ := utf8.DecodeRuneInString(text[at:])
		message = fmt.Sprintf("There is an invisible control character (U+%04X) in the cell. Type the text again.", r)
		if r == utf8.RuneError {
			message = "A letter was lost when the file was saved, and � stands in its place. Save the original again, as CSV UTF-8 or as a workbook."
		}
	} else if mangled(text) {
		message = "Letters were mangled when the file was saved: é became Ã©. Save the original again, as CSV UTF-8 or as a workbook."
	} else if failed().MatchString(Trim(text)) {
		message = "The cell has a formula, or what a spreadsheet shows where a formula failed or the column is too narrow. Put the value in its place."
	}
	if message != "" {
		raw.wrong(row, column, text, message)
	}
}

// control says which characters are refused.
func control(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == utf8.RuneError || r == 0xfffe || r == 0xffff
}
