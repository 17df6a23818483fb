package probe

import (
	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/privacy"
)

// EraseBuyer is the first step of ForgetBuyer alone, as far as a run comes that is stopped there.
var EraseBuyer = (*v1.Service).EraseBuyer

// ColumnClasses are the classes of all columns of the database, by names such as buyers.email.
var ColumnClasses = privacy.Columns

// NamesBuyer says whether an answer names the buyer whom it shows.
func NamesBuyer(out any) bool {
	_, ok := out.(core.ShowsBuyer)
	return ok
}
