package export

import (
	"cmp"
	"context"

	"turns/model"
	"turns/query"
	"turns/query/redact"
)

// Secret is the place of a secret, without its value.
type Secret struct {
	Index int      `json:"index"` // position of the message
	Where string   `json:"where"` // "text", "reasoning", "arguments of Bash", "result of Bash"
	Rule  string   `json:"rule"`  // kind of the secret
	Count int      `json:"count"`
	ID    model.ID `json:"-"`
}

// Secrets finds the places of secrets, in the order of the messages.
func Secrets(ctx context.Context, sel query.Selection) ([]Secret, error) {
	find := redact.New()
	var list []Secret
	for _, id := range sel.IDs {
		m, err := sel.Snap.Body(ctx, id)
		if err != nil {
			return nil, err
		}
		for i := range m.Blocks {
			from := len(list)
			for _, f := range find.Find([]byte(m.Blocks[i].Text)) {
				list = addSecret(list, from, Secret{Index: m.Pos, Where: placeOf(&m.Blocks[i]), Rule: f.Rule, Count: 1, ID: id})
			}
		}
	}
	return list, nil
}

// addSecret adds a secret, or counts it with one of the same kind in the same place.
func addSecret(list []Secret, from int, s Secret) []Secret {
	for i := from; i < len(list); i++ {
		if list[i].Rule == s.Rule {
			list[i].Count++
			return list
		}
	}
	return append(list, s)
}

func placeOf(c *model.Content) string {
	switch c.Kind {
	case model.ToolCall:
		return "arguments of " + cmp.Or(c.Name, "a call")
	case model.ToolResult:
		if c.Name == "" {
			return "result"
		}
		return "result of " + c.Name
	}
	return c.Kind.String()
}
