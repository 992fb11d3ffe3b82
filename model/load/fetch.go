package load

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// Fetch reads the text that a [model.Content] names in Elsewhere: the full result of a call from
// the server of the transcript, or an output that the agent wrote to a file in the transcript's
// folder. It refuses every other place that a transcript names.
func (c *Conversation) Fetch(ctx context.Context, elsewhere string) ([]byte, error) {
	return c.src.Fetch(ctx, elsewhere)
}

// FetchText returns the text of Fetch for people: the result in a server's answer, indented if it
// is JSON.
func (c *Conversation) FetchText(ctx context.Context, b *model.Content) (string, error) {
	data, err := c.Fetch(ctx, b.Elsewhere)
	if err != nil {
		return "", err
	}
	return fetchedText(data), nil
}

// resultKeys are the keys of the result in an answer.
var resultKeys = [...]string{"result", "content", "output"}

func fetchedText(data []byte) string {
	v := bytes.TrimSpace(data)
	if jsonspan.KindOf(v) == jsonspan.Object {
		for _, key := range resultKeys {
			if r := jsonspan.Get(v, key); len(r) > 0 && jsonspan.KindOf(r) != jsonspan.Null {
				v = r
				break
			}
		}
	}
	switch {
	case jsonspan.KindOf(v) == jsonspan.String && json.Valid(v):
		return model.ValueText(v).String()
	case jsonspan.KindOf(v) == jsonspan.Object, jsonspan.KindOf(v) == jsonspan.Array:
		var out bytes.Buffer
		if json.Indent(&out, v, "", "  ") == nil {
			return out.String()
		}
	}
	return strings.ToValidUTF8(string(data), "\ufffd")
}
