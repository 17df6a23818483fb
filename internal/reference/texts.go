package reference

import (
	"bytes"
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// The document of a release is sealed with all its texts. What it does not explain, or says in a word, is explained here, for the pages only.
//
//go:embed texts.txt
var textFile []byte

// texts are the sentences of texts.txt, by what they are about.
var texts = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range bytes.Lines(textFile) {
		if about, sentence, found := strings.Cut(strings.TrimSpace(string(line)), ": "); found && !strings.HasPrefix(about, "#") {
			all[about] = sentence
		}
	}
	return all
})

// ofMember is the sentence about a member of a component, which has a text in the document or none.
func ofMember(component, member, documented string) string {
	return said(component+"."+member, member, documented)
}

// ofParameter is the sentence about a parameter of an operation.
func ofParameter(o *Operation, name, in, documented string) string {
	if in == "path" {
		before, _, _ := strings.Cut(o.Path, "/{"+name+"}")
		exact := before[strings.LastIndexByte(before, '/')+1:] + "/{" + name + "}"
		return said(exact, exact, documented)
	}
	return said(o.ID+"?"+name, "?"+name, documented)
}

// said is the text that is written for exactly this. Otherwise it is what the document says, perhaps behind a sentence that is written for
// it; and if the document says nothing, what is written for all of the name.
func said(exact, name, documented string) string {
	all := texts()
	switch {
	case all[exact] != "":
		return all[exact]
	case !strings.Contains(documented, " ") && all[name] != "": // a single word is no sentence
		return all[name]
	}
	before := cmp.Or(all[exact+"+"], all[name+"+"])
	return strings.TrimSpace(before + " " + sentence(documented))
}

// ofValue is the meaning of a value of a component, empty without one.
func ofValue(component, value string) string { return texts()[component+"="+value] }

// lower are the values and other words that begin texts and stay as they are.
var lower = []string{"null", "true", "false"}

// sentence is a text of the document as a sentence. Names at its beginning stay as they are.
func sentence(documented string) string {
	if documented == "" {
		return ""
	}
	first, _, _ := strings.Cut(documented, " ")
	if !strings.ContainsAny(first, "_.*`/") && !slices.Contains(lower, first) {
		documented = strings.ToUpper(documented[:1]) + documented[1:]
	}
	if !strings.ContainsAny(documented[len(documented)-1:], ".!?") {
		documented += "."
	}
	return documented
}
