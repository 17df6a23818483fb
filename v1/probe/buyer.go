package probe

import (
	v1 "sellerd/v1"
	"sellerd/v1/wire"
)

// EraseBuyer is the first step of ForgetBuyer alone, as far as a run comes that is stopped there.
var EraseBuyer = (*v1.Service).EraseBuyer

// NamesBuyer says whether an answer names the buyer whom it shows.
func NamesBuyer(out any) bool {
	_, ok := out.(interface{ shownBuyer() wire.ID })
	return ok
}
