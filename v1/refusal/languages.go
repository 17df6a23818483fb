package refusal

import (
	_ "embed"
	"slices"
	"sync"

	"sellerd/internal/base/phrases"
)

// Messages are made, logged and stored in English. An answer in another language is made of them when it is written: the English
// message is looked up among the patterns of messages.txt, and its values go into the translation. So a rule says its message once,
// in the place where it refuses, and messages that an older release has stored can be read in all languages.

// English is the language in which messages are made.
const English = "en"

//go:embed messages.txt
var messageFile string

// inAllLanguages is what messages.txt has. It is read when the first caller asks for another language than English.
var inAllLanguages = sync.OnceValue(func() *phrases.Book {
	all, err := phrases.Read(map[string]string{"messages.txt": messageFile})
	if err != nil {
		panic(err) // a mistake in the program
	}
	return all
})

// In is the errors with their messages in a language, and the language that they are in. That is English if one of the messages has no
// translation: an answer is in one language.
func (e Errors) In(language string) (said Errors, spoken string) {
	if language == English || language == "" {
		return e, English
	}
	said = slices.Clone(e)
	if !Say(language, said) {
		return e, English
	}
	return said, language
}

// Say puts the messages of errors into a language other than English: all of them, or none if one has no translation. It reports whether
// there are messages in that language now.
func Say(language string, lists ...[]Error) bool {
	var said []string
	for _, list := range lists {
		for i := range list {
			text, ok := inAllLanguages().Say(language, list[i].Message)
			if !ok {
				return false
			}
			said = append(said, text)
		}
	}
	n := 0
	for _, list := range lists {
		for i := range list {
			list[i].Message, n = said[n], n+1
		}
	}
	return n > 0
}
