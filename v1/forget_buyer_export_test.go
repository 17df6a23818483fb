package v1

// EraseBuyer is the first step of ForgetBuyer alone, as far as a run comes that is stopped there.
var EraseBuyer = (*Service).eraseBuyer
