package window

import (
	"turns/model"
	"turns/query"
	"turns/query/human"
)

// Point is the context at a message of a session.
type Point struct {
	ID        model.ID    `json:"-"`
	Index     human.Index `json:"index"`
	Tokens    Tokens      `json:"tokens_by_kind"`
	Measured  *int64      `json:"measured_tokens"`
	Compacted bool        `json:"compacted"` // a compaction happened since the point before
}

// Series returns the context of a thread at up to n points, the last message included, for a
// chart. Its cost grows with the points, not the session.
func (x *Index) Series(thread uint32, n int) []Point {
	if int(thread) >= len(x.threads) || n <= 0 {
		return nil
	}
	t := &x.threads[thread]
	n = min(n, len(t.ids))
	points := make([]Point, 0, n)
	cuts := 0
	for k := range n {
		i := (k+1)*len(t.ids)/n - 1
		id := t.ids[i]
		r := x.at(id)
		p := Point{ID: id, Index: human.Index(x.Snap.Pos(id)), Tokens: x.tokensOf(&r)}
		if at := x.response(&r); at >= 0 {
			if m, ok := query.ContextOf(x.Snap, t.ids[at]); ok {
				p.Measured = &m
			}
		}
		before := cuts
		for cuts < len(t.cuts) && t.cuts[cuts].at <= i {
			cuts++
		}
		p.Compacted = cuts > before
		points = append(points, p)
	}
	return points
}

// TurnGrowth is the growth of the context in a turn.
type TurnGrowth struct {
	Turn      int         `json:"turn"`
	ID        model.ID    `json:"-"`
	Index     human.Index `json:"index"` // position of its first message
	Added     Tokens      `json:"added_by_kind"`
	Sum       int64       `json:"added_tokens"`
	Measured  *int64      `json:"measured_tokens"` // of its last request
	Compacted int         `json:"compactions"`
}

// Growth returns the growth of the context of the main threads, by turn.
func (x *Index) Growth(turns *query.TurnIndex) []TurnGrowth {
	list := make([]TurnGrowth, turns.Len())
	for i := range list {
		list[i] = TurnGrowth{Turn: i, ID: turns.First(i), Index: human.Index(x.Snap.Pos(turns.First(i)))}
	}
	for i := range x.threads {
		t := &x.threads[i]
		if !x.Snap.Threads()[i].Main {
			continue
		}
		cut := 0
		for n, id := range t.ids {
			turn := turns.Turn(id)
			if turn < 0 {
				continue
			}
			g := &list[turn]
			w := x.Weigh(id, x.Snap.HeadRow(id))
			g.Added.add(&w, 1)
			if m, ok := query.ContextOf(x.Snap, id); ok {
				g.Measured = &m
			}
			for cut < len(t.cuts) && t.cuts[cut].at <= n {
				cut++
				g.Compacted++
			}
		}
	}
	for i := range list {
		list[i].Sum = list[i].Added.Sum()
	}
	return list
}
