package exporting

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// sums adds up amounts in their smallest units, exactly.
type sums map[sumOf]*big.Int

// sumOf is what a sum is of.
type sumOf struct {
	column    string
	currency  string
	cancelled bool
	decimals  int
}

// add adds an amount.
func (s *sums) add(column string, m money, cancelled bool) error {
	whole, decimals, _ := strings.Cut(m.Amount, ".")
	units, ok := new(big.Int).SetString(whole+decimals, 10)
	if !ok {
		return fmt.Errorf("read the answer: %q is no amount", m.Amount)
	}
	if *s == nil {
		*s = sums{}
	}
	of := sumOf{column, m.Currency, cancelled, len(decimals)}
	if (*s)[of] == nil {
		(*s)[of] = new(big.Int)
	}
	(*s)[of].Add((*s)[of], units)
	return nil
}

// lines are the sums in words.
func (s sums) lines() (lines []string) {
	for _, of := range slices.SortedFunc(maps.Keys(s), func(a, b sumOf) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		digits := fmt.Sprintf("%0*d", of.decimals+1, s[of])
		text := digits[:len(digits)-of.decimals]
		if of.decimals > 0 {
			text += "." + digits[len(digits)-of.decimals:]
		}
		line := "sum of " + of.column + ": " + text + " " + of.currency
		if of.cancelled {
			line += ", cancelled"
		}
		lines = append(lines, line)
	}
	return lines
}
