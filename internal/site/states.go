package site

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// This file draws state machines: a block of Mermaid, which the page of states has for each table of the program, becomes a picture from top
// to bottom that a phone can show. What it shows stands in the table below it, too.

// machine is a state machine as it is drawn.
type machine struct {
	states      []string // in the order of the text
	begin, ends map[string]bool
	moves       [][2]string
	layers      [][]string
	at          map[string]spot
	half        int // of the width of a state
}

// spot is the middle of a state, and its layer.
type spot struct{ x, y, layer int }

// Measures of pictures, in the units of their view box.
const (
	pictureWidth = 380
	layerHeight  = 86
	halfHeight   = 17
)

// statesPicture draws the state machine that Mermaid describes. name says whose states they are.
func statesPicture(name, source string) template.HTML {
	m := &machine{begin: map[string]bool{}, ends: map[string]bool{}, at: map[string]spot{}}
	for line := range strings.Lines(source) {
		from, to, isMove := strings.Cut(strings.TrimSpace(line), " --> ")
		for _, state := range []string{from, to} {
			if isMove && state != "[*]" && !slices.Contains(m.states, state) {
				m.states = append(m.states, state)
				m.half = max(m.half, (len(state)*8+18)/2)
			}
		}
		switch {
		case !isMove:
		case from == "[*]":
			m.begin[to] = true
		case to == "[*]":
			m.ends[from] = true
		default:
			m.moves = append(m.moves, [2]string{from, to})
		}
	}
	m.arrange()
	return m.draw(name)
}

// arrange gives each state its place: below all states before it in the text that lead to it. Moves to a state before it lead back up.
func (m *machine) arrange() {
	layer := map[string]int{}
	for i, state := range m.states {
		for _, move := range m.moves {
			if from := slices.Index(m.states, move[0]); from < i && move[1] == state {
				layer[state] = max(layer[state], layer[move[0]]+1)
			}
		}
	}
	for _, state := range m.states {
		for len(m.layers) <= layer[state] {
			m.layers = append(m.layers, nil)
		}
		m.layers[layer[state]] = append(m.layers[layer[state]], state)
	}
	far := func(state string) int { // what is reached past a layer stands on the right, where those moves pass
		return len(slices.DeleteFunc(slices.Clone(m.moves), func(move [2]string) bool { return move[1] != state || layer[state]-layer[move[0]] < 2 }))
	}
	for y, states := range m.layers {
		slices.SortStableFunc(states, func(a, b string) int { return far(a) - far(b) })
		for i, state := range states {
			m.at[state] = spot{pictureWidth * (2*i + 1) / (2 * len(states)), 30 + y*layerHeight, y}
		}
	}
}

// draw writes the picture.
func (m *machine) draw(name string) template.HTML {
	id := "picture-" + strings.ToLower(name)
	var out strings.Builder
	fmt.Fprintf(&out, `<figure class="states"><svg viewBox="0 0 %d %d" role="img" aria-labelledby="%[3]s-title %[3]s-desc"><title id="%[3]s-title">%s: states and moves</title>`,
		pictureWidth, 60+(len(m.layers)-1)*layerHeight, id, template.HTMLEscapeString(name))
	fmt.Fprintf(&out, `<desc id="%s-desc">%s</desc>`, id, template.HTMLEscapeString(m.words()))
	fmt.Fprintf(&out, `<defs><marker id="%s-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>`, id)
	for _, move := range m.moves {
		fmt.Fprintf(&out, `<path class="move" data-move="%s" d="%s" marker-end="url(#%s-arrow)"/>`, template.HTMLEscapeString(move[0]+" "+move[1]), m.way(move), id)
	}
	for _, state := range m.states {
		p, class := m.at[state], ""
		if m.begin[state] {
			fmt.Fprintf(&out, `<circle cx="%d" cy="%d" r="5"/><path class="move" d="M%d %d h17" marker-end="url(#%s-arrow)"/>`, p.x-m.half-24, p.y, p.x-m.half-18, p.y, id)
		}
		if m.ends[state] {
			class = ` class="end"`
		}
		fmt.Fprintf(&out, `<rect%s x="%d" y="%d" width="%d" height="%d" rx="8"/><text x="%d" y="%d">%s</text>`,
			class, p.x-m.half, p.y-halfHeight, 2*m.half, 2*halfHeight, p.x, p.y+4, template.HTMLEscapeString(state))
	}
	out.WriteString("</svg></figure>")
	return template.HTML(out.String())
}

// words says the moves in sentences.
func (m *machine) words() string {
	var sentences []string
	for _, state := range m.states {
		var next []string
		for _, move := range m.moves {
			if move[0] == state {
				next = append(next, move[1])
			}
		}
		if next == nil {
			sentences = append(sentences, state+" is final.")
		} else {
			sentences = append(sentences, state+" becomes "+strings.Join(next, " or ")+".")
		}
	}
	return strings.Join(sentences, " ")
}

// way is the line of a move: straight between neighbouring layers, beside the line of the move back; around the others past a layer; and a
// loop at a state that stays what it is.
func (m *machine) way(move [2]string) string {
	from, to := m.at[move[0]], m.at[move[1]]
	switch span := to.layer - from.layer; {
	case span == 0 && from == to:
		x := from.x - m.half
		return fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x, from.y-8, x-46, from.y-26, x-46, from.y+26, x-1, from.y+9)
	case span == 0:
		side := 1
		if to.x < from.x {
			side = -1
		}
		return fmt.Sprintf("M%d %d H%d", from.x+side*m.half, from.y, to.x-side*m.half)
	case span > 1:
		lane := min(pictureWidth-6, max(from.x, to.x)+m.half+10+12*span)
		return fmt.Sprintf("M%d %d C%d %d %d %d %d %d", from.x+m.half, from.y, lane, from.y, lane, to.y-layerHeight, to.x+m.half-8-8*span, to.y-halfHeight-1)
	case span < -1:
		lane := max(6, min(from.x, to.x)-m.half-10+12*span)
		return fmt.Sprintf("M%d %d C%d %d %d %d %d %d", from.x-m.half, from.y, lane, from.y, lane, to.y, to.x-m.half-1, to.y)
	}
	beside, down := 0, 1
	if slices.Contains(m.moves, [2]string{move[1], move[0]}) {
		beside = 9
	}
	if to.layer < from.layer {
		beside, down = -beside, -1
	}
	lean := max(-m.half/2, min(m.half/2, (to.x-from.x)/4)) // so that lines leave a state at different places
	return fmt.Sprintf("M%d %d L%d %d", from.x+lean+beside, from.y+down*halfHeight, to.x-lean+beside, to.y-down*(halfHeight+1))
}
