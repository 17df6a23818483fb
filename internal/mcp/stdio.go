package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the longest message that is read, in bytes: the largest body of an operation as JSON in JSON.
const maxLine = 4 << 20

// maxComplaint is the longest text of a protocol's error. The SDK repeats what it could not read.
const maxComplaint = 1 << 10

// lines is the SDK's transport for messages that are lines. The SDK's own ends at the first line that is not a message, and drops the
// answers of calls that run when its input ends. This one answers such a line with an error, and ends after these calls.
type lines struct {
	in       *bufio.Reader
	patience time.Duration // for the calls that run at the end

	mu      sync.Mutex // guards out and pending
	out     io.Writer
	pending map[jsonrpc.ID]bool // calls that are not answered
	idle    chan struct{}       // gets a value when the last of them is

	arrived chan arrival
	closed  chan struct{}
	once    sync.Once
}

// arrival is a line, or why there is none.
type arrival struct {
	line []byte
	err  error
}

var errTooLong = fmt.Errorf("the message is longer than %d bytes", maxLine)

func newLines(in io.Reader, out io.Writer, patience time.Duration) *lines {
	return &lines{
		in: bufio.NewReader(in), out: out, patience: patience, pending: map[jsonrpc.ID]bool{}, idle: make(chan struct{}, 1),
		arrived: make(chan arrival), closed: make(chan struct{}),
	}
}

// Connect implements sdk.Transport. The goroutine that reads ends with the input, or with the program: a read of standard input cannot
// be interrupted.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go func() {
		for {
			line, err := l.readLine()
			select {
			case l.arrived <- arrival{line, err}:
			case <-l.closed:
				return
			}
			if err != nil && !errors.Is(err, errTooLong) {
				return
			}
		}
	}()
	return l, nil
}

// readLine reads a line. Of one that is too long, it reads the rest and returns errTooLong.
func (l *lines) readLine() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		piece, err := l.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(piece) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLong
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil // the last line needs no line feed
		}
		return line, err
	}
}

// Read implements sdk.Connection: it returns the next message, and answers a line that is none.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var got arrival
		select {
		case got = <-l.arrived:
		case <-l.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case errors.Is(got.err, errTooLong):
			l.complain(jsonrpc.CodeInvalidRequest, got.err.Error())
			continue
		case got.err != nil:
			l.awaitAnswers(ctx)
			return nil, got.err
		case len(bytes.TrimSpace(got.line)) == 0:
			continue
		case !json.Valid(got.line):
			l.complain(jsonrpc.CodeParseError, "the line is not JSON")
			continue
		case bytes.TrimSpace(got.line)[0] == '[':
			l.complain(jsonrpc.CodeInvalidRequest, "batches are not supported: send each message on a line of its own")
			continue
		}
		message, err := jsonrpc.DecodeMessage(got.line)
		if err != nil {
			l.complain(jsonrpc.CodeInvalidRequest, "the line is not a message of JSON-RPC 2.0")
			continue
		}
		if request, ok := message.(*jsonrpc.Request); ok && request.ID.IsValid() {
			l.mu.Lock()
			l.pending[request.ID] = true
			l.mu.Unlock()
		}
		return message, nil
	}
}

// complain answers a line that is no message. It cannot be told which request it was meant to be, so the answer has no id.
func (l *lines) complain(code int, words string) {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": words}})
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		_, _ = l.out.Write(append(text, '\n')) // the next answer fails as well
	}
}

// awaitAnswers waits until the calls that are running are answered.
func (l *lines) awaitAnswers(ctx context.Context) {
	deadline := time.NewTimer(l.patience)
	defer deadline.Stop()
	for {
		l.mu.Lock()
		left := len(l.pending)
		l.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-l.idle:
		case <-deadline.C:
			return
		case <-l.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Write implements sdk.Connection.
func (l *lines) Write(_ context.Context, message jsonrpc.Message) error {
	response, isResponse := message.(*jsonrpc.Response)
	if isResponse {
		response.Error = shortened(response.Error)
	}
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if isResponse {
		delete(l.pending, response.ID)
		if len(l.pending) == 0 {
			select {
			case l.idle <- struct{}{}:
			default:
			}
		}
	}
	_, err = l.out.Write(append(text, '\n'))
	return err
}

// shortened is an error of the protocol whose text has an end.
func shortened(err error) error {
	if err == nil || len(err.Error()) <= maxComplaint {
		return err
	}
	out := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		out.Code = coded.Code
	}
	out.Message = beginningOf(err.Error(), maxComplaint)
	return out
}

// Close implements sdk.Connection.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID implements sdk.Connection: there is one session.
func (l *lines) SessionID() string { return "" }
