package reading

import (
	"context"

	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// Conversation is a conversation to read, as JSON.
type Conversation struct {
	Version  int           `json:"version"`
	Passages []PassageJSON `json:"passages"`
}

// PassageJSON is a [Passage].
type PassageJSON struct {
	Kind  string           `json:"kind"`  // prompt, answer, work or error
	Index human.Index      `json:"index"` // of its first message
	Turn  human.Index      `json:"turn"`  // null before the first
	Time  human.Stamp      `json:"time"`
	Model human.TextOrNull `json:"model"` // of an answer
	Text  string           `json:"text"`  // Markdown of prompts and answers, one line of others
	Steps []string         `json:"steps"` // of work: a line for each reasoning and tool call
}

// String returns the name of the kind: "prompt", "answer", "work" or "error".
func (k Kind) String() string { return [...]string{"prompt", "answer", "work", "error"}[k] }

// NewConversation returns the passages of [Of] for JSON.
func NewConversation(ctx context.Context, view describe.View, turns *query.TurnIndex) (*Conversation, error) {
	a := &Conversation{Version: human.AnswerVersion, Passages: []PassageJSON{}}
	err := Of(ctx, view, turns, func(p Passage) error {
		a.Passages = append(a.Passages, PassageJSON{Kind: p.Kind.String(), Index: human.Index(view.Snap.Pos(p.ID)), Turn: human.Index(p.Turn),
			Time: human.Stamp(p.Time), Model: human.TextOrNull(p.Model), Text: p.Text, Steps: append([]string{}, p.Steps...)})
		return nil
	})
	return a, err
}
