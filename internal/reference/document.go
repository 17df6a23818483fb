// Package reference makes the document of the API reference: the OpenAPI document of the service with additions for
// readers, which are samples of code for every operation and links to the other pages. The document for programs stays as
// it is.
package reference

import (
	"fmt"
	"strings"

	"sellerd/internal/base/openjson"
)

// Document returns a copy of an OpenAPI document with samples in the extension x-codeSamples of each operation, with the content of its own
// extensions in x-badges, and with a lead before its description and an introduction after it. The samples are made from the document's own
// examples; Document fails if a needed example is missing.
func Document(openAPI []byte, lead, introduction string) ([]byte, error) {
	parsed, err := openjson.Parse(openAPI)
	if err != nil {
		return nil, err
	}
	document, _ := parsed.(openjson.Object)
	paths, _ := document.Get("paths").(openjson.Object)
	d := description{document: document, ids: exampleIDs(paths)}
	servers, _ := document.Get("servers").([]any)
	if len(servers) == 0 {
		return nil, fmt.Errorf("the document names no server")
	}
	server, _ := servers[0].(openjson.Object)
	d.baseURL = strings.TrimSuffix(text(server, "url"), "/")

	for i := range paths {
		item, _ := paths[i].Value.(openjson.Object)
		for j := range item {
			operation, _ := item[j].Value.(openjson.Object)
			request, err := d.request(strings.ToUpper(item[j].Name), paths[i].Name, operation)
			if err != nil {
				return nil, fmt.Errorf("a sample of %s: %w", text(operation, "operationId"), err)
			}
			samples, err := samplesOf(request)
			if err != nil {
				return nil, fmt.Errorf("a sample of %s: %w", text(operation, "operationId"), err)
			}
			operation.Set("x-codeSamples", samples)
			operation.Set("x-badges", badgesOf(operation))
			operation.Set("responses", usualFirst(operation.Get("responses")))
			item[j].Value = operation
		}
	}
	info, _ := document.Get("info").(openjson.Object)
	info.Set("description", lead+"\n\n"+text(info, "description")+"\n\n"+introduction)
	document.Set("info", info)
	return append(openjson.Append(nil, document), '\n'), nil
}

// usualFirst puts the successes that only some requests get behind all other answers, with a name that says so. Readers see the first
// answer first, and JavaScript would put the lowest number first.
func usualFirst(responses any) openjson.Object {
	all, _ := responses.(openjson.Object)
	var usual, rare openjson.Object
	succeeds := false
	for _, response := range all {
		if success := strings.HasPrefix(response.Name, "2"); success && succeeds {
			response.Name = "or " + response.Name
			rare = append(rare, response)
			continue
		} else if success {
			succeeds = true
		}
		usual = append(usual, response)
	}
	return append(usual, rare...)
}

// badgesOf are the properties of an operation for which OpenAPI has no place, shown beside its name.
func badgesOf(operation openjson.Object) (badges []any) {
	if since := text(operation, "x-since"); since != "" {
		badges = append(badges, openjson.Of("name", "since "+since))
	}
	if operation.Get("x-test-keys-only") == true {
		badges = append(badges, openjson.Of("name", "test keys only"))
	}
	if needed := text(operation, "x-permission"); needed != "" {
		badges = append(badges, openjson.Of("name", "needs "+needed))
	}
	return badges
}

// text is a member that is a string, empty without one.
func text(object openjson.Object, name string) string {
	value, _ := object.Get(name).(string)
	return value
}

// at follows the names of members into an object.
func at(value any, names ...string) any {
	for _, name := range names {
		object, _ := value.(openjson.Object)
		value = object.Get(name)
	}
	return value
}
