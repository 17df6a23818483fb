// Package near says how alike two names are, so that a message can suggest what somebody meant.
package near

// Distance is the number of letters to change, add or take away between two names.
func Distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		last := row[0]
		row[0] = i + 1
		for j := range b {
			d := last
			if a[i] != b[j] {
				d = min(last, row[j], row[j+1]) + 1
			} else {
				d = min(d, row[j]+1, row[j+1]+1)
			}
			last, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
