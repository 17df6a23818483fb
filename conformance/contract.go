package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"

	"sellerd/translate"
	"sellerd/translate/openapi"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// ContractHash is the SHA-256, in hexadecimal digits, of all promises in words and tables: the OpenAPI documents, the
// catalogues of errors and events, and the translate tables. A change of a single sentence changes the hash, so the newest
// entry of the change log, which holds the hash, must describe it.
func ContractHash() string { return hash(Contract()) }

// hash is the SHA-256 of a text, in hexadecimal digits.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Contract is the text that ContractHash hashes.
func Contract() []byte {
	var b bytes.Buffer
	b.Write(v1openapi.Document("/"))
	b.Write(openapi.Document("/"))
	for _, part := range []any{v1.ErrorCatalogue, v1.EventTypes, translate.Calls, translate.Converters, translate.ErrorRows, translate.NotificationTypes} {
		printValue(&b, reflect.ValueOf(part), 0)
	}
	return b.Bytes()
}

// isRelease says whether a field is the release in which a code came. The OpenAPI document, which is part of the contract,
// has it as x-since.
func isRelease(v reflect.Value, field reflect.StructField) bool {
	return v.Type() == reflect.TypeFor[v1.ErrorInfo]() && field.Name == "Since"
}

// printValue writes a value of a table with the names of its fields. References are printed as names. Samples are left out,
// because they promise nothing, and so are fields with the tag contract:"no": their effect stands in the documents.
func printValue(b *bytes.Buffer, v reflect.Value, depth int) {
	switch value := v.Interface().(type) {
	case *v1.Operation:
		if value != nil {
			fmt.Fprintf(b, "%s\n", value.Name)
		}
		return
	case *translate.Converter:
		if value != nil && depth > 1 {
			fmt.Fprintf(b, "%s\n", value.Name)
			return
		}
	case reflect.Type:
		fmt.Fprintf(b, "%s\n", publicName(value))
		return
	case []translate.Sample:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			printValue(b, v.Elem(), depth)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			printValue(b, v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() || field.Type.Kind() == reflect.Func || v.Field(i).IsZero() || isRelease(v, field) || field.Tag.Get("contract") == "no" {
				continue
			}
			fmt.Fprintf(b, "%*s%s ", depth, "", field.Name)
			printValue(b, v.Field(i), depth+1)
		}
		b.WriteByte('\n')
	case reflect.Map: // with keys of text, which fmt sorts
		fmt.Fprintf(b, "%v\n", v.Interface())
	default:
		fmt.Fprintf(b, "%q\n", fmt.Sprint(v.Interface()))
	}
}

// publicName is the name of a type under which package v1 shows it, whatever package inside v1 declares it: where a type
// is declared is no part of the contract.
func publicName(t reflect.Type) string {
	return roomName.ReplaceAllString(t.String(), "v1.")
}

var roomName = regexp.MustCompile(`\b(v1/)?(core|items|trade|hooks|accounts|privacy|refusal|wire|rows|outbound|reference|delivery|shipping|secret|ratelimit|apikey|permission|sunset)\.`)
