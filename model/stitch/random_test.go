package stitch

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// randomFact fills a fact with few different keys, ids and times, so that facts meet each other.
func randomFact(r *rand.Rand, f *model.Fact) {
	few := func(prefix string, n int) model.Key { // one of three is absent
		if r.IntN(3) == 0 {
			return 0
		}
		return key(fmt.Sprint(prefix, r.IntN(n)))
	}
	f.Role = []model.Role{model.User, model.Assistant, model.Tool, model.System}[r.IntN(4)]
	f.Key, f.Parent, f.Record = few("m", 12), few("m", 12), few("r", 30)
	if r.IntN(3) == 0 {
		f.Session = few("s", 2)
	}
	if r.IntN(4) == 0 {
		f.Thread = few("t", 3)
	}
	if r.IntN(2) == 0 {
		f.Span, f.Above = key(fmt.Sprint("x", r.IntN(6))), few("x", 6)
	}
	f.Target, f.By, f.Echo = few("m", 12), few("m", 12), 0
	if r.IntN(6) == 0 {
		f.Echo = key(fmt.Sprint("e", r.IntN(4)))
	}
	f.Seq, f.Time.Ms = int64(r.IntN(20)), int64(r.IntN(12))*1000
	if r.IntN(8) == 0 {
		f.Join = model.Join(r.IntN(int(model.Nested) + 1))
	}
	if r.IntN(12) == 0 {
		f.Name, f.N = model.StringText("done"), int64(r.IntN(4)-1)
	}
	if r.IntN(5) == 0 {
		f.Usage = model.Usage{Scope: model.Scope(r.IntN(int(model.Total) + 1)), Key: few("u", 4), Input: int64(r.IntN(50)), Output: int64(r.IntN(9))}
	}
	f.Outcome = model.Outcome(r.IntN(4))
	if f.Join == model.Nested {
		call(fmt.Sprint("c", r.IntN(8)), "Bash")(f)
	}
	for range r.IntN(3) {
		id := fmt.Sprint("c", r.IntN(8))
		switch r.IntN(3) {
		case 0:
			words([]string{"hi", "so it is", ""}[r.IntN(3)])(f)
		case 1:
			call(id, []string{"Bash", "Read", ""}[r.IntN(3)])(f)
		default:
			result(id, model.Outcome(r.IntN(4)))(f)
		}
		b := &f.Blocks[len(f.Blocks)-1]
		if r.IntN(4) == 0 {
			b.Key = few("b", 4)
		}
		if r.IntN(6) == 0 {
			b.Nesting, b.Within = model.Nesting(r.IntN(int(model.OfText)+1)), few("c", 8)
		}
		b.Leave, b.Again = r.IntN(10) == 0, r.IntN(10) == 0
	}
}

// randomTalk returns the batches of some random records.
func randomTalk(seed uint64, many int) (list []*Batch) {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the same facts in each run
	ops := []model.Op{model.Say, model.Say, model.Say, model.Say, model.Note, model.Reset, model.Rewind, model.Retract, model.Compact, model.Life, model.Leaf, model.Child, model.Meter, model.About, model.End}
	var facts model.Facts
	for i := range 40 {
		facts.Clear()
		for range 1 + r.IntN(2) {
			op := model.Say
			if r.IntN(2) == 0 {
				op = ops[r.IntN(len(ops))]
			}
			randomFact(r, facts.Add(op))
		}
		if i%many == 0 {
			list = append(list, NewBatch())
		}
		list[len(list)-1].Add(model.Ref{Off: int64(10 * i), Len: 10}, &facts)
	}
	return list
}

// TestRandom joins random facts in each order, one record at a time and seven: the conversation is
// the same. Each line of the golden file has the sizes of six conversations and a checksum, and
// those of one session of each, and of an index with limits.
func TestRandom(t *testing.T) {
	var lines strings.Builder
	for _, order := range []model.Order{model.Arrival, model.BySeq, model.ByTime, model.Tree} {
		for six := range uint64(2) {
			rows := [4]int{}
			var all strings.Builder
			for seed := 6 * six; seed < 6*six+6; seed++ {
				build := func(many int, set func(*Builder)) (*model.Snapshot, string) {
					b := New(order, seed%2 == 0, nil)
					set(b)
					for _, batch := range randomTalk(seed, many) {
						b.Apply(batch)
					}
					snap := b.Snapshot()
					return snap, allOf(snap)
				}
				for i, set := range []func(*Builder){
					func(*Builder) {}, func(b *Builder) { b.Only(0) }, func(b *Builder) { b.Only(1) }, func(b *Builder) { b.Bound(Bounds{Rows: 12, Cells: 90}) },
				} {
					one, text := build(1, set)
					if _, other := build(7, set); text != other {
						t.Errorf("order %d, seed %d, %d: other batches make another conversation: %s", order, seed, i, modeltest.FirstDifference(other, text))
					}
					rows[i] += one.Rows()
					all.WriteString(text)
				}
			}
			fmt.Fprintf(&lines, "order %d: %v rows, %08x\n", order, slices.Clone(rows[:]), crc32.ChecksumIEEE([]byte(all.String())))
		}
	}
	modeltest.Golden(t, "testdata/random.golden", lines.String())
}
