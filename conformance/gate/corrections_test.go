package gate_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"sellerd/changelog"
	"sellerd/conformance"
	"sellerd/conformance/gate"
	"sellerd/translate/openapi"
)

// correction is one that the gate accepts, for spoiling.
func correction() map[string]string {
	return map[string]string{
		"release": `"1.0.0"`, "transcript": `"rest/item"`, "sections": `["An item"]`, "mistake": `"The day was a number."`,
		"evidence": `"https://example.com/Item.md: the day is a name"`, "entry": `"1.0.1"`,
	}
}

// promises are two releases' folders with one correction in next, spoiled by the members given: an empty one is left out.
func promises(t *testing.T, spoiled map[string]string) fstest.MapFS {
	t.Helper()
	c := correction()
	maps.Copy(c, spoiled)
	var members []string
	for name, value := range c {
		if value != "" {
			members = append(members, fmt.Sprintf("%q: %s", name, value))
		}
	}
	section := func(title string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("# " + title + "\ncurl \"$BASE/rest/item/7\"\n\nHTTP 200\n")}
	}
	files := fstest.MapFS{
		"released/1.0.0/rest/item.txt": section("An item"), "released/1.0.0/rest/items.txt": section("Items"),
		"next/rest/item.txt": section("An item"), "next/rest/fields.txt": section("Fields"),
		"next/" + conformance.CorrectionsFile: {Data: []byte("[{" + strings.Join(members, ", ") + "}]")},
		"released/1.0.0/" + gate.Document:     {Data: []byte("{}")},
	}
	document, err := os.ReadFile("../../translate/openapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	files["released/1.0.0/"+gate.LegacyDocument] = &fstest.MapFile{Data: document}
	seal, err := conformance.Seal(files, "1.0.0", "")
	if err != nil {
		t.Fatal(err)
	}
	files["released/1.0.0/"+conformance.SealFile] = &fstest.MapFile{Data: []byte(seal)}
	return files
}

// log is a change log whose newest release, not out yet, is a fix.
func log() []changelog.Release {
	return []changelog.Release{
		{Version: "1.0.1", Kind: changelog.Fix, Categories: []string{"rest"}},
		{Version: "1.0.0", Date: "2026-10-05", Kind: changelog.Initial, Categories: []string{"rest", "v1"}},
	}
}

// checkCorrections checks those of a folder.
func checkCorrections(files fs.FS, releases []changelog.Release, rest []byte) error {
	suite, err := conformance.LoadFrom(files)
	if err != nil {
		return err
	}
	return gate.CheckCorrections(suite, files, releases, rest)
}

func TestACorrectionThatIsRightIsAccepted(t *testing.T) {
	if err := checkCorrections(promises(t, nil), log(), openapi.Document("/")); err != nil {
		t.Error(err)
	}
}

func TestACorrectionIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		spoiled map[string]string
		log     func([]changelog.Release)
		want    string
	}{
		"without evidence":                    {map[string]string{"evidence": ""}, nil, "gives no evidence"},
		"with evidence that is no file":       {map[string]string{"evidence": `"common knowledge"`}, nil, "gives no evidence"},
		"that does not say what was wrong":    {map[string]string{"mistake": `" "`}, nil, "does not say what was wrong"},
		"without an entry":                    {map[string]string{"entry": ""}, nil, "has no entry in the change log"},
		"with an entry that there is not":     {map[string]string{"entry": `"1.0.2"`}, nil, "has no entry in the change log"},
		"with the entry of an older release":  {map[string]string{"entry": `"1.0.0"`}, nil, "comes with the next release"},
		"whose entry is no fix":               {nil, func(l []changelog.Release) { l[0].Kind = changelog.Addition }, "is called addition and not fix"},
		"whose entry is in no category":       {nil, func(l []changelog.Release) { l[0].Categories = []string{"v1"} }, "is not in the category rest"},
		"whose entry is out already":          {nil, func(l []changelog.Release) { l[0].Date = "2026-10-06" }, "comes with the next release"},
		"of a release that there is not":      {map[string]string{"release": `"0.9.0"`}, nil, "there is no such sealed transcript"},
		"of a transcript that there is not":   {map[string]string{"transcript": `"rest/buyer"`}, nil, "there is no such sealed transcript"},
		"of a section that there is not":      {map[string]string{"sections": `["An item", "Another item"]`}, nil, `there is no section "Another item"`},
		"of nothing":                          {map[string]string{"sections": `[]`}, nil, "names neither a section nor a difference"},
		"of a section twice":                  {map[string]string{"sections": `["An item", "An item"]`}, nil, "is corrected twice"},
		"without the right transcript":        {map[string]string{"transcript": `"rest/items"`, "sections": `["Items"]`}, nil, "has no section \"Items\" of items"},
		"for an operation that does not care": {map[string]string{"operations": `["item"]`}, nil, "does not follow the transcript"},
		"of a difference that there is not":   {map[string]string{"rest_document": `["GET /rest/item went away"]`}, nil, "does not differ so"},
		"with an unknown member":              {map[string]string{"excuse": `"none"`}, nil, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := log()
			if c.log != nil {
				c.log(entries)
			}
			err := checkCorrections(promises(t, c.spoiled), entries, openapi.Document("/"))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v instead of %q", err, c.want)
			}
		})
	}
}

