package shape

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query"
)

// listNames are the lists of a conversation whose elements are written as messages, and promptNames
// its system prompt, which is written as the first of them.
var (
	listNames   = [...]string{"messages", "legacy_messages", "transcript", "history", "events", "tool_calls", "reasoning_blocks"}
	promptNames = [...]string{"system", "system_prompt", "systemPrompt", "instructions"}
)

// keepsConversation reports whether the fields around the messages of a format are written with the
// first message. A list has no other place for them.
func keepsConversation(format string) bool {
	_, ok := inShape[format]
	return ok || chatFormat(format)
}

// conversations returns the fields of documents about their conversations, by the first selected
// message of each.
func conversations(ctx context.Context, sel query.Selection) (map[model.ID][]byte, error) {
	sources := sel.Snap.Sources()
	open := map[int]bool{}
	for i := range sources {
		if sources[i].Framed && keepsConversation(sources[i].Format) {
			open[i] = true
		}
	}
	found := map[model.ID][]byte{}
	for i := 0; i < len(sel.IDs) && len(open) > 0; i++ {
		p := sel.Snap.HeadRow(sel.IDs[i]).LastPart
		if p == model.NoRow {
			continue
		}
		source := int(sel.Snap.Part(int(p)).Ref.Source)
		if !open[source] {
			continue
		}
		delete(open, source)
		v, err := conversationOf(ctx, &sources[source], notesOf(sel.Snap, source))
		if err != nil {
			return nil, err
		}
		found[sel.IDs[i]] = v
	}
	return found, nil
}

// notesOf returns the offsets of a source's records that became notes.
func notesOf(snap *model.Snapshot, source int) map[int64]bool {
	notes := map[int64]bool{}
	for id := range model.ID(snap.Rows()) {
		if h := snap.HeadRow(id); h.Op == model.Note && h.LastPart != model.NoRow {
			if ref := snap.Part(int(h.LastPart)).Ref; int(ref.Source) == source {
				notes[ref.Off] = true
			}
		}
	}
	return notes
}

// conversationOf returns the fields of a document about its conversation: the first record of its
// stream, with the calls that became notes.
func conversationOf(ctx context.Context, src *model.Source, notes map[int64]bool) ([]byte, error) {
	stream := bufio.NewReaderSize(io.NewSectionReader(src.Stream, 0, src.Stream.Size()), windowBytes)
	line, err := stream.ReadBytes('\n')
	list, rest := cutList(src, line)
	if list != "" {
		return nil, nil
	}
	off := int64(len(line))
	var calls [][]byte
	for err == nil && src.Format == "agentsmithy" {
		var record []byte
		if record, err = stream.ReadBytes('\n'); notes[off] && bytes.HasPrefix(record, []byte(callList+"\t")) {
			calls = append(calls, bytes.TrimSpace(record[len(callList)+1:]))
		}
		off += int64(len(record))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	v, _ := aroundMessages(rest, calls)
	return v, nil
}

const callList = "tool_calls"

// aroundMessages returns an object without its lists of messages, and their number; nil if nothing
// remains. The calls replace its list of calls.
func aroundMessages(v []byte, calls [][]byte) (rest []byte, lists int) {
	out := []byte{'{'}
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		name := string(c.Name)
		value := c.Skip()
		kept := name == callList && len(calls) > 0
		if kept {
			value = slices.Concat([]byte{'['}, bytes.Join(calls, []byte{','}), []byte{']'})
		}
		switch {
		case !kept && slices.Contains(listNames[:], name) && jsonspan.KindOf(value) == jsonspan.Array:
			lists++
		case slices.Contains(promptNames[:], name):
		default:
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, '"'), name...), '"', ':')
			out = append(out, value...)
		}
	}
	if c.Err != nil || len(out) == 1 {
		return nil, lists
	}
	return append(out, '}'), lists
}

// around returns the fields of the conversation if the message is the first one written of it, or
// has them from an earlier export; nil for all others.
func (s *shaper) around(it *Item) []byte {
	if v := s.conversations[it.id]; v != nil {
		return v
	}
	rec := it.record
	if rec == nil || rec.facts.Len() < 2 {
		return nil
	}
	if own := s.cut.Object(it); own != nil && rec.facts.At(0).Op == model.Say {
		return jsonspan.Get(own, model.ConversationField)
	}
	if rec.facts.At(0).Op != model.About || s.snap.Sources()[rec.source].Framed || !keepsConversation(s.formatOf(it)) {
		return nil
	}
	for i := range it.sub {
		if rec.facts.At(i).Op == model.Say {
			return nil
		}
	}
	if v, lists := aroundMessages(rec.data, nil); lists > 0 {
		return v
	}
	return nil
}

func (s *shaper) addConversation(o *Object, v []byte) {
	v = s.clean(v)
	o.Key(model.ConversationField)
	o.Value(v) // it may be invalid JSON, such as white space
}
