// Package core is what all rooms of the seller API stand on: the one way of a request, and the one way of a change. A room
// (package items, trade, hooks, accounts or privacy, for example) has the rules of a subject. It declares its operations with NewOp,
// and hands the core its workers and hooks as a Room.
//
// This is the way of a request:
//
//   - Serve finds the operation by path and method. Within bounds the work by time.
//   - Enter finds the caller by the key, charges the request to the caller's budget, and refuses a key without the permissions.
//   - The input is read from path, query, headers and body. What is wrong with it is gathered in Call.Problems.
//   - Operation.Run looks for a stored answer to the Idempotency-Key. Without one it calls the method of the room.
//   - A method that reads uses Core.Reads. A method that changes something uses DoAs.
//   - The result or the refusal is written in the envelope, with the headers of the limits.
//
// This is the way of a change, all of it in one transaction:
//
//   - Begin locks the owner's row, sets the instant of the change and charges units to the store's limits.
//   - The rule runs. It makes its changes with the ent client of Change, and notes events with Emit.
//   - The answer is stored for the Idempotency-Key. The hooks of the rooms run. The events are written, each with its deliveries.
//   - After the commit, the workers that have something to do are woken.
//
// Read first core.go (what there is), call.go (a Call), operation.go (an Operation and its traits) and room.go. Then read
// http.go with http_request.go and http_answer.go, and authenticate.go and limits.go. Then change.go, outbox.go and
// idempotency.go. What makes requests fast is in admission.go, which can be left for last.
package core
