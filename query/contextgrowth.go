package query

import (
	"strings"

	"turns/model"
)

// ContextPoint is the context at a message of a run.
type ContextPoint struct {
	ID        model.ID      `json:"-"`
	Index     int           `json:"index"`
	Tokens    ContextTokens `json:"tokens_by_kind"`
	Measured  *int64        `json:"measured_tokens"`
	Compacted bool          `json:"compacted"` // a compaction lies between the point before and this
}

// Series is the context over a thread at up to n points, the last message among
// them: what a stacked bar over the run is drawn from. It costs the points, not
// the run.
func (x *ContextIndex) Series(thread uint32, n int) []ContextPoint {
	if int(thread) >= len(x.threads) || n <= 0 {
		return nil
	}
	t := &x.threads[thread]
	n = min(n, len(t.ids))
	points := make([]ContextPoint, 0, n)
	cuts := 0
	for k := range n {
		i := (k+1)*len(t.ids)/n - 1
		id := t.ids[i]
		r := x.at(id)
		p := ContextPoint{ID: id, Index: x.snap.Pos(id), Tokens: x.tokensOf(&r)}
		if at := x.response(&r); at >= 0 {
			if m, ok := ContextOf(x.snap, t.ids[at]); ok {
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

// TurnGrowth is what a turn added to the context.
type TurnGrowth struct {
	Turn      int           `json:"turn"`
	ID        model.ID      `json:"-"`
	Index     int           `json:"index"` // position of its first message
	Added     ContextTokens `json:"added_by_kind"`
	Sum       int64         `json:"added_tokens"`
	Measured  *int64        `json:"measured_tokens"` // of its last request
	Compacted int           `json:"compactions"`
}

// Growth is what each turn added to the context of the main threads.
func (x *ContextIndex) Growth(turns *TurnIndex) []TurnGrowth {
	list := make([]TurnGrowth, turns.Len())
	for i := range list {
		list[i] = TurnGrowth{Turn: i, ID: turns.First(i), Index: x.snap.Pos(turns.First(i))}
	}
	for i := range x.threads {
		t := &x.threads[i]
		if !x.snap.Threads()[i].Main {
			continue
		}
		cut := 0
		for n, id := range t.ids {
			turn := turns.Turn(id)
			if turn < 0 {
				continue
			}
			g := &list[turn]
			w := x.weigh(id, x.snap.HeadRow(id))
			g.Added.add(&w, 1)
			if m, ok := ContextOf(x.snap, id); ok {
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

func (a *ContextAnswer) writeGrowth(b *strings.Builder) {
	if len(a.Growth) == 0 {
		return
	}
	b.WriteByte('\n')
	t := newTable(">turn", ">added", ">results", ">measured", "")
	for i := range a.Growth {
		g := &a.Growth[i]
		measured, note := NotSaid, ""
		if g.Measured != nil {
			measured = Count(*g.Measured)
		}
		if g.Compacted > 0 {
			note = Plural(g.Compacted, "compaction")
		}
		t.add(Count(g.Turn), Count(g.Sum), OrDot(g.Added.Results, Count[int64]), measured, note)
	}
	t.write(b)
}