// TestOnlyWhatACorrectionNamesIsLetThrough changes the document of /rest, and lets corrections name it.
func TestOnlyWhatACorrectionNamesIsLetThrough(t *testing.T) {
	const days = "paths /rest/item/{id_item} put requestBody content application/x-www-form-urlencoded schema properties"
	for name, c := range map[string]struct {
		mutate func(document)
		named  []string // whether the differences found are named
		want   string
	}{
		"nothing": {mutate: func(document) {}},
		"a call more": {mutate: func(d document) {
			addCall(d)
			grow(map[string]any(d.at("components responses")), "server-time", "shop")
		}},
		"a call more that an answer of another one names": {mutate: func(d document) {
			addCall(d)
			grow(map[string]any(d.at("paths /rest/server/time get responses 200")), "server-time", "shop")
		}, want: "Notification_Type"},
		"a call more that a refusal of one call names": {mutate: func(d document) {
			addCall(d)
			grow(map[string]any(d.at("paths /rest/seller post responses 422")), "login", "shop")
		}, want: "Notification_Type"},
		"a name more of no call": {mutate: func(d document) {
			grow(map[string]any(d.at("components responses")), "server-time", "shop")
		}, want: "Notification_Type"},
		"a value more of an answer": {mutate: func(d document) { grow(map[string]any(d), "Dutch", "Latin") }, want: "/rest must stay as 1.0.0 left it"},
		"a code more of a refusal of keys": {mutate: func(d document) {
			grow(map[string]any(d.at("components responses")), "permission_denied", "key_denied")
		}, want: "key_denied"},
		"the refusal of keys with another status": {mutate: func(d document) {
			grow(map[string]any(d.at("components responses")), "rate_limited", "permission_denied")
		}, want: "permission_denied"},
		"a field more":                  {mutate: func(d document) { d.at(days)["colour"] = map[string]any{"type": "string"} }},
		"a field less":                  {mutate: func(d document) { d.without(days, "title") }, want: "/rest must stay as 1.0.0 left it"},
		"a field less that is named":    {mutate: func(d document) { d.without(days, "title") }, named: []string{"title"}},
		"two fields less, one is named": {mutate: func(d document) { d.without(days, "title"); d.without(days, "renew") }, named: []string{"title"}, want: "renew"},
	} {
		t.Run(name, func(t *testing.T) {
			mutant := legacyDocument(t)
			c.mutate(mutant)
			rest := encode(t, mutant)
			files := promises(t, nil)
			var named []string
			for _, change := range compare(t, legacyDocument(t), mutant) {
				for _, field := range c.named {
					if strings.Contains(change.Text, "`"+field+"`") {
						named = append(named, fmt.Sprintf("%q", change.String()))
					}
				}
			}
			if len(named) != len(c.named) {
				t.Fatalf("%d differences name %v", len(named), c.named)
			}
			if len(named) > 0 {
				files = promises(t, map[string]string{"rest_document": "[" + strings.Join(named, ", ") + "]"})
			}
			files["released/1.0.0/"+gate.Document] = &fstest.MapFile{Data: encode(t, ofItems(t))}
			if err := checkCorrections(files, log(), rest); err != nil {
				t.Error(err)
			}
			suite, err := conformance.LoadFrom(files)
			if err != nil {
				t.Fatal(err)
			}
			_, err = gate.Check(suite, files, "1.0.0", encode(t, ofItems(t)), rest)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v instead of %q", err, c.want)
			}
		})
	}
}

// addCall adds the call shop, which answers as the one for the time does.
func addCall(d document) {
	var call map[string]any
	text, _ := json.Marshal(d.at("paths /rest/server/time get"))
	if err := json.Unmarshal(text, &call); err != nil {
		panic(err)
	}
	call["operationId"] = "shop"
	document(call).at("responses 200 content application/xml schema properties Notification_Type")["enum"] = []any{"shop"}
	d.at("paths")["/rest/shop"] = map[string]any{"get": call}
}

// grow puts a value beside another one in each enumeration that has it.
func grow(value any, beside, more string) {
	switch v := value.(type) {
	case map[string]any:
		if words, ok := v["enum"].([]any); ok && slices.Contains(words, any(beside)) {
			v["enum"] = append(words, more)
		}
		for _, member := range v {
			grow(member, beside, more)
		}
	case []any:
		for _, element := range v {
			grow(element, beside, more)
		}
	}
}
