package changes

import (
	"context"
	"errors"
)

// Net has the net numbers of added and removed lines.
type Net struct{ Added, Removed int }

// TurnNets returns the net change of each turn that changed a file, by the number of the turn. The
// lines of a file are those between its content before the first and after the last call of the
// turn, or those of its calls if the transcript does not have the whole file.
func (h *History) TurnNets(ctx context.Context) (map[int]Net, error) {
	nets := map[int]Net{}
	for _, f := range h.Files {
		for from := 1; from < len(f.Versions); {
			turn, to := h.turnOf(&f.Versions[from]), from+1
			for to < len(f.Versions) && h.turnOf(&f.Versions[to]) == turn && f.Versions[to].State != Broken {
				to++
			}
			if turn >= 0 {
				n, _, err := h.net(ctx, f, Segment{Base: from - 1, End: to - 1})
				if err != nil {
					return nil, err
				}
				nets[turn] = Net{nets[turn].Added + n.Added, nets[turn].Removed + n.Removed}
			}
			from = to
		}
	}
	return nets, nil
}

// turnOf returns the turn of the call that made a version; -1 if no call of the session did.
func (h *History) turnOf(v *Version) int {
	if v.Op == Start || v.Op == Outside || v.Inherited {
		return -1
	}
	return h.Turns.Turn(v.Message)
}

// net returns the number of lines that a segment adds and removes. known reports that the contents
// of both ends are known: the lines are then net, otherwise those of the calls.
func (h *History) net(ctx context.Context, f *File, s Segment) (n Net, known bool, err error) {
	before, after, err := h.Ends(ctx, f, s)
	if err == nil {
		n.Added, n.Removed = lineCounts(before.Text, after.Text)
		return n, true, nil
	}
	if !errors.Is(err, ErrUnknown) {
		return n, false, err
	}
	for i := s.Base + 1; i <= s.End; i++ {
		n.Added, n.Removed = n.Added+f.Versions[i].Added, n.Removed+f.Versions[i].Removed
	}
	return n, false, nil
}
