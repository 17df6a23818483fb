package sunset

import (
	"log/slog"
	"sync/atomic"
)

// lost tells the operator that something is not counted. It logs when that begins, and then is silent until a round without a
// loss: else a caller that goes on and on would fill the log.
type lost struct {
	logger        *slog.Logger
	message, what string
	rows          int // for how many there is room
	losing        atomic.Bool
}

func (l *lost) tell(logger *slog.Logger, message, what string, rows int) {
	l.logger, l.message, l.what, l.rows = logger, message, what, rows
}

// note is called once a round, with how much was not counted.
func (l *lost) note(n int64) {
	if losing := n > 0; l.losing.Swap(losing) != losing && losing {
		l.logger.Error(l.message, l.what, n, "rows", l.rows)
	}
}
