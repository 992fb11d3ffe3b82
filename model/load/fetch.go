package load

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// Fetch reads what a [model.Content] keeps Elsewhere: the full result of a call
// from the server that the transcript came from, or an output that was spilled to
// a file in the transcript's folder. Nothing else is ever read, whatever the
// transcript names.
func (c *Conversation) Fetch(ctx context.Context, elsewhere string) ([]byte, error) {
	return c.src.Fetch(ctx, elsewhere)
}

// FetchText is what Fetch reads as text for people: of a server's answer its
// result, indented where it is JSON.
func (c *Conversation) FetchText(ctx context.Context, b *model.Content) (string, error) {
	data, err := c.Fetch(ctx, b.Elsewhere)
	if err != nil {
		return "", err
	}
	return fetchedText(data), nil
}

// resultKeys are where an answer has the result itself.
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
