package querytest

import (
	"bytes"
	"cmp"
	"context"

	"turns/model"
	"turns/query"
)

// Message returns a message with a text and, after it, the blocks.
func Message(role model.Role, text string, blocks ...model.Content) model.Message {
	m := model.Message{Role: role, Blocks: []model.Content{{Kind: model.Words, Text: text}}}
	m.Blocks = append(m.Blocks, blocks...)
	return m
}

// Null returns a message with only the blocks.
func Null(role model.Role, blocks ...model.Content) model.Message {
	return model.Message{Role: role, Blocks: blocks}
}

// Call returns the block of a call; args is JSON.
func Call(id, name, args string) model.Content {
	return model.Content{Kind: model.ToolCall, ID: id, Name: name, Text: args, JSON: true}
}

// Result returns the block of a result without an outcome.
func Result(id, text string) model.Content {
	return model.Content{Kind: model.ToolResult, ID: id, Text: text}
}

// Failed returns the block of the result of a failed call.
func Failed(id, text string) model.Content {
	c := Result(id, text)
	c.Outcome = model.Failure
	return c
}

// Thinks returns a block of reasoning.
func Thinks(text string) model.Content { return model.Content{Kind: model.Reasoning, Text: text} }

// Tool returns a message of the role tool with only results.
func Tool(blocks ...model.Content) model.Message { return Null(model.Tool, blocks...) }

const T0 = 1_770_842_500_000 // 2026-02-11T20:41:40Z

// At sets the times of messages, in seconds after t0.
func At(msgs []model.Message, seconds ...float64) []model.Message {
	for i, s := range seconds {
		msgs[i].Time = T0 + int64(s*1000)
	}
	return msgs
}

// Run returns a small session with all kinds of messages.
func Run() []model.Message {
	injected := Message(model.User, "<environment_context>cwd is /work/app</environment_context>")
	injected.Flags = model.Injected
	first := Message(model.Assistant, "I'll read the test first.", Thinks("The test sleeps."),
		Call("c1", "Read", `{"file_path":"/work/app/watch_test.go","offset":40,"limit":81}`),
		Call("c2", "Bash", `{"command":"cd /work/app && go test ./... 2>&1"}`))
	first.Model = "opus-4-6"
	first.Usage = &model.Usage{Input: 100, CacheRead: 0, CacheWrite: 900, Output: 50, Reasoning: 20, Cost: 0.25, HasCost: true}
	second := Message(model.Assistant, "Fixed **it**.\nAll good.")
	second.Model = "opus-4-6"
	second.Usage = &model.Usage{Input: 10, CacheRead: 1000, CacheWrite: 60, Output: 30, Reasoning: 0, Cost: 0.5, HasCost: true}
	third := Null(model.Assistant, Call("c3", "Bash", `{"command":"go vet ./..."}`))
	third.Model = "haiku-4-5"
	third.Usage = &model.Usage{Input: 5, CacheRead: -1, CacheWrite: -1, Output: 7, Reasoning: -1}
	return At([]model.Message{
		Message(model.System, "You are careful."), injected, Message(model.User, "Fix the flaky test"),
		first, Tool(Result("c1", "a\nb\nc\n")), Tool(Failed("c2", "Exit code 1\n./x.go:1:2: undefined: waitFor\n")),
		second, Message(model.User, "go on"), third, Tool(Result("c9", "late")),
	}, 0, 0, 1, 8, 9, 20, 25, 85, 90, 92)
}

// Words counts tokens as words.
type Words struct{}

// Count returns the number of words separated by white space.
func (Words) Count(text []byte) int { return len(bytes.Fields(text)) }

// WordCounter counts words as tokens, so that a test can predict the counts.
func WordCounter() *query.Counter {
	return &query.Counter{New: func() query.TokenCounter { return Words{} }, Encoding: "words"}
}

// Growing builds indexes of a growing conversation, as the stitcher does, for tests of incremental
// code.
type Growing struct {
	Ix model.Index
}

// NewGrowing begins an index of one conversation, without messages.
func NewGrowing() *Growing {
	g := &Growing{}
	g.Ix.Names = []string{"", "note", "Bash"}
	g.Ix.Threads = []model.Thread{{Main: true, Call: model.CallID(model.NoRow)}}
	g.Ix.Sessions = []model.Session{{}}
	return g
}

// Add appends a message and fills in its links to others.
func (g *Growing) Add(h model.Head) model.ID {
	h.Parent, h.LastPart, h.Usage = model.NoID, model.NoRow, model.NoRow
	h.LastCall = cmp.Or(h.LastCall, model.NoRow)
	id := model.ID(g.Ix.Heads.Append(h))
	if h.Op == model.Say {
		g.Ix.Live = append(g.Ix.Live, id)
	}
	return id
}

// Amend adds flags to a message, in the version of the next snapshot.
func (g *Growing) Amend(id model.ID, flags model.Flags) {
	g.Ix.Heads.Amend(int(id)).Flags |= flags
	g.Ix.Amended = append(g.Ix.Amended, model.Amendment{Version: g.Ix.Version + 1, ID: id})
}

// Snapshot returns the messages so far.
func (g *Growing) Snapshot() *model.Snapshot {
	g.Ix.Version++
	g.Ix.Grown = append(g.Ix.Grown, model.Growth{Version: g.Ix.Version, Rows: g.Ix.Heads.Len()})
	ix := g.Ix
	ix.Heads, ix.Calls = g.Ix.Heads.Snapshot(), g.Ix.Calls.Snapshot()
	ix.Live = ix.Live[:len(ix.Live):len(ix.Live)]
	return model.NewSnapshot(ix, nil)
}

// Flagged returns a message with additional flags.
func Flagged(m model.Message, f model.Flags) model.Message {
	m.Flags |= f
	return m
}

// Million returns a conversation of a million messages: prompts, responses with two calls, their
// results.
func Million(rows int) *model.Snapshot {
	g := NewGrowing()
	g.Ix.Names = []string{"", "opus", "Bash", "Read", "Edit"}
	for i := 0; g.Ix.Heads.Len() < rows; i++ {
		at := 1_770_000_000_000 + int64(i)*5_000
		if i%12 == 0 {
			g.Add(model.Head{Time: at, Role: model.User, Flags: model.Prompt | model.HasWords, Size: 80})
		}
		msg := model.ID(g.Ix.Heads.Len())
		last := model.NoRow
		for k := range 2 {
			last = uint32(g.Ix.Calls.Append(model.Call{
				Msg: msg, Result: msg + 1, Prev: last, PrevResult: last, Tool: uint16(2 + (i+k)%3), Took: uint32(i * 37 % 9000),
				Outcome: model.Success + model.Outcome(i%17/16), ArgsSize: 60, ResultSize: uint32(i % 5000),
			}))
		}
		g.Add(model.Head{Time: at + 2000, Role: model.Assistant, Name: 1, Flags: model.HasCalls, LastCall: last, Size: 200})
		g.Ix.Heads.Amend(int(msg)).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Input: 3, CacheRead: 9000, CacheWrite: 50, Output: 90, Reasoning: model.NoTokens}))
		g.Add(model.Head{Time: at + 4000, Role: model.Tool, Flags: model.HasResults, LastCall: last, Size: 3000})
	}
	return g.Snapshot()
}

// Texts reads messages of a growing index from a list.
type Texts map[model.ID]model.Message

// Body returns the message with that ID.
func (t Texts) Body(_ context.Context, _ *model.Snapshot, id model.ID) (*model.Message, error) {
	m := t[id]
	m.ID = id
	return &m, nil
}
