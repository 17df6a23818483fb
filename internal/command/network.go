package command

import (
	"errors"
	"fmt"
	"net/url"
	"syscall"
	"time"
)

// WhyNoAnswer describes why a request that may take only so long had no answer.
func WhyNoAnswer(err error, patience time.Duration) string {
	var failed *url.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.As(err, &failed) && failed.Timeout():
		return fmt.Sprintf("no answer within %s", patience)
	case errors.As(err, &failed):
		return failed.Err.Error()
	}
	return err.Error()
}
