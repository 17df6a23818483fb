// Package conformance keeps what each release promised, as transcripts: requests that anybody can paste into a shell, and
// the answers that are due. The suite replays them against today's program, or against any address.
//
// A transcript tells the story of one operation in sections: what is given, a curl command, the status, the headers and
// the body of the answer. Whatever an answer must have stands there literally; what changes from one time to the next
// stands there as $NAME (see pattern.go). A transcript that begins with For: is one that every operation it names has to
// follow, with its usual request, the first of its own transcript, changed as the transcript says. What stands after
// Afterwards: clears away what a section made, when the transcript is over; Finally: names a stage that does. Transcripts in
// folders called rest are about the calls of /rest: an answer there must be what is due and no more, and $call is the call's
// name.
//
// released/1.0.0 and its successors are sealed: nobody changes them any more, and today's program is held to every one of
// them (see seal.go). next is what the release to come will promise. The stages in both are how situations come about, by requests that a
// test key may make; they promise nothing. A stage that stands after Finally: is played when all is over, and may fail.
package conformance
