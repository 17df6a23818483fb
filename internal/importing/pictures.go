package importing

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sellerd/internal/base/pattern"
)

var (
	pictureFile  = pattern.Late(`(?i)\.(jpe?g|png|gif|webp|heic|tiff?|bmp)$`)
	nextAddress  = pattern.Late(`(?i)[,;|]+(?:[a-z][a-z0-9+.-]*://|www\.)`)
	glued        = pattern.Late(`(?i)(\.(?:jpe?g|png|gif|webp|heic|tiff?|bmp|avif))[^\pL\pN\s,;|"'<>]*(https?://)`)
	twoAddresses = pattern.Late(`(?i)^.+?[^/=](https?://.*)$`) // after / or =, it is a part of the first one
	twoPictures  = pattern.Late(`(?i)\.(?:jpe?g|png|gif|webp)[,;].*\.(?:jpe?g|png|gif|webp)$`)
	someSite     = pattern.Late(`(?i)^(?:https?[:/]/?|//)?(?:www\.[^/]+|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})/`)
	pictureName  = pattern.Late(`^(?:images?|pictures?|pics?|photos?|fotos?|bild(?:er)?|afbeelding(?:en)?|imagen(?:es)?|immagin[ei])(?:urls?|links?)?[0-9]*$`)
	endsInQuotes = pattern.Late(`^(?:'.*'|".*"|‘.*’|“.*”|<.*>)$`)
)

// pictures are the addresses in a cell, after those of columns before it. Whatever separates them, a wrong address is refused
// here: the service finds out only when it fetches the picture, and publishes the item without it.
func (c *cell) pictures() any {
	var words []string
	list := strings.HasPrefix(c.Text, "[") // which shows where an address ends
	if list {
		if err := json.Unmarshal([]byte(c.Text), &words); err != nil {
			c.wrong("invalid_image_url", `The cell begins as a JSON list, and is none. Write only the addresses, with a blank between two.`)
			return nil
		}
		for i := range words {
			words[i] = strings.TrimSpace(words[i])
		}
	} else {
		words = c.split()
	}
	before, _ := c.before.([]string)
	addresses := append([]string{}, before...)
	for i, word := range words {
		if endsInQuotes().MatchString(word) && strings.Contains(word, "://") && !strings.Contains(word, " ") {
			letters := []rune(word)
			word = string(letters[1 : len(letters)-1])
		}
		if problem := problemOf(word, words[:i], list); problem != "" {
			c.wrong("invalid_image_url", problem)
			return nil
		}
		if !slices.Contains(addresses, word) { // the same picture twice is one
			addresses = append(addresses, word)
		}
	}
	return addresses
}

// split takes a cell apart at blanks, at a comma, semicolon or bar that is followed by a blank, by an address or by nothing, at a slash
// between blanks, and at any sign between the ending of a picture's file and an address.
func (c *cell) split() []string {
	text := nextAddress().ReplaceAllStringFunc(glued().ReplaceAllString(c.Text, "$1 $2"), func(between string) string { return between[:1] + " " + between[1:] })
	fields := strings.FieldsFunc(text, unicode.IsSpace)
	var words []string
	for i, field := range fields {
		if len(field) == 1 && strings.Contains(",;|/", field) && i > 0 {
			continue // it stands between blanks, or at the end
		}
		if len(field) > 1 && strings.ContainsAny(field[len(field)-1:], ",;|") {
			field = field[:len(field)-1]
		}
		words = append(words, field)
	}
	return words
}

// problemOf says why a word cannot be the address of a picture, "" if it can. It is certain in a list, where no word can be two addresses.
// Whether the service takes an address is left to it.
func problemOf(word string, before []string, certain bool) string {
	lower := strings.ToLower(word)
	isAddress := strings.Contains(word, "://") && !strings.HasPrefix(lower, "file:")
	switch {
	case word == "" || strings.ContainsAny(word[len(word)-1:], ",;|") || strings.ContainsAny(word[:1], ",;|"):
		return "The list of addresses begins or ends with a separator, or has two in a row. Write only the addresses, with a blank between two."
	case strings.HasPrefix(word, "<") || strings.ContainsAny(word, `<>"`) || strings.HasPrefix(lower, "src="):
		return "The cell has HTML or quotes in it. Write only the addresses, with a blank between two."
	case !certain && (strings.Contains(word, "|") || isAddress && twoPictures().MatchString(word)):
		return "Is this one address or two? Write two addresses with a blank between them; within an address write %2C for a comma, %3B for a semicolon and %7C for a bar."
	case !certain && twoAddresses().MatchString(word):
		return fmt.Sprintf("Does another address begin at %q? Write two addresses with a blank between them; within an address write https%%3A// for https://.",
			short(twoAddresses().FindStringSubmatch(word)[1]))
	case isAddress && strings.ContainsAny(word, " \t\n\u00a0"):
		return "There is a blank in an address. Write %20 in its place, and in the name of the picture as well."
	case isAddress:
		return ""
	case someSite().MatchString(word) && !strings.ContainsRune(word, '\\'):
		return "The address does not begin with https://. Write the whole address, as the address bar of a browser has it."
	case len(before) > 0 && strings.Contains(before[len(before)-1], "://") && !pictureFile().MatchString(before[len(before)-1]) &&
		!strings.HasPrefix(lower, "file:") && (pictureFile().MatchString(word) || strings.ContainsAny(word, "/?=&")):
		return fmt.Sprintf("There is a blank in an address, between %q and %q. A blank in an address must be written %%20.", path.Base(before[len(before)-1]), short(word))
	case localFile(word):
		name := path.Base(strings.ReplaceAll(word, `\`, "/"))
		return "The picture is a file on this computer, which the service cannot reach. Upload your pictures to a web server, and give their addresses, such as " +
			"https://www.example.com/" + name
	}
	return fmt.Sprintf("%q is no address. Of a text with a link behind it, only the text is read: write the address itself, such as "+
		"https://www.example.com/1.jpg, with %%20 in place of a blank in it.", short(word))
}

// picture is one of a row's pictures by its index as errors have it, such as 2].url: its number from 1, its address, and the column.
func (r *Row) picture(index string) (number int, address, column string) {
	var item struct {
		Images []string
		Patch  struct{ Images []string }
	}
	_ = json.Unmarshal(r.item, &item) // which was made here
	images := append(item.Images, item.Patch.Images...)
	index, _, _ = strings.Cut(index, "]")
	at, err := strconv.Atoi(index)
	if err != nil || at < 0 || at >= len(images) {
		return 0, "", ""
	}
	column = "images"
	for i, cell := range r.cells {
		if strings.HasPrefix(r.names.columns[i], column) && strings.Contains(cell.Text, images[at]) {
			column = r.names.columns[i]
			break
		}
	}
	return at + 1, images[at], column
}

// localFile says whether a word names a file instead of an address.
func localFile(word string) bool {
	lower := strings.ToLower(word)
	if lower == "n/a" || !strings.ContainsFunc(word, unicode.IsLetter) {
		return false
	}
	if strings.HasPrefix(lower, "file:") || strings.ContainsRune(word, '\\') || strings.ContainsAny(word[:1], "/.~") || pictureFile().MatchString(word) {
		return true
	}
	folder, _, found := strings.Cut(word, "/") // the first part of an address has a dot, that of a folder rarely
	return found && !strings.Contains(folder, ".")
}
