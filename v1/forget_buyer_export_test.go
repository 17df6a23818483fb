package v1

// EraseBuyer is the first step of ForgetBuyer alone, as far as a run comes that is stopped there.
var EraseBuyer = (*Service).eraseBuyer

// NamesBuyer says whether an answer names the buyer whom it shows.
func NamesBuyer(out any) bool {
	_, ok := out.(interface{ shownBuyer() ID })
	return ok
}
