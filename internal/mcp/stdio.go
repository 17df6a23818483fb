package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the longest message that is read, in bytes: the largest body of an operation as JSON in JSON.
const maxLine = 4 << 20

// maxComplaint is the longest text of a protocol's error. The SDK repeats what it could not read.
const maxComplaint = 1 << 10

// mostUnanswered is how many requests may be without an answer at the same time. A further one is rejected. As each may be as long as
// maxLine, this bounds the memory that a host can fill.
const mostUnanswered = 64

// codeTooMany is the code of that rejection, from the range that JSON-RPC leaves to servers.
const codeTooMany = -32000

// lastWrite is how long a message that is being written may still take after the end of the program's context.
const lastWrite = time.Second

// errUnread ends a session whose host does not read its messages.
var errUnread = errors.New("the host does not read the answers")

// lines is the SDK's transport for messages that are lines. The SDK's own ends at the first line that is not a message, drops the
// answers of calls that run when its input ends, takes any number of requests, and waits without end for a host that does not read. This
// one answers such a line with an error, ends after these calls, and bounds the requests and the wait.
type lines struct {
	in       *bufio.Reader
	patience time.Duration   // for the calls that run at the end, and for a host that does not read
	ended    <-chan struct{} // closed at the end of the program's context

	writing sync.Mutex // guards out
	out     io.Writer

	mu      sync.Mutex          // guards pending
	pending map[jsonrpc.ID]bool // requests whose answers are not being written yet
	running sync.WaitGroup      // counts requests until their answers are written

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

// newLines makes the transport of a program that runs until ctx ends.
func newLines(ctx context.Context, in io.Reader, out io.Writer, patience time.Duration) *lines {
	return &lines{
		in: bufio.NewReader(in), out: out, patience: patience, ended: ctx.Done(), pending: map[jsonrpc.ID]bool{},
		arrived: make(chan arrival), closed: make(chan struct{}),
	}
}

// Connect implements sdk.Transport. The goroutine that reads ends with the input, or with the program: a read of standard input cannot
// be interrupted.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go func() {
		for mark := []byte("\ufeff"); ; mark = nil { // a pipe of PowerShell may begin with a byte order mark
			line, err := l.readLine()
			line = bytes.TrimPrefix(line, mark)
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

// Read implements sdk.Connection: it returns the next message. It answers a line that is not a message, and a request that is one too
// many.
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
		case got.err != nil && !errors.Is(got.err, errTooLong):
			l.awaitAnswers(ctx)
			return nil, got.err
		case got.err == nil && len(bytes.TrimSpace(got.line)) == 0:
			continue
		}
		message, rejected := l.admitted(got)
		if rejected == nil {
			return message, nil
		}
		if err := l.Write(ctx, rejected); err != nil {
			return nil, err
		}
	}
}

// rejected is the answer to a line that no tool sees. It has no id if it cannot be told which request the line was meant to be.
func rejected(id jsonrpc.ID, code int64, words string) *jsonrpc.Response {
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: code, Message: words}}
}

