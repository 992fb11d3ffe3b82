package themes

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lucasb-eyer/go-colorful"
)

// Indexed returns the theme for a terminal with 256 colours. Each "#rrggbb" becomes the nearest
// entry of the palette with the same readability; the user's first sixteen entries are not used.
// Bubble Tea converts colours one by one: it turns greys into teal and dark grounds into navy, on
// which texts can vanish.
func (t Theme) Indexed() Theme {
	was := t
	for _, grounds := range [...]bool{true, false} { // texts are measured against the grounds
		for _, k := range tokens {
			p := k.field(&t)
			if grounds != (k.Kind == Ground) || !strings.HasPrefix(*p, "#") {
				continue
			}
			near, most := nearest(*p), len(was.faults(k))
			readable := slices.IndexFunc(near, func(entry string) bool {
				*p = entry
				return len(t.faults(k)) <= most
			})
			*p = near[max(readable, 0)]
		}
	}
	return t
}

// Nearest returns the most similar entry of the 256-colour palette, never one of the user's first
// sixteen. A palette entry and "" stay as they are.
func Nearest(token string) string {
	if !strings.HasPrefix(token, "#") {
		return token
	}
	return nearest(token)[0]
}

// nearest returns the entries of the palette, the most similar one first.
func nearest(token string) []string {
	l, a, b := okLab(token)
	type entry struct {
		token    string
		distance float64
	}
	var entries []entry
	for n := 16; n < 256; n++ {
		e := entry{token: strconv.Itoa(n)}
		l2, a2, b2 := okLab(e.token)
		// A grey that gets a colour is more visible than a grey that gets lighter.
		e.distance = math.Hypot(l-l2, 2*math.Hypot(a-a2, b-b2))
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(x, y entry) int { return cmp.Compare(x.distance, y.distance) })
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.token
	}
	return out
}

// okLab returns a colour in OKLab (https://bottosson.github.io/posts/oklab/), where distances are
// about those that people see.
func okLab(token string) (l, a, b float64) {
	rgb, _ := RGBA(token)
	c, _ := colorful.MakeColor(rgb)
	return c.OkLab()
}
