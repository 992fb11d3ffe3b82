package query_test

import (
	"context"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

func TestCountTokens(t *testing.T) {
	ctx := context.Background()
	sel := query.Everything(model.FromMessages(querytest.Run()))
	var last, total int64
	c := querytest.WordCounter()
	c.Workers = 3
	c.Progress = func(done, all int64) {
		if done < last {
			t.Errorf("progress went from %d to %d", last, done)
		}
		last, total = done, all
	}
	col, err := query.CountTokens(ctx, sel, c)
	if err != nil {
		t.Fatal(err)
	}
	if last != total || total == 0 {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	if !col.Covers(sel) {
		t.Error("not everything is counted")
	}
	m, ok := col.Message(3)
	if want := (query.TextTokens{Content: 5, Reasoning: 3, Calls: 2 + 1 + 7}); !ok || m != want {
		t.Errorf("message has %+v, want %+v", m, want)
	}
	if n, ok := col.Call(1); !ok || n != (query.CallTokens{8, 6}) {
		t.Errorf("call has %+v", n)
	}
	part, err := query.CountTokens(ctx, sel.Slice(query.SliceSpec{From: 3, To: 4, HasFrom: true, HasTo: true}), querytest.WordCounter())
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := part.Call(0); n != (query.CallTokens{2, 3}) {
		t.Errorf("call of a selected message has %+v", n)
	}
	if _, ok := part.Message(0); ok {
		t.Error("what is not selected is counted")
	}
	c.Column, c.Progress = part, nil
	more, err := query.CountTokens(ctx, sel, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range sel.IDs {
		x, _ := more.Message(id)
		y, _ := col.Message(id)
		if x != y {
			t.Errorf("message %d: %+v counted later, %+v at once", id, x, y)
		}
	}
	if _, ok := part.Message(0); ok {
		t.Error("counting more changed the column before")
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := query.CountTokens(gone, sel, querytest.WordCounter()); err == nil {
		t.Error("counting goes on when stopped")
	}
}

// TestTokensExtend: only changed messages are read and counted again.
func TestTokensExtend(t *testing.T) {
	ctx := context.Background()
	g := querytest.NewGrowing()
	bodies := querytest.Texts{}
	write := func(text string) model.ID {
		id := g.Add(model.Head{Role: model.Assistant, Flags: model.HasWords, Size: uint32(len(text))})
		bodies[id] = querytest.Message(model.Assistant, text)
		return id
	}
	shot := func() *model.Snapshot {
		s := g.Snapshot()
		ix := g.Ix
		ix.Heads, ix.Calls = g.Ix.Heads.Snapshot(), g.Ix.Calls.Snapshot()
		_ = s
		return model.NewSnapshot(ix, bodies)
	}
	a, b := write("one"), write("one two")
	first, err := query.CountTokens(ctx, query.Everything(shot()), querytest.WordCounter())
	if err != nil {
		t.Fatal(err)
	}
	bodies[a] = querytest.Message(model.Assistant, "nobody reads this again")
	g.Amend(b, model.HasReasoning)
	bodies[b] = querytest.Message(model.Assistant, "one two three")
	c := write("x")
	next := querytest.WordCounter()
	next.Column = first
	second, err := query.CountTokens(ctx, query.Everything(shot()), next)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		col  *query.TokenColumn
		id   model.ID
		want uint32
	}{{first, a, 1}, {first, b, 2}, {second, a, 1}, {second, b, 3}, {second, c, 1}} {
		if n, ok := x.col.Message(x.id); !ok || n.Content != x.want {
			t.Errorf("message %d has %+v, want %d", x.id, n, x.want)
		}
	}
	if _, ok := first.Message(c); ok {
		t.Error("the column before knows a later message")
	}
}

// TestTokensOfAHistory: the replacement history of a compaction counts by its texts, without names,
// IDs and encrypted content.
func TestTokensOfAHistory(t *testing.T) {
	const history = `[{"type":"message x","role":"user y","id":"m 1","content":[{"type":"input_text","text":"fix it now"}]},
		{"encrypted_content":"a b c d","n":7,"summary":["one two",null,true]}]`
	note := querytest.Null(model.User, model.Content{Kind: model.OtherBlock, Text: history, JSON: true})
	note.Op = model.Compact
	said := querytest.Null(model.Assistant, model.Content{Kind: model.OtherBlock, Text: history, JSON: true})
	s := model.FromMessages([]model.Message{note, said})
	all := query.Selection{Snap: s, IDs: []model.ID{0, 1}}
	col, err := query.CountTokens(t.Context(), all, querytest.WordCounter())
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range []uint32{3 + 2, 0} {
		if n, ok := col.Message(model.ID(id)); !ok || n.Content != want {
			t.Errorf("row %d has %+v, want %d", id, n, want)
		}
	}
}
