package letter

import (
	"strings"
)

// Columns are the names of the columns of a letter.
var Columns = []string{"account_id", "email", "nickname", "language", "state", "last_used_at", "keys", "calls", "subject", "body"}

// Row is the letter as a row.
func (l *Letter) Row() []string {
	row := []string{
		l.Account.String(), l.Email, l.Nickname, l.Language, l.State, l.LastUsedAt.String(), strings.Join(l.Keys, " "), strings.Join(l.Calls, " "), l.Subject, l.Body,
	}
	for i := range row {
		row[i] = PlainCell(row[i])
	}
	return row
}

// PlainCell keeps spreadsheets from reading a seller's text as a formula. Some read the wide forms of the signs, too.
func PlainCell(text string) string {
	if strings.IndexAny(text, "=+-@\t\r\n＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}
