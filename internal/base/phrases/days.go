package phrases

import (
	"fmt"
	"strconv"
	"time"
)

// months are the names of months within a date.
var months = map[string][]string{
	"en": {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	"fr": {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
	"de": {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	"it": {"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"},
	"es": {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
	"nl": {"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"},
}

// Day is a day in UTC as a language writes it.
func Day(language string, t time.Time) string {
	year, month, number := t.UTC().Date()
	name, first := months[language][month-1], strconv.Itoa(number)
	switch language {
	case "fr":
		if number == 1 {
			first = "1er"
		}
	case "it":
		if number == 1 {
			first = "1º"
		}
	case "de":
		first += "."
	case "es":
		return fmt.Sprintf("%s de %s de %d", first, name, year)
	}
	return fmt.Sprintf("%s %s %d", first, name, year)
}
