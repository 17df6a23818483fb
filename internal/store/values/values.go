// Package values puts the values of PostgreSQL's rows into targets, without what database/sql does for every column.
package values

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Scan puts the values of a row into targets, in the form in which PostgreSQL sent them.
func Scan(types *pgtype.Map, fields []pgconn.FieldDescription, values [][]byte, targets []any) error {
	if len(targets) != len(values) {
		return fmt.Errorf("store: %d targets for %d columns", len(targets), len(values))
	}
	for i, target := range targets {
		if err := scanValue(types, &fields[i], values[i], target); err != nil {
			return fmt.Errorf("store: scan column %s: %w", fields[i].Name, err)
		}
	}
	return nil
}

// These are targets that take a value without an allocation. Each has Scan of sql.Scanner for other values, such as NULL.
type (
	numberTarget interface{ ScanNumber(n int64) error }
	textTarget   interface{ ScanText(text []byte) error } // which is valid during the call
)

// scanValue puts one value into a target.
func scanValue(types *pgtype.Map, field *pgconn.FieldDescription, value []byte, target any) error {
	switch {
	case value == nil:
	case field.DataTypeOID == pgtype.Int8OID && field.Format == pgtype.BinaryFormatCode && len(value) == 8:
		if t, ok := target.(numberTarget); ok {
			return t.ScanNumber(int64(binary.BigEndian.Uint64(value)))
		}
	case field.DataTypeOID == pgtype.TextOID || field.DataTypeOID == pgtype.VarcharOID:
		if t, ok := target.(textTarget); ok {
			return t.ScanText(value)
		}
	}
	scanner, ok := target.(sql.Scanner)
	if !ok {
		return types.Scan(field.DataTypeOID, field.Format, value, target)
	}
	if value == nil {
		return scanner.Scan(nil)
	}
	decoded, err := Decode(types, field, value)
	if err != nil {
		return err
	}
	return scanner.Scan(decoded)
}

// Decode makes of a value what database/sql would get.
func Decode(types *pgtype.Map, field *pgconn.FieldDescription, value []byte) (driver.Value, error) {
	known, ok := types.TypeForOID(field.DataTypeOID)
	if !ok {
		return nil, fmt.Errorf("the type %d is unknown", field.DataTypeOID)
	}
	return known.Codec.DecodeDatabaseSQLValue(types, field.DataTypeOID, field.Format, value)
}
