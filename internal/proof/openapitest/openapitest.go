// Package openapitest is what the tests of the two OpenAPI documents share: reading a document as a program outside does,
// and comparing it with the file in the repository. The document of /v1 is made in v1/openapi, the one of /rest in
// translate/openapi.
package openapitest

import (
	"bytes"
	"testing"

	"sellerd/internal/proof/generated"

	"github.com/getkin/kin-openapi/openapi3"
)

// File is the name of a document's file in the folder of its package.
const File = "openapi.json"

// Address is the address of the service in documents that Load reads.
const Address = "https://api.example.com"

// Load reads the document that document returns for Address, with a library that generators of clients use.
func Load(t *testing.T, document func(baseURL string) []byte) *openapi3.T {
	t.Helper()
	loaded, err := openapi3.NewLoader().LoadFromData(document(Address))
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return loaded
}

// CompareFile fails the test if the file in the present folder is not the document for "/", or if the document is not the
// same each time.
func CompareFile(t *testing.T, document func(baseURL string) []byte) {
	t.Helper()
	want := document("/")
	if !bytes.Equal(want, document("/")) {
		t.Fatal("the same document is not made twice")
	}
	generated.Compare(t, File, want)
}
