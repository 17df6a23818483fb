package probe

import "sellerd/v1/core"

// NamesBuyer says whether an answer names the buyer whom it shows.
func NamesBuyer(out any) bool {
	_, ok := out.(core.ShowsBuyer)
	return ok
}
