package chats

import (
	"strings"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// TablesFormat reads the tables of an export to Parquet, in the form that their reader returns:
// lines of messages, each with the id of its session.
func TablesFormat() *model.Format {
	return &model.Format{
		Name:    "turns-tables",
		Highest: 95,
		Title:   "turns tables",
		Detect:  kit.Clues(kit.Clue{Score: 95, Reason: "lines with turns_table and rows", Is: kit.Signs{"turns_table"}}),
		Parse:   tablesParse,
	}
}

func tablesParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	t := tables{fs: fs}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "turns_table":
			t.run = c.String()
		case "rows":
			for c.Array(); c.More(); {
				t.message(c.Skip())
			}
		case "run":
			t.about(c.Skip())
		default:
			c.Skip()
		}
	}
	if c.Err == nil && fs.Len() == 0 {
		kit.Note(fs, "empty")
	}
	return kit.Finish(&c, fs)
}

// tables reads messages of one session.
type tables struct {
	fs  *model.Facts
	run []byte
}

func (t *tables) add(op model.Op) *model.Fact {
	f := t.fs.Add(op)
	f.Session = model.Hash(t.run)
	return f
}

var tableUsage = kit.UsageNames{
	Input: "input_tokens", CacheRead: "input_tokens_cache_read", CacheWrite: "input_tokens_cache_write",
	Output: "output_tokens", Reasoning: "reasoning_tokens", Cost: "cost",
}

func (t *tables) message(row []byte) {
	t.before(row)
	c := jsonspan.New(row)
	f := t.add(model.Say)
	f.Join = model.Apart
	var name, call, run []byte
	hour := false // tokens stay in the cache for an hour
	missed := ""
	fields := kit.Fields{
		kit.Text("model", &f.Model), kit.Raw("name", &name), kit.Raw("call", &call), kit.Raw("run", &run),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			if role := c.String(); string(role) != model.NoRole.String() {
				kit.SetRole(f, role)
			}
		case "id":
			v := c.Skip()
			f.Key = model.Hash(kit.Inside(v))
			kit.Keep(f, "id", v)
		case "time":
			f.Time.Ms, _ = c.Int()
			f.Time.Zoned = true
		case "thread":
			n, _ := c.Int()
			f.Thread = model.HashNumber("thread", n)
		case "flags":
			for word := range strings.FieldsSeq(string(c.String())) {
				f.Flags |= model.ParseFlag(word)
				hour = hour || word == "hour-cache"
				if word == "span-told" {
					f.Flags |= model.SpanTold
				}
			}
		case "stop":
			f.Stop = model.ParseStop(string(c.String()))
		case "usage":
			f.Usage = tableUsage.Read(c.Skip(), model.Each)
		case "missed":
			missed = string(c.String())
		case "blocks":
			for c.Array(); c.More(); {
				tableBlock(&c, f)
			}
		case "unread":
			b := f.Add(model.OtherBlock)
			b.Name, b.Text = tableUnread, model.ValueText(c.Skip())
		default:
			fields.Read(&c)
		}
	}
	f.Usage.HourCache, f.Usage.Missed = hour, missed
	switch {
	case f.Flags&model.APIError != 0:
		f.Outcome = model.Failure
	case f.Flags&model.Interrupted != 0:
		f.Outcome = model.Stopped
	}
	if stop := jsonspan.GetString(run, "stop"); stop != nil {
		f.Stop = model.ParseStop(string(stop))
	}
	if f.Thread != 0 {
		t.thread(f.Thread, name, call)
	}
	if run != nil {
		t.about(run)
	}
}

// before adds the records before a message that changed what the model was sent.
func (t *tables) before(row []byte) {
	marks := jsonspan.Get(row, "before")
	if marks == nil {
		return
	}
	thread, _ := jsonspan.ParseInt(jsonspan.Get(row, "thread"))
	c := jsonspan.New(marks)
	for c.Array(); c.More(); {
		var f *model.Fact
		switch string(c.String()) {
		case "compacted":
			f = t.add(model.Compact)
		case "edited":
			f = kit.Note(t.fs, "microcompact_boundary")
			f.Session = model.Hash(t.run)
		default:
			continue
		}
		if thread != 0 {
			f.Thread = model.HashNumber("thread", thread)
		}
	}
}

var tableUnread = model.StringText("unread")

// thread describes the subagent that wrote the last message.
func (t *tables) thread(thread model.Key, name, call []byte) {
	if kit.IsNull(call) {
		return
	}
	f := t.add(model.Child)
	f.Thread, f.Target = thread, model.Hash(kit.Inside(call))
	f.Name = model.ValueText(name)
}

// kindOf returns the kind of a block with the name word; OtherBlock for an unknown one.
func kindOf(word []byte) model.BlockKind {
	k := model.Words
	for k < model.OtherBlock && k.String() != string(word) {
		k++
	}
	return k
}

func tableBlock(c *jsonspan.Cursor, f *model.Fact) {
	b := f.Add(model.OtherBlock)
	b.Text = model.NullText()
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "kind":
			b.Kind = kindOf(c.String())
		case "text":
			b.Text = model.ValueText(c.Skip())
		case "id":
			b.ID = model.ValueText(c.Skip())
		case "name":
			b.Name = model.ValueText(c.Skip())
		case "outcome":
			b.Outcome = outcomeOf(c.String())
		case "took":
			ms, _ := c.Int()
			if b.Took = -1; ms != int64(model.NoTook) {
				// a call may have a known duration of zero
				b.Took = max(time.Duration(ms)*time.Millisecond, 1)
			}
		case "nesting":
			switch string(c.String()) {
			case "script":
				b.Nesting = model.Script
			case "poll":
				b.Nesting = model.Poll
			case "text":
				b.Nesting = model.OfText
			}
		case "within":
			b.Within = model.ValueText(c.Skip()).Hash()
		case "again":
			b.Again = string(c.Skip()) == "true"
		case "bound":
			b.Bound = string(c.Skip()) == "true"
		default:
			c.Skip()
		}
	}
}

// about adds the facts about the full session.
func (t *tables) about(v []byte) {
	var end []byte
	t.add(model.About)
	at := t.fs.Len() - 1
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "end":
			end = c.Skip()
		case "stop":
			c.Skip() // the last message contains it
		case "usage":
			for c.Array(); c.More(); {
				t.meter(c.Skip())
			}
		case "times":
			for c.Array(); c.More(); {
				note := t.add(model.Note)
				note.Name = tableTime
				note.Time.Ms, _ = c.Int()
				note.Time.Zoned = true
			}
		default:
			kit.Keep(t.fs.At(at), t.fs.Name(c.Name), c.Skip())
		}
	}
	if end != nil {
		t.end(end)
	}
}

var tableTime = model.StringText("time")

func (t *tables) meter(v []byte) {
	scope := model.Each
	if string(jsonspan.Get(v, "total")) == "true" {
		scope = model.Total
	}
	t.add(model.Meter).Usage = tableUsage.Read(v, scope)
}

func (t *tables) end(v []byte) {
	f := t.add(model.End)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "outcome":
			f.Outcome = outcomeOf(c.String())
		case "reason":
			f.Name = model.ValueText(c.Skip())
		case "score":
			f.Score, f.HasScore = c.Float()
		case "turn":
			if c.Bool() {
				f.Stop = model.StopEnd
			}
		default:
			c.Skip()
		}
	}
}

func outcomeOf(word []byte) (o model.Outcome) {
	_ = o.UnmarshalText(word) // an unknown word is an unknown outcome
	return o
}
