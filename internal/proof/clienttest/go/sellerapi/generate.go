// Package sellerapi is the client that oapi-codegen makes out of the service's OpenAPI document.
package sellerapi

// The generated code imports this; go.mod keeps it before there is such code, too.
import _ "github.com/oapi-codegen/runtime"

//go:generate go tool oapi-codegen -config config.yaml $SELLERD_BASE_URL/openapi.json
