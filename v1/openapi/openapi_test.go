package openapi_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sellerd/internal/proof/openapitest"
	v1 "sellerd/v1"
	"sellerd/v1/openapi"
)

func TestTheOpenAPIFileIsWhatTheGeneratorMakes(t *testing.T) {
	openapitest.CompareFile(t, openapi.Document)
}

func TestTheOpenAPIDocumentIsValid(t *testing.T) {
	document := openapitest.Load(t, openapi.Document)
	err := document.Validate(t.Context(), openapi3.IsOpenAPI31OrLater(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation())
	if err != nil {
		t.Errorf("validate: %v", err)
	}
	if document.OpenAPI != "3.1.0" || document.Info.Version != v1.Release || document.Servers[0].URL != openapitest.Address {
		t.Errorf("it describes OpenAPI %s, release %s at %s", document.OpenAPI, document.Info.Version, document.Servers[0].URL)
	}
}

func TestEverySchemaOfTheOpenAPIDocumentCompiles(t *testing.T) {
	document := parseDocument(t)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(openapitest.File, document); err != nil {
		t.Fatal(err)
	}
	compile := func(place string) {
		if _, err := compiler.Compile(openapitest.File + "#" + (&url.URL{Path: place}).EscapedPath()); err != nil {
			t.Errorf("%s: %v", place, err)
		}
	}
	for name := range openapitest.Load(t, openapi.Document).Components.Schemas {
		compile("/components/schemas/" + name)
	}
	walkDocument(document, "", func(place string, part map[string]any) {
		if part["schema"] != nil { // a parameter, a header or a body
			compile(place + "/schema")
		}
	})
}

func TestTheOpenAPIDocumentHasEveryOperationWithASentenceAndEveryEvent(t *testing.T) {
	document := openapitest.Load(t, openapi.Document)
	described := 0
	for _, item := range document.Paths.Map() {
		described += len(item.Operations())
	}
	if described != len(v1.Operations) {
		t.Errorf("%d operations instead of %d", described, len(v1.Operations))
	}
	for _, o := range v1.Operations {
		if !strings.HasSuffix(o.Doc, ".") {
			t.Errorf("the line of %s in the table says nothing about it: %q", o.Name, o.Doc)
		}
		operation := document.Paths.Value(o.Pattern).GetOperation(o.Method)
		if operation == nil || operation.OperationID == "" || operation.Summary == "" || operation.Description == "" || len(operation.Tags) != 1 {
			t.Errorf("%s is not described", o.Name)
		}
	}
	for _, e := range v1.EventTypes {
		if hook := document.Webhooks[e.Name]; hook == nil || hook.Post == nil || hook.Post.RequestBody == nil {
			t.Errorf("%s is not described", e.Name)
		}
	}
}
