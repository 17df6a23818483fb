package exporting

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// sums adds up amounts exactly.
type sums map[sumOf]*big.Rat

// sumOf is what a sum is of.
type sumOf struct {
	column    string
	currency  string
	cancelled bool
	decimals  int
}

// add adds an amount.
func (s *sums) add(column string, m money, cancelled bool) error {
	_, decimals, _ := strings.Cut(m.Amount, ".")
	amount, ok := new(big.Rat).SetString(m.Amount)
	if !ok {
		return fmt.Errorf("read the answer: %q is no amount", m.Amount)
	}
	if *s == nil {
		*s = sums{}
	}
	of := sumOf{column, m.Currency, cancelled, len(decimals)}
	if (*s)[of] == nil {
		(*s)[of] = new(big.Rat)
	}
	(*s)[of].Add((*s)[of], amount)
	return nil
}

// lines are the sums in words.
func (s sums) lines() (lines []string) {
	for _, of := range slices.SortedFunc(maps.Keys(s), func(a, b sumOf) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		line := "sum of " + of.column + ": " + s[of].FloatString(of.decimals) + " " + of.currency
		if of.cancelled {
			line += ", cancelled"
		}
		lines = append(lines, line)
	}
	return lines
}
