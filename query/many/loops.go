package many

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
)

// Loop is a series of calls in which an agent repeats itself.
type Loop struct {
	Kind  string `json:"kind"` // repeat, alternation, retry
	Path  string `json:"path"`
	From  int    `json:"from"` // position of the first call's message
	To    int    `json:"to"`   // position of the last call's message
	Times int    `json:"times"`
	About string `json:"about"`
}

// loopTimes is the minimum number of repetitions in a loop.
const loopTimes = 3

// made is a call of a thread.
type made struct {
	id     model.CallID
	same   string // tool and arguments
	alike  string // the same without numbers
	failed bool
}

var digits = regexp.MustCompile(`[0-9]+`)

// Loops returns the loops of a selection of a conversation: equal consecutive calls, two
// alternating calls, and repeated failing calls that differ only in numbers.
func Loops(ctx context.Context, sel query.Selection, path string) ([]Loop, error) {
	if sel.Len() == 0 {
		return nil, nil
	}
	snap := sel.Snap
	pairs, picked := query.NewPairs(snap), query.NewRowSet(snap, sel.IDs)
	threads := map[uint32][]made{}
	var order []uint32
	for i := range snap.CallCount() {
		c := snap.Call(model.CallID(i))
		if c.Msg == model.NoID || !snap.Counted(c) || !picked.Has(c.Msg) {
			continue
		}
		read, err := pairs.Read(ctx, model.CallID(i))
		if err != nil {
			return nil, err
		}
		same := query.ToolName(snap, c) + "\x00"
		if read.Call != nil {
			same += read.Call.Text
		}
		thread := uint32(snap.HeadRow(c.Msg).Thread)
		if threads[thread] == nil {
			order = append(order, thread)
		}
		threads[thread] = append(threads[thread], made{model.CallID(i), same, digits.ReplaceAllString(same, "#"), c.Outcome.Failed()})
	}
	words, place := describe.NewDescriber(snap.Session(sel.IDs[0])), places(sel)
	var list []Loop
	for _, thread := range order {
		calls := threads[thread]
		for at := 0; at < len(calls); {
			kind, n, times := loopAt(calls[at:])
			if n == 0 {
				at++
				continue
			}
			read, err := pairs.Read(ctx, calls[at].id)
			if err != nil {
				return list, err
			}
			line := words.Row(&read)
			list = append(list, Loop{
				kind, path, place(snap.Call(calls[at].id).Msg), place(snap.Call(calls[at+n-1].id).Msg), times,
				strings.TrimSpace(line.Word + " " + line.About),
			})
			at += n
		}
	}
	slices.SortStableFunc(list, func(x, y Loop) int { return x.From - y.From })
	return list, nil
}

// loopAt returns the loop that begins with a call: its number of calls and repetitions; 0 if there
// is none.
func loopAt(calls []made) (kind string, n, times int) {
	run := func(equal func(i int) bool) int {
		i := 1
		for i < len(calls) && equal(i) {
			i++
		}
		return i
	}
	if n = run(func(i int) bool { return calls[i].same == calls[0].same }); n >= loopTimes {
		return "repeat", n, n
	}
	if len(calls) > 1 && calls[1].same != calls[0].same {
		if n = run(func(i int) bool { return i < 2 || calls[i].same == calls[i-2].same }); n >= 2*loopTimes {
			n -= n % 2
			return "alternation", n, n / 2
		}
	}
	if n = run(func(i int) bool { return calls[i-1].failed && calls[i].alike == calls[0].alike }); n >= loopTimes {
		return "retry", n, n
	}
	return "", 0, 0
}

// LoopColumns returns the columns of a table of loops; name returns the name of a session.
func LoopColumns(name func(path string) string) []answer.Column[*Loop] {
	type column = answer.Column[*Loop]
	from := func(l *Loop) int { return l.From }
	return []column{
		answer.Texts(column{Name: "kind", Head: "kind", Width: 11}, func(l *Loop) string { return l.Kind }),
		answer.Counts(column{Name: "times", Head: "times", Width: 5, Gap: 2}, answer.Plain, func(l *Loop) int { return l.Times }),
		answer.Texts(column{Name: "what", Head: "what", Room: 70, Width: 20, Gap: 2, Flex: 2}, func(l *Loop) string { return l.About }),
		answer.Texts(column{Name: "session", Head: "session", Width: 16, Gap: 2, Flex: 1, Drop: 2}, func(l *Loop) string { return name(l.Path) }),
		answer.Counts(column{Name: "at", Head: "at", Width: 6, Gap: 2, Drop: 1, Asc: true}, answer.Plain, from),
		{Name: "where", Head: "where", Kind: answer.Path, Cell: func(l *Loop) answer.Cell { return answer.Cell{Text: fmt.Sprintf("%s --at %d", l.Path, l.From)} }},
	}
}

// LoopsDoc describes loops.
func LoopsDoc(loops []Loop) *answer.Doc {
	columns := answer.Pick(LoopColumns(func(path string) string { return path }), "kind", "times", "what", "where")
	return &answer.Doc{Sections: []answer.Section{{Table: answer.OfList(columns, loops)}}}
}
