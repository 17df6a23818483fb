package scan

import "io"

func (r *Report) text(w io.Writer) error  { return nil }
func (r *Report) sarif(w io.Writer) error { return nil }
