package provider

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
	"turns/query"
)

func sayBlock(text string) WireBlock {
	return WireBlock{Content: model.Content{Kind: model.Words, Text: text}}
}

func callBlock(id, name, args string) WireBlock {
	return WireBlock{Content: model.Content{Kind: model.ToolCall, ID: id, Name: name, Text: args, JSON: true}}
}

func resultBlockOf(id, text string) WireBlock {
	return WireBlock{Content: model.Content{Kind: model.ToolResult, ID: id, Text: text}}
}

func pictureBlock(data string) WireBlock {
	b := WireBlock{Content: model.Content{Kind: model.Media, Name: "image", Text: data}}
	b.File = AttachmentOf(&b.Content)
	return b
}

func pictured(b WireBlock, data string) WireBlock {
	b.Media = append(b.Media, pictureBlock(data))
	return b
}

func wire(index int, role model.Role, blocks ...WireBlock) Wire {
	return Wire{ID: model.ID(index), Index: index, Role: role, Blocks: blocks}
}

// wireText formats a sequence for comparison.
func wireText(msgs []Wire) string {
	var texts []string
	for _, m := range msgs {
		texts = append(texts, m.String())
	}
	return strings.Join(texts, " ")
}

func providerNamed(t testing.TB, name string) Provider {
	t.Helper()
	p, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRepair(t *testing.T) {
	u, a, tool := model.User, model.Assistant, model.Tool
	for _, tt := range []struct {
		name, provider, want string
		in                   []Wire
		frontier             bool
	}{
		{name: "whole", provider: "openai", want: "user[hi] assistant[call:a call:b] tool[result:a] tool[result:b] assistant[done]",
			in: []Wire{wire(0, u, sayBlock("hi")), wire(1, a, callBlock("a", "f", "{}"), callBlock("b", "f", "{}")), wire(2, tool, resultBlockOf("a", "1")), wire(3, tool, resultBlockOf("b", "2")), wire(4, a, sayBlock("done"))}},
		{name: "parallel calls stay in one message", provider: "anthropic", want: "user[hi] assistant[call:a call:b] user[result:a result:b more]",
			in: []Wire{wire(0, u, sayBlock("hi")), wire(1, a, callBlock("a", "f", "{}"), callBlock("b", "f", "{}")), wire(2, tool, resultBlockOf("b", "2")), wire(3, tool, resultBlockOf("a", "1")), wire(4, u, sayBlock("more"))}},
		{name: "parallel calls in messages of their own", provider: "openai", want: "user[hi] assistant[call:a call:b] tool[result:a] tool[result:b]",
			in: []Wire{wire(0, u, sayBlock("hi")), wire(1, a, callBlock("a", "f", "{}")), wire(2, a, callBlock("b", "f", "{}")), wire(3, tool, resultBlockOf("a", "1")), wire(4, tool, resultBlockOf("b", "2"))}},
		{name: "interrupted", provider: "openai", want: "user[hi] assistant[call:a] tool[result:a!] user[again]",
			in: []Wire{wire(0, u, sayBlock("hi")), wire(1, a, callBlock("a", "f", "{}")), wire(2, u, sayBlock("again"))}},
		{name: "frontier", provider: "pydantic-ai", want: "user[hi] assistant[call:a]", frontier: true,
			in: []Wire{wire(0, u, sayBlock("hi")), wire(1, a, callBlock("a", "f", "{}"))}},
		{name: "frontier with one result is completed", provider: "pydantic-ai", want: "user[hi] assistant[call:a call:b] tool[result:a result:b!]", frontier: true,
			in: []Wire{wire(0, u, sayBlock("hi")), wire(1, a, callBlock("a", "f", "{}"), callBlock("b", "f", "{}")), wire(2, tool, resultBlockOf("a", "1"))}},
		{name: "orphan", provider: "openai", want: "user[hi] assistant[done]",
			in: []Wire{wire(0, u, sayBlock("hi")), wire(1, tool, resultBlockOf("x", "1")), wire(2, a, sayBlock("done"))}},
		{name: "result before call", provider: "openai", want: "user[hi] assistant[call:a] tool[result:a]",
			in: []Wire{wire(0, u, sayBlock("hi")), wire(1, tool, resultBlockOf("a", "1")), wire(2, a, callBlock("a", "f", "{}"))}},
		{name: "late result", provider: "openai", want: "assistant[call:a] tool[result:a] user[hm]",
			in: []Wire{wire(0, a, callBlock("a", "f", "{}")), wire(1, u, sayBlock("hm")), wire(2, tool, resultBlockOf("a", "1"))}},
		{name: "without ids", provider: "openai", want: "assistant[call:call_0_0 call:call_0_1] tool[result:call_0_0] tool[result:call_0_1]",
			in: []Wire{wire(0, a, callBlock("", "f", "{}"), callBlock("", "f", "{}")), wire(1, tool, resultBlockOf("", "1")), wire(2, tool, resultBlockOf("", "2"))}},
		{name: "reused ids", provider: "anthropic", want: "user[hi] assistant[call:a] user[result:a] assistant[call:a_2] user[result:a_2]",
			in: []Wire{wire(0, u, sayBlock("hi")), wire(1, a, callBlock("a", "f", "{}")), wire(2, tool, resultBlockOf("a", "1")), wire(3, a, callBlock("a", "f", "{}")), wire(4, tool, resultBlockOf("a", "2"))}},
		{name: "reused ids where they may be", provider: "openai", want: "assistant[call:a] tool[result:a] assistant[call:a] tool[result:a]",
			in: []Wire{wire(0, a, callBlock("a", "f", "{}")), wire(1, tool, resultBlockOf("a", "1")), wire(2, a, callBlock("a", "f", "{}")), wire(3, tool, resultBlockOf("a", "2"))}},
		{name: "the user comes first, neighbours are joined", provider: "bedrock", want: "user[" + opening + "] assistant[a b] user[c d]",
			in: []Wire{wire(0, a, sayBlock("a")), wire(1, a, sayBlock("b")), wire(2, u, sayBlock("c")), wire(3, u, sayBlock("d"))}},
		{name: "a message that goes on after its results", provider: "openai", want: "assistant[one call:a] tool[result:a] assistant[two]",
			in: []Wire{wire(0, a, sayBlock("one"), callBlock("a", "f", "{}"), resultBlockOf("a", "1"), sayBlock("two"))}},
		{name: "the same inline", provider: "vercel-ui", want: "assistant[one call:a two]",
			in: []Wire{wire(0, a, sayBlock("one"), callBlock("a", "f", "{}"), resultBlockOf("a", "1"), sayBlock("two"))}},
		{name: "late system message", provider: "anthropic", want: "system[s] user[u t]",
			in: []Wire{wire(0, model.System, sayBlock("s")), wire(1, u, sayBlock("u")), wire(2, model.System, sayBlock("t"))}},
		{name: "unknown role and nothing", provider: "openai", want: "user[who]",
			in: []Wire{wire(0, model.Other, sayBlock("who")), wire(1, a)}},
		{name: "what was said after the call stays after its result", provider: "openai", want: "user[q] assistant[call:a] tool[result:a] assistant[answer]",
			in: []Wire{wire(0, u, sayBlock("q")), wire(1, a, callBlock("a", "f", "{}")), wire(2, a, sayBlock("answer")), wire(3, tool, resultBlockOf("a", "1"))}},
		{name: "an image of a result stands behind the results", provider: "openai", want: "user[u] assistant[call:a call:b] tool[result:a] tool[result:b] user[(from the result of a) iVBORw0KGgo=]",
			in: []Wire{wire(0, u, sayBlock("u")), wire(1, a, callBlock("a", "f", "{}"), callBlock("b", "f", "{}")), wire(2, tool, pictured(resultBlockOf("a", "1"), "iVBORw0KGgo=")), wire(3, tool, resultBlockOf("b", "2"))}},
		{name: "a path is no image", provider: "openai", want: "user[u (image demo/1.jpg was here; it is not included)]",
			in: []Wire{wire(0, u, sayBlock("u"), pictureBlock("demo/1.jpg"))}},
		{name: "ids that the provider refuses", provider: "anthropic", want: "user[u] assistant[call:a_b] user[result:a_b]",
			in: []Wire{wire(0, u, sayBlock("u")), wire(1, a, callBlock("a:b", "f", "{}")), wire(2, tool, resultBlockOf("a:b", "1"))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := Repair(tt.in, providerNamed(t, tt.provider), RepairOptions{Frontier: tt.frontier})
			if wireText(got) != tt.want {
				t.Errorf("got  %s\nwant %s", wireText(got), tt.want)
			}
		})
	}
}

func TestRepairArguments(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"a":1}`, `{"a":1}`}, {``, `{}`}, {`oops`, `{"raw_arguments":"oops"}`}, {`[1]`, `{"raw_arguments":"[1]"}`}, {`"{\"a\":1}"`, `{"a":1}`},
	} {
		got, _ := Repair([]Wire{wire(0, model.User, sayBlock("u")), wire(1, model.Assistant, callBlock("a", "f", tt.in))}, providerNamed(t, "anthropic"), RepairOptions{})
		if text := got[1].Blocks[0].Text; text != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, text, tt.want)
		}
	}
}

// wireConversation returns a random conversation with every kind of damage found in transcripts.
func wireConversation(r *rand.Rand) []Wire {
	var msgs []Wire
	var ids []string
	roles := []model.Role{model.User, model.Assistant, model.Tool, model.System, model.Other, model.Assistant, model.Tool}
	id := func() string {
		return []string{"", "a", "b", "call 1", strings.Repeat("x", 70), fmt.Sprint("c", r.IntN(1000))}[r.IntN(6)]
	}
	for i := range r.IntN(12) {
		m := wire(i, roles[r.IntN(len(roles))])
		for k := range r.IntN(4) {
			text := fmt.Sprintf("w%d.%d", i, k)
			switch n := r.IntN(8); {
			case n == 0:
				m.Blocks = append(m.Blocks, sayBlock(" "))
			case n == 1:
				m.Blocks = append(m.Blocks, WireBlock{Content: model.Content{Kind: model.Reasoning, Text: text}, Signed: r.IntN(2) == 0})
			case n <= 4 && m.Role != model.Tool && m.Role != model.User:
				call := id()
				ids = append(ids, call)
				m.Blocks = append(m.Blocks, callBlock(call, []string{"f", "", "g.h", "ü"}[r.IntN(4)], []string{"{}", "", "nope", `{"a":1}`, `"{}"`}[r.IntN(5)]))
			case n <= 6 && len(ids) > 0:
				m.Blocks = append(m.Blocks, resultBlockOf(ids[r.IntN(len(ids))], text))
			default:
				m.Blocks = append(m.Blocks, sayBlock(text))
			}
		}
		msgs = append(msgs, m)
	}
	return msgs
}

func textsOf(msgs []Wire, kind model.BlockKind) (texts []string) {
	for i := range msgs {
		for k := range msgs[i].Blocks {
			if b := &msgs[i].Blocks[k]; b.Kind == kind && strings.HasPrefix(b.Text, "w") {
				texts = append(texts, b.Text)
			}
		}
	}
	return texts
}

func TestRepairProperties(t *testing.T) {
	for seed := range uint64(modeltest.Fewer(4000, 400)) {
		in := wireConversation(rand.New(rand.NewPCG(seed, 7)))
		before := wireText(in)
		for _, p := range All() {
			opts := RepairOptions{Frontier: p.Frontier}
			out, _ := Repair(in, p, opts)
			if wireText(in) != before {
				t.Fatalf("seed %d, %s: the input was changed", seed, p.Name)
			}
			if problems := CheckWire(out, p); len(problems) > 0 && !p.Record {
				t.Fatalf("seed %d, %s: %+v\nin  %s\nout %s", seed, p.Name, problems[0], before, wireText(out))
			}
			again, _ := Repair(out, p, opts)
			if !reflect.DeepEqual(again, out) && wireText(again) != wireText(out) {
				t.Fatalf("seed %d, %s: not the same again\nin    %s\nout   %s\nagain %s", seed, p.Name, before, wireText(out), wireText(again))
			}
			if got, want := textsOf(out, model.Words), textsOf(in, model.Words); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: words %v, want %v", seed, p.Name, got, want)
			}
			pairsWhole(t, seed, p, out)
		}
	}
}

// pairsWhole fails if the result of a call is neither in the next message nor in its own.
func pairsWhole(t *testing.T, seed uint64, p Provider, out []Wire) {
	t.Helper()
	for i := range out {
		var want, got []string
		for k := range out[i].Blocks {
			if b := &out[i].Blocks[k]; b.Kind == model.ToolCall && p.Results != ResultInline {
				want = append(want, b.ID)
			}
		}
		for j := i + 1; j < len(out) && len(got) < len(want); j++ {
			for k := range out[j].Blocks {
				if b := &out[j].Blocks[k]; b.Kind == model.ToolResult {
					got = append(got, b.ID)
				}
			}
		}
		if last := i == len(out)-1; !slices.Equal(got, want) && (!last || !p.Frontier) {
			t.Fatalf("seed %d, %s: calls %v, results %v in %s", seed, p.Name, want, got, wireText(out))
		}
	}
}

func TestCheck(t *testing.T) {
	content := func(kind model.BlockKind, id, name, text string) model.Content {
		return model.Content{Kind: kind, ID: id, Name: name, Text: text}
	}
	snap := model.FromMessages([]model.Message{
		{Role: model.Assistant, Blocks: []model.Content{content(model.ToolCall, "a", "f", "{}"), content(model.ToolCall, "a", "f", ""), content(model.ToolCall, "", "g h", "nope")}},
		{Role: model.Tool, Blocks: []model.Content{content(model.ToolResult, "a", "", "1")}},
		{Role: model.Other, Blocks: []model.Content{content(model.Words, "", "", "?")}},
		{Role: model.Tool, Blocks: []model.Content{content(model.ToolResult, "z", "", "1")}},
		{Role: model.Assistant},
		{Role: model.Assistant, Blocks: []model.Content{content(model.ToolCall, "b", "f", "{}")}},
	})
	problems, err := Check(context.Background(), query.Everything(snap))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range problems {
		got = append(got, fmt.Sprintf("%d %s %s", problems[i].Index, problems[i].Code, problems[i].ID))
	}
	want := []string{"-1 no-tools ", "-1 trailing-answer ", "0 first-message ", "0 duplicate-id a", "0 empty-arguments a", "0 missing-id ", "0 invalid-name ", "0 invalid-arguments ",
		"0 no-result a", "0 no-result ", "1 unnamed-result a", "2 unknown-role ", "3 orphan-result z", "4 empty-message ", "5 waiting b"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestCheckMediaOfResults: results with pictures answer calls in any order.
func TestCheckMediaOfResults(t *testing.T) {
	call := func(id string) model.Content {
		return model.Content{Kind: model.ToolCall, ID: id, Name: "f", Text: "{}", JSON: true}
	}
	picture := func(id string) []model.Content {
		return []model.Content{{Kind: model.ToolResult, ID: id, Name: "f"}, {Kind: model.Media, ID: id, Name: "image/png", Text: "aGVsbG8="}}
	}
	snap := model.FromMessages([]model.Message{
		{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "Look."}}},
		{Role: model.Assistant, Blocks: []model.Content{call("a"), call("b")}},
		{Role: model.Tool, Blocks: picture("b")},
		{Role: model.Tool, Blocks: picture("a")},
	})
	problems, err := Check(context.Background(), query.Everything(snap))
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(problems, func(p Problem) bool { return p.Code == "late-result" }); i >= 0 {
		t.Errorf("message %d: %s", problems[i].Index, problems[i].Problem)
	}
}

// mends maps the problem codes of the check to the counts of a repair.
var mends = []struct {
	codes string
	count func(*RepairReport) int
}{
	{"no-result waiting", func(r *RepairReport) int { return r.Interrupted }},
	{"orphan-result", func(r *RepairReport) int { return r.Orphans }},
	{"missing-id", func(r *RepairReport) int { return r.MadeIDs }},
	{"invalid-id duplicate-id", func(r *RepairReport) int { return r.ChangedIDs }},
	{"invalid-name missing-name", func(r *RepairReport) int { return r.Names }},
	{"invalid-arguments", func(r *RepairReport) int { return r.Arguments }},
	{"empty-arguments", func(r *RepairReport) int { return r.NoArguments }},
	{"late-result result-before-call", func(r *RepairReport) int { return r.Moved }},
	{"first-message", func(r *RepairReport) int { return btoi(r.Opened) }},
	{"alternation", func(r *RepairReport) int { return r.Neighbours }},
	{"empty-message", func(r *RepairReport) int { return r.Empty }},
	{"unknown-role", func(r *RepairReport) int { return r.Roles }},
	{"late-system", func(r *RepairReport) int { return r.Systems }},
	{"results-inside", func(r *RepairReport) int { return r.Split }},
	{"reasoning", func(r *RepairReport) int { return r.Reasoning }},
	{"media", func(r *RepairReport) int { return r.Media }},
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestCheckAndRepairAgree: the repair changes exactly the problems that the check reports.
func TestCheckAndRepairAgree(t *testing.T) {
	for seed := range uint64(modeltest.Fewer(4000, 400)) {
		r := rand.New(rand.NewPCG(seed, 11))
		in := wireConversation(r)
		for i := range in {
			switch in[i].Role {
			case model.System, model.Other:
				in[i].Blocks = []WireBlock{sayBlock("s")}
			case model.User:
				in[i].Blocks = append(in[i].Blocks, sayBlock("u"))
			default:
				if in[i].Has(model.Reasoning) {
					in[i].Blocks = append(in[i].Blocks, sayBlock("a"))
				}
			}
			in[i].Blocks = slices.DeleteFunc(in[i].Blocks, func(b WireBlock) bool { return b.Kind == model.Words && blank(&b) })
			if r.IntN(6) == 0 {
				in[i].Blocks = append(in[i].Blocks, pictureBlock([]string{"iVBORw0KGgo=", "demo/1.jpg", "https://x.y/a"}[r.IntN(3)]))
			}
		}
		for _, p := range providers {
			if p.Record {
				continue
			}
			named := map[string]bool{}
			for _, problem := range CheckWire(in, p) {
				named[problem.Code] = true
			}
			_, report := Repair(in, p, RepairOptions{Frontier: p.Frontier})
			for _, m := range mends {
				said := slices.ContainsFunc(strings.Fields(m.codes), func(code string) bool { return named[code] })
				if !p.UniqueIDs && strings.Contains(m.codes, "duplicate-id") {
					continue // joined messages may repeat an id
				}
				if m.codes == "missing-id" && said {
					continue // a result without an id is paired by its position
				}
				n := m.count(&report)
				if n > 0 != said {
					t.Fatalf("seed %d, %s: %s: said %t, mended %d\n%s", seed, p.Name, m.codes, said, n, wireText(in))
				}
			}
		}
	}
}

// TestNamedOrphans: the report of a repair names ten results without a call, by their id or
// message.
func TestNamedOrphans(t *testing.T) {
	var r Repairer
	for i := range 11 {
		b := WireBlock{Content: model.Content{Kind: model.ToolResult, ID: fmt.Sprint("c", i)}}
		if i == 1 {
			b.ID = ""
		}
		if r.takes(&Wire{Index: i}, &b) {
			t.Errorf("result %d is accepted without its call", i)
		}
	}
	if want := "c0 message 1 c2 c3 c4 c5 c6 c7 c8 c9"; r.Report.Orphans != 11 || strings.Join(r.Report.OrphanIDs, " ") != want {
		t.Errorf("%d orphans: %q", r.Report.Orphans, r.Report.OrphanIDs)
	}
}
