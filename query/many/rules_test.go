package many

import (
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/lang"
	"turns/query/querytest"
)

// TestLimitsNameTheirNumbers: each number with a maximum has a noun.
func TestLimitsNameTheirNumbers(t *testing.T) {
	for number, want := range map[Number]string{
		Errors: "2 errors", Calls: "2 calls", Turns: "2 turns", Messages: "2 messages", Pending: "2 pending calls", Denied: "2 denied calls",
	} {
		for limit, keeps := range map[int64]kept{1: violated, 2: respected} {
			run := &Run{}
			run.N[number] = 2
			said, got := (&Limit{Number: number, Max: limit}).keeps(run)
			if said != want || got != keeps {
				t.Errorf("at most %d: %q, %v, want %q, %v", limit, said, got, want, keeps)
			}
		}
	}
	if got := human.Plural(1, limitWords[Pending]); got != "1 pending call" {
		t.Errorf("one is %q", got)
	}
}

// TestLimitsOfCost: a limit of the cost is unknown if unpriced responses could decide it.
func TestLimitsOfCost(t *testing.T) {
	for _, c := range []struct {
		limit               string
		responses, unpriced int64
		dollars             float64
		want                string
		keeps               kept
	}{
		{"cost:<5", 0, 0, 0, "its cost is not known", unknown},
		{"cost:<5", 2, 0, 0, "it cost $0.00", respected},
		{"cost:<5", 2, 1, 0, "its cost is not known: 1 response without a price", unknown},
		{"cost:<5", 2, 0, 2, "it cost $2.00", respected},
		{"cost:<5", 2, 1, 2, "it cost $2.00, and 1 response has no price", unknown},
		{"cost:<1", 4, 3, 2, "it cost $2.00", violated},
		{"cost:>1", 4, 3, 2, "it cost $2.00, and 3 responses have no price", unknown},
		{"cost:>5", 4, 3, 2, "it cost $2.00, and 3 responses have no price", unknown},
		{"cost:>=5", 4, 3, 2, "it cost $2.00, and 3 responses have no price", unknown},
		{"cost:>5", 4, 0, 2, "it cost $2.00", violated},
	} {
		f, err := lang.Parse(c.limit)
		if err != nil {
			t.Fatal(err)
		}
		run := &Run{Part: Part{Sums: Sums{Dollars: c.dollars}}}
		run.N[Responses], run.N[Unpriced] = c.responses, c.unpriced
		said, keeps := (&Limit{Cost: true, Term: f.Root().(*lang.Term)}).keeps(run)
		if said != c.want || keeps != c.keeps {
			t.Errorf("%s for $%v of %d responses, %d unpriced: %q, %v, want %q, %v", c.limit, c.dollars, c.responses, c.unpriced, said, keeps, c.want, c.keeps)
		}
	}
	f, err := lang.Parse("dur:<5s")
	if err != nil {
		t.Fatal(err)
	}
	run, limit := &Run{}, &Limit{Number: Took, Term: f.Root().(*lang.Term)}
	if said, keeps := limit.keeps(run); said != "its duration is not known" || keeps != unknown {
		t.Errorf("without times: %q, %v", said, keeps)
	}
	run.Add(Took, 4999)
	if said, keeps := limit.keeps(run); said != "it took 5.0s" || keeps != respected {
		t.Errorf("just below five seconds: %q, %v", said, keeps)
	}
}

// TestErrorsAreRed: a number of errors above zero is red, other numbers are not.
func TestErrorsAreRed(t *testing.T) {
	g := &Group{}
	g.Add(Errors, 0)
	g.Add(Calls, 3)
	tone := func(n Number) answer.Tone { return sum(n, "", "", human.Count[int64]).Cell(g).Tone }
	if tone(Errors) == answer.Bad || tone(Calls) == answer.Bad {
		t.Error("no errors and three calls are red")
	}
	if g.Add(Errors, 1); tone(Errors) != answer.Bad {
		t.Error("an error is not red")
	}
}

// TestToolsOfSubagents: the calls of subagents count with those of the session.
func TestToolsOfSubagents(t *testing.T) {
	part := func(key string, calls int64) Part {
		p := Part{Key: key}
		p.Add(Calls, calls)
		return p
	}
	r := &Run{Tools: []Part{part("Bash", 2)}, AgentTools: []Part{part("Bash", 3), part("Read", 4)}}
	got := map[string]int64{}
	for _, p := range r.AllTools() {
		got[p.Key] = p.N[Calls]
	}
	if got["Bash"] != 5 || got["Read"] != 4 || r.Tools[0].N[Calls] != 2 {
		t.Errorf("all calls are %v, those of the session %d", got, r.Tools[0].N[Calls])
	}
}

// TestPlacesInOneSession: a message of a file with several sessions has its position in its own.
func TestPlacesInOneSession(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Sessions = make([]model.Session, 2)
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Main: true, Session: 1})
	for _, thread := range []uint32{0, 1, 0, 1} {
		g.Add(model.Head{Op: model.Say, Thread: thread})
	}
	at := places(query.Selection{Snap: g.Snapshot(), IDs: []model.ID{1}})
	for id, want := range []int{-1, 0, -1, 1} {
		if got := at(model.ID(id)); got != want {
			t.Errorf("message %d is at %d, want %d", id, got, want)
		}
	}
}

// TestRepository: commits and pull requests come from the notes of a session, each once, and not
// from inherited ones.
func TestRepository(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Names = append(g.Ix.Names, "session_meta")
	texts := querytest.Texts{}
	note := func(op model.Op, flags model.Flags, name uint16, commit string) {
		id := g.Add(model.Head{Op: op, Flags: flags, Name: name})
		texts[id] = model.Message{Records: []model.RecordText{{Data: []byte(`{"payload":{"git":{"commit_hash":"` + commit + `"}}}`)}}}
	}
	note(model.Note, 0, 3, "a1")
	note(model.Note, 0, 3, "a1")
	note(model.Note, 0, 3, "")
	note(model.Note, model.Inherited, 3, "b2")
	note(model.Note, 0, 1, "c3")
	note(model.Say, 0, 3, "d4")
	note(model.Note, 0, 3, "e5")
	commits, pulls, err := repository(t.Context(), model.NewSnapshot(g.Ix, texts))
	if err != nil || len(commits) != 2 || commits[0] != "a1" || commits[1] != "e5" || len(pulls) != 0 {
		t.Errorf("commits %v, pull requests %v, %v, want a1 and e5", commits, pulls, err)
	}
}
