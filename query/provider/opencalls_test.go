package provider

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// heaps are conversations of n calls or results that are all unanswered, or all answered together.
func heaps() map[string]func(n int) []Wire {
	call := func(i int) WireBlock { return callBlock(fmt.Sprint("c", i), "f", "{}") }
	result := func(i int) WireBlock { return resultBlockOf(fmt.Sprint("c", i), "x") }
	each := func(msgs []Wire, n int, role model.Role, block func(int) WireBlock) []Wire {
		for i := range n {
			msgs = append(msgs, wire(len(msgs), role, block(i)))
		}
		return msgs
	}
	all := func(index int, role model.Role, n int, block func(int) WireBlock) Wire {
		m := wire(index, role)
		for i := range n {
			m.Blocks = append(m.Blocks, block(i))
		}
		return m
	}
	return map[string]func(n int) []Wire{
		"unanswered": func(n int) []Wire { return each(nil, n, model.Assistant, call) },
		"orphans":    func(n int) []Wire { return each(nil, n, model.Tool, result) },
		"one id": func(n int) []Wire {
			return each(nil, n, model.Assistant, func(int) WireBlock { return callBlock("c", "f", "{}") })
		},
		"one id in one message": func(n int) []Wire {
			return []Wire{all(0, model.Assistant, n, func(int) WireBlock { return callBlock("c", "f", "{}") })}
		},
		"answered at the end": func(n int) []Wire {
			return each(each(nil, n, model.Assistant, call), n, model.Tool, result)
		},
		"answered at the end, backwards": func(n int) []Wire {
			return each(each(nil, n, model.Assistant, call), n, model.Tool, func(i int) WireBlock { return result(n - 1 - i) })
		},
		"answered before": func(n int) []Wire {
			return each(each(nil, n, model.Tool, result), n, model.Assistant, call)
		},
		"one message": func(n int) []Wire {
			return []Wire{all(0, model.Assistant, n, call), all(1, model.User, n, result)}
		},
		"without ids": func(n int) []Wire {
			return each(each(nil, n, model.Assistant, func(int) WireBlock { return callBlock("", "f", "{}") }),
				n, model.Tool, func(int) WireBlock { return resultBlockOf("", "x") })
		},
		"without ids, by name": func(n int) []Wire {
			names := []string{"f", "g", "h"}
			return each(each(nil, n, model.Assistant, func(i int) WireBlock { return callBlock("", names[i%3], "{}") }),
				n, model.Tool, func(i int) WireBlock {
					b := resultBlockOf("", "x")
					b.Name = names[i%2]
					return b
				})
		},
		"one speaker": func(n int) []Wire {
			return each(nil, n, model.User, func(int) WireBlock { return sayBlock("hi") })
		},
	}
}

// TestPairingIsLinear: eight times as many calls, results or messages cost about eight times as
// much: visited open calls, allocations, and their bytes.
func TestPairingIsLinear(t *testing.T) {
	modeltest.Long(t, "it pairs many thousands of calls")
	const small, times = 500, 8
	for name, heap := range heaps() {
		t.Run(name, func(t *testing.T) {
			for what, work := range map[string]func([]Wire) int{
				"check":  func(msgs []Wire) int { return checkWork(msgs, providers) },
				"repair": func(msgs []Wire) int { Repair(msgs, providerNamed(t, "anthropic"), RepairOptions{}); return 0 },
				"pairs":  func(msgs []Wire) int { pairWire(msgs); return 0 },
			} {
				few, many := measure(work, heap(small)), measure(work, heap(small*times))
				for i, unit := range []string{"looks", "allocations", "bytes"} {
					if float64(many[i]) > 2*times*float64(few[i])+times {
						t.Errorf("%s: %d %s for %d, %d for %d", what, few[i], unit, small, many[i], small*times)
					}
				}
			}
		})
	}
}

func checkWork(msgs []Wire, rules []Provider) int {
	c := newChecker(rules)
	for i := range msgs {
		c.add(&msgs[i])
	}
	c.finish()
	return c.open.steps
}

// measure returns the steps that work counts, its allocations and their bytes.
func measure(work func([]Wire) int, msgs []Wire) [3]int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	steps := work(msgs)
	runtime.ReadMemStats(&after)
	return [3]int{steps, int(after.Mallocs - before.Mallocs), int(after.TotalAlloc - before.TotalAlloc)}
}

// TestOpenCallsFindTheNearest compares with a search through all open calls.
func TestOpenCallsFindTheNearest(t *testing.T) {
	type waiting struct {
		n, turn  int
		id, name string
	}
	r := rand.New(rand.NewPCG(7, 8))
	words := []string{"", "", "a", "b", "c"}
	for range 2000 {
		open := newOpenCalls()
		var list []waiting
		made, turn := 0, 0
		for range r.IntN(40) {
			id, name := words[r.IntN(len(words))], words[r.IntN(len(words))]
			turn += r.IntN(2)
			if r.IntN(2) == 0 {
				open.add(turn, id, name)
				list = append(list, waiting{made, turn, id, name})
				made++
				continue
			}
			b := resultBlockOf(id, "x")
			b.Name = name
			best, hasName := -1, false
			for i := len(list) - 1; i >= 0; i-- {
				if best >= 0 && list[i].turn != list[best].turn {
					break
				}
				named := name != "" && list[i].name == name
				if id != "" && list[i].id == id && (named || !hasName) || id == "" && (name == "" || named) {
					best, hasName = i, named
				}
			}
			want := -1
			if best >= 0 {
				want = list[best].n
				list = append(list[:best], list[best+1:]...)
			}
			if got := open.answer(&b); got != want {
				t.Fatalf("a result of %q, %q answers call %d, want %d", id, name, got, want)
			}
		}
	}
}
