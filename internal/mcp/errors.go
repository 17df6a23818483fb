package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// errorsTool is the tool that explains the codes of errors.
func (s *Server) errorsTool() *tool {
	about := "Says what error codes mean and what to do: one, those of an operation, those with some words, or all."
	texts := [][2]string{
		{"code", "such as item_not_open"}, {argOperation, "such as closeItem"}, {"search", "words, also of errorMsg of old programs"},
	}
	return makeOffline("errors", about, texts, func(args *arguments) (string, error) {
		code, operation, words := args.text("code"), args.text(argOperation), args.text("search")
		if code != "" {
			return s.explained(code)
		}
		return s.codes(operation, words)
	})
}

// explained is all about one code.
func (s *Server) explained(code string) (string, error) {
	if mend, ours := clientMends[code]; ours {
		return fmt.Sprintf("# %s\n\nThe tools report it; the service does not answer it. %s\n", code, mend), nil
	}
	info, known := v1.LookupError(v1.Code(code))
	if !known {
		return "", argumentProblem(v1.InvalidParameter, "code", "There is no such code. Without arguments, the tool lists all.")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\nWhat to do: %s\n\n", info.Code, info.Meaning, info.Remedy)
	if info.Status != 0 {
		fmt.Fprintf(&b, "Status: %d\n", info.Status)
	} else {
		b.WriteString("It occurs in submissions only, so it has no status.\n")
	}
	fmt.Fprintf(&b, "Page: %s/errors/%s\n", s.config.BaseURL, info.Code)
	var by []string
	for _, o := range s.operations {
		if slices.Contains(o.Codes(), info.Code) {
			by = append(by, o.id)
		}
	}
	switch {
	case len(by) == len(s.operations):
		b.WriteString("Operations: all\n")
	case len(by) > 0:
		fmt.Fprintf(&b, "Operations: %s\n", strings.Join(by, ", "))
	}
	for _, text := range oldTexts(info.Code) {
		fmt.Fprintf(&b, "On /rest, errorMsg says: %s\n", text)
	}
	return b.String(), nil
}

// oldTexts are the texts of /rest that mean a code.
func oldTexts(code v1.Code) (texts []string) {
	for i := range translate.ErrorRows {
		if row := &translate.ErrorRows[i]; row.Code == code {
			texts = append(texts, row.Text)
		}
	}
	return distinct(texts)
}

// codes lists codes with their meaning and what to do: those of an operation, and those that have all words.
func (s *Server) codes(operation, words string) (string, error) {
	o := s.operation(operation)
	if operation != "" && o == nil {
		return "", s.unknownOperation()
	}
	wanted := strings.Fields(strings.ToLower(words))
	var b strings.Builder
	for _, info := range v1.ErrorCatalogue {
		text := fmt.Sprintf("%s %s %s", info.Code, info.Meaning, strings.Join(oldTexts(info.Code), " "))
		if o != nil && !slices.Contains(o.Codes(), info.Code) || !hasAll(text, wanted) {
			continue
		}
		status := ""
		if info.Status != 0 {
			status = fmt.Sprintf(" (%d)", info.Status)
		}
		fmt.Fprintf(&b, "- %s%s: %s %s\n", info.Code, status, info.Meaning, info.Remedy)
	}
	if o == nil {
		for _, code := range slices.Sorted(maps.Keys(clientMends)) {
			if hasAll(code, wanted) {
				fmt.Fprintf(&b, "- %s, which the tools report: %s\n", code, clientMends[code])
			}
		}
	}
	if b.Len() == 0 {
		return "No code has all of these words. Without arguments, the tool lists all.\n", nil
	}
	return b.String(), nil
}
