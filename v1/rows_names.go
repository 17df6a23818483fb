package v1

import "sellerd/v1/rows"

// Names of package rows that are part of this package's public face.

type (
	Page[T any] = rows.Page[T]
)