// addressed gives a request its id as the host wrote it, in the place of a number that the SDK rounds: 1.5, or one beyond 2^53. A
// notification that cancels a request names it so, too. The id of a request must not be null (MCP, Requests).
func addressed(request *jsonrpc.Request, line []byte) error {
	var written struct {
		ID     jsontext.Value `json:"id"`
		Params jsontext.Value `json:"params"`
	}
	if err := jsonv2.Unmarshal(line, &written, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	switch {
	case written.ID.Kind() == 'n':
		return errors.New("the id is null: give each request a string or a number")
	case request.ID.IsValid():
		id, err := jsonrpc.MakeID(string(written.ID))
		request.ID = id
		return err
	case request.Method == "notifications/cancelled":
		var cancelled struct {
			RequestID jsontext.Value `json:"requestId"`
		}
		if jsonv2.Unmarshal(written.Params, &cancelled, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil && len(cancelled.RequestID) > 0 {
			params, err := json.Marshal(map[string]string{"requestId": string(cancelled.RequestID)})
			request.Params = params
			return err
		}
	}
	return nil
}

// admitted reads a message, or returns why it is rejected. It notes down a request that has to be answered.
func (l *lines) admitted(got arrival) (jsonrpc.Message, *jsonrpc.Response) {
	var noID jsonrpc.ID // of a line that is no request
	switch {
	case got.err != nil:
		return nil, rejected(noID, jsonrpc.CodeInvalidRequest, got.err.Error())
	case !json.Valid(got.line):
		return nil, rejected(noID, jsonrpc.CodeParseError, "the line is not JSON in UTF-8")
	case bytes.TrimSpace(got.line)[0] == '[':
		return nil, rejected(noID, jsonrpc.CodeInvalidRequest, "batches are not supported: send each message on a line of its own")
	}
	message, err := jsonrpc.DecodeMessage(got.line)
	if err != nil {
		return nil, rejected(noID, jsonrpc.CodeInvalidRequest, "the line is not a message of JSON-RPC 2.0")
	}
	request, isRequest := message.(*jsonrpc.Request)
	if !isRequest {
		return message, nil
	}
	if err := addressed(request, got.line); err != nil {
		return nil, rejected(noID, jsonrpc.CodeInvalidRequest, err.Error())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !request.ID.IsValid() || l.pending[request.ID]: // the SDK rejects an id that is in use
	case len(l.pending) >= mostUnanswered:
		words := fmt.Sprintf("%d requests wait for their answers, so this one was not carried out: send it again after one of the answers", mostUnanswered)
		return nil, rejected(request.ID, codeTooMany, words)
	default:
		l.pending[request.ID] = true
		l.running.Add(1)
	}
	return message, nil
}

// awaitAnswers waits until the calls that are running are answered.
func (l *lines) awaitAnswers(ctx context.Context) {
	answered := make(chan struct{})
	go func() {
		l.running.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(l.patience):
	case <-l.closed:
	case <-ctx.Done():
	}
}

// Write implements sdk.Connection. It writes the id of an answer as the host wrote it.
func (l *lines) Write(_ context.Context, message jsonrpc.Message) error {
	response, isResponse := message.(*jsonrpc.Response)
	if !isResponse {
		text, err := jsonrpc.EncodeMessage(message)
		if err != nil {
			return err
		}
		return l.write(text, jsonrpc.ID{})
	}
	id, isSet := response.ID.Raw().(string)
	if !isSet {
		id = "null"
	}
	name, value := "result", response.Result
	if response.Error != nil {
		var err error
		if value, err = json.Marshal(shortened(response.Error)); err != nil {
			return err
		}
		name = "error"
	}
	return l.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"%s":%s}`, id, name, value), response.ID)
}

// begins notes down that the answer to a request is being written, if the request waits for one. A host that has read it may send the next
// request at once.
func (l *lines) begins(id jsonrpc.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	waits := l.pending[id]
	delete(l.pending, id)
	return waits
}

// write writes a message, which answers the request with an id. It returns errUnread if the host does not read it in time. A write of
// standard output cannot be interrupted, so the goroutine that writes then ends with the program.
func (l *lines) write(text []byte, id jsonrpc.ID) error {
	written := make(chan error, 1)
	go func() {
		l.writing.Lock()
		defer l.writing.Unlock()
		if l.begins(id) {
			defer l.running.Done()
		}
		_, err := l.out.Write(append(text, '\n'))
		written <- err
	}()
	late := time.NewTimer(l.patience)
	defer late.Stop()
	for ended := l.ended; ; {
		select {
		case err := <-written:
			return err
		case <-late.C:
			return errUnread
		case <-ended:
			ended = nil
			late.Reset(min(lastWrite, l.patience))
		}
	}
}

// shortened is an error of the protocol whose text has an end.
func shortened(err error) *jsonrpc.Error {
	out := &jsonrpc.Error{}
	if coded := (*jsonrpc.Error)(nil); errors.As(err, &coded) {
		*out = *coded
	}
	if out.Message = err.Error(); len(out.Message) > maxComplaint {
		out = &jsonrpc.Error{Code: cmp.Or(out.Code, jsonrpc.CodeInvalidRequest), Message: beginningOf(out.Message, maxComplaint)}
	}
	return out
}

// Close implements sdk.Connection.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID implements sdk.Connection: there is one session.
func (l *lines) SessionID() string { return "" }
