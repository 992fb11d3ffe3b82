package kit

import (
	"bytes"
	"encoding/json"
	"slices"

	"turns/model"
)

// Know sets the session of a message, and a key that identifies it when a later record repeats it:
// its speaker and content, and except for the assistant also its number.
func Know(f *model.Fact, session model.Key, n int) {
	place := int64(n)
	if f.Role == model.Assistant {
		place = 0
	}
	k := session.Join(model.HashNumber(f.Role.String(), place))
	if id := callID(f); id != nil { // the content next to a call may differ between repeats
		f.Session, f.Key, f.Join = session, k.With(id), model.Replace
		return
	}
	calls := slices.ContainsFunc(f.Blocks, func(b model.Block) bool { return b.Kind == model.ToolCall })
	for j := range f.Blocks {
		b := &f.Blocks[j]
		if b.Kind == model.Reasoning && calls {
			continue // histories leave it out
		}
		k = k.With([]byte{byte(b.Kind) + 1}).With(b.ID.Raw())
		text := b.Text.Raw()
		if b.Kind == model.ToolCall { // each record may space its arguments in another way
			k, text = k.With(b.Name.Raw()), compact(b.Text)
		}
		k = k.With(text)
	}
	f.Session, f.Key, f.Join = session, k, model.Replace
}

// compact returns the arguments of a call without the white space between JSON's tokens.
func compact(args model.Text) []byte {
	text := args.Append(nil)
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

// callID returns the id of an answer's first call; nil for messages without one.
func callID(f *model.Fact) []byte {
	for j := range f.Blocks {
		if b := &f.Blocks[j]; f.Role == model.Assistant && b.Kind == model.ToolCall && !b.ID.Empty() {
			return b.ID.Raw()
		}
	}
	return nil
}
