package source

import (
	"strings"
	"unicode/utf8"
)

// MaxOperands is how many operands of an expression are read.
const MaxOperands = 60

// This file walks over tokens: from a bracket to its pair, and over operands and expressions.

// Sign says whether a token is a sign.
func (s *File) Sign(i int, signs string) bool {
	return i >= 0 && i < len(s.Tokens) && s.Tokens[i].Kind == Sign && strings.IndexByte(signs, s.Tokens[i].Sign) >= 0
}

// Is says whether a token is of a kind.
func (s *File) Is(i int, k Kind) bool { return i >= 0 && i < len(s.Tokens) && s.Tokens[i].Kind == k }

// Wordy says whether a token is a name or a text.
func (s *File) Wordy(i int) bool { return i >= 0 && i < len(s.Tokens) && s.Tokens[i].Kind <= Text }

// Str returns the source of a token.
func (s *File) Str(i int) string {
	if i < 0 || i >= len(s.Tokens) {
		return ""
	}
	return s.Text[s.Tokens[i].From:s.Tokens[i].To]
}

// Pair returns the other bracket, 0 when there is none.
func (s *File) Pair(i int) int {
	if i < 0 || i >= len(s.Tokens) {
		return 0
	}
	return int(s.Tokens[i].Pair)
}

// Joins says whether a token joins what stands before and after it. A slash beside a text joins the parts of a path.
func (s *File) Joins(i int) bool {
	texts := s.Is(i+1, Text) || s.Is(i-1, Text) || s.Sign(i+2, "/") && s.Is(i+3, Text)
	return s.Sign(i, "+") || texts && s.Sign(i, "/")
}

// ExpressionEnd returns the token after the expression that begins at i.
func (s *File) ExpressionEnd(i int) int {
	to := s.OperandEnd(i)
	for n := 0; to > i && n < MaxOperands && s.Joins(to); n++ {
		next := s.OperandEnd(to + 1)
		if next == to+1 {
			break
		}
		to = next
	}
	return to
}

// OperandEnd returns the token after the operand that begins at i.
func (s *File) OperandEnd(i int) int {
	switch {
	case s.Wordy(i), s.Is(i, Number):
		i++
	case s.Sign(i, "([") && s.Pair(i) > 0:
		i = s.Pair(i) + 1
	case s.Sign(i, ".") && s.Is(i+1, Name): // .Cells(1) of With
		i += 2
	default:
		return i
	}
	for range MaxOperands {
		switch {
		case s.Sign(i, ".") && s.Is(i+1, Name):
			i += 2
		case s.Sign(i, ".") && s.Sign(i+1, "{[(") && s.Pair(i+1) > 0: // ->{x}, ->[x]
			i = s.Pair(i+1) + 1
		case s.Calls(i), s.Sign(i, "{") && s.Family == Families()["perl"] && s.Pair(i) > 0 && s.Tokens[i].Glued:
			i = s.Pair(i) + 1
		default:
			return i
		}
	}
	return i
}

// Calls says whether a bracket belongs to the operand before it.
func (s *File) Calls(i int) bool {
	return s.Sign(i, "([") && s.Pair(i) > 0 && !s.Tokens[i].Fresh && (!s.Family.Loose || s.Tokens[i].Glued)
}

// Begin returns the first token of the operand that ends before i.
func (s *File) Begin(i int) int {
	for steps := 0; i > 0 && steps < MaxOperands; steps++ {
		j := i - 1
		switch {
		case s.Wordy(j), s.Is(j, Number):
			i = j
		case s.Sign(j, ")]}") && s.Pair(j) > 0:
			if i = s.Pair(j); s.Wordy(i-1) && !s.Tokens[i].Fresh || s.Sign(i-1, ")]") {
				continue
			}
		default:
			return i
		}
		if !s.Sign(i-1, ".") {
			return i
		}
		i--
	}
	return i
}

// IsBlock says whether a brace begins a block of statements, and not an object.
func (s *File) IsBlock(open int) bool {
	if !s.Sign(open, "{") || s.Family.Objects || s.Wordy(open+1) && s.Sign(open+2, ":,") {
		return false
	}
	if s.Is(open-1, Name) {
		name := strings.ToLower(s.Str(open - 1))
		return name != "return" && name != "in" && !s.Family.Loose && !s.Sign(int(s.Tokens[open].Up), "(") // f(Url{…})
	}
	return s.Sign(open-1, ")>") || s.Sign(open-1, ";{}") && open > 1 && !s.Family.Loose
}

// Continues says whether the line that begins with a token goes on with the statement before it.
func (s *File) Continues(i int) bool {
	return s.Sign(i, ".?:|&)]}+-,a") || s.Sign(i-1, ",([{=.+&|?\\`>")
}

// Place returns the line and the column of a byte, both from 1; columns are characters. It counts on, or back, from the place before.
func (s *File) Place(at int) (line, column int) {
	between, sign := s.Text[min(at, s.at):max(at, s.at)], 1
	if at < s.at {
		sign = -1
	}
	if n := strings.Count(between, "\n"); n > 0 {
		s.line += sign * n
		s.column = utf8.RuneCountInString(s.Text[strings.LastIndexByte(s.Text[:at], '\n')+1 : at])
	} else {
		s.column += sign * utf8.RuneCountInString(between)
	}
	s.at = at
	return s.line + 1, s.column + 1
}
