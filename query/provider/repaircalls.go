package provider

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"unicode/utf8"

	"turns/model"
)

// takenIDs are the ids of calls that must differ.
type takenIDs struct {
	used map[string]bool
	next map[string]int // next suffix for a duplicate id
}

func newTakenIDs() *takenIDs {
	return &takenIDs{used: map[string]bool{}, next: map[string]int{}}
}

// free returns an unused id made from a used one, of at most limit bytes.
func (t *takenIDs) free(id string, limit int) string {
	k := max(t.next[id], 2)
	made := ""
	for ; made == "" || t.used[made]; k++ {
		suffix := fmt.Sprintf("_%d", k)
		if made = id + suffix; limit > 0 && len(made) > limit {
			made = strings.ToValidUTF8(id[:limit-len(suffix)], "") + suffix
		}
	}
	t.next[id] = k
	return made
}

// call changes the id, name and arguments of a call to valid ones.
func (r *Repairer) call(m *Wire, b *WireBlock, n int, seen *takenIDs) {
	used := seen
	if r.p.UniqueIDs {
		used = r.ids
	}
	id := b.ID
	if !utf8.ValidString(id) {
		id = string([]rune(id)) // as it will be read back, with the same length
	}
	switch {
	case id == "":
		id = fmt.Sprintf("call_%d_%d", max(m.Index, 0), n)
		b.MadeID = true
		if r.p.NeedIDs {
			r.Report.MadeIDs++
		}
	case !r.p.idOK(id):
		id = r.validID(id)
		r.Report.ChangedIDs++
	}
	if used.used[id] {
		if b.ID == id {
			r.Report.ChangedIDs++
		}
		id = used.free(id, r.p.IDMax)
	}
	used.used[id] = true
	if id != b.ID {
		if b.ID = id; r.p.NeedIDs {
			b.Raw = nil
		}
		m.changed()
	}
	if !r.p.nameOK(b.Name) {
		b.Name, b.Raw = r.p.validName(b.Name), nil
		m.changed()
		r.Report.Names++
	}
	r.arguments(m, b)
	if b.Result != nil && len(b.Result.Media) > 0 {
		b.Result = r.resultMedia(b.Result)
	}
	if b.Result != nil && (b.Result.ID != b.ID || b.Result.Name != b.Name) {
		res := *b.Result
		if res.ID != b.ID && r.p.NeedIDs || res.Name != b.Name && res.Name != "" {
			res.Raw = nil
		}
		res.ID, res.Name, res.MadeID = b.ID, b.Name, b.MadeID
		b.Result = &res
	}
}

// resultMedia returns a result with the media that the provider accepts; words replace the others.
func (r *Repairer) resultMedia(b *WireBlock) *WireBlock {
	res := *b
	res.Media = nil
	for i := range b.Media {
		if media := b.Media[i]; r.p.takesMedia(media.File, model.Tool) {
			res.Media = append(res.Media, media)
			continue
		}
		r.Report.Media++
		res.Raw, res.Null = nil, false
		if res.Text != "" {
			res.Text, res.JSON = res.Text+"\n", false
		}
		res.Text += Placeholder(&b.Media[i])
	}
	return &res
}

// argumentsAs is how a repair changes the arguments of a call.
type argumentsAs uint8

const (
	argumentsKept  argumentsAs = iota
	argumentsNone              // no arguments: {}
	argumentsInput             // the text of a custom tool, in an object
	argumentsInner             // the object in the text
	argumentsRaw               // an object with the text
)

// argumentsOf returns the change of a call's arguments, for the check and the repair.
func (p *Provider) argumentsOf(b *WireBlock) argumentsAs {
	text := strings.TrimSpace(b.Text)
	var inner string
	switch {
	case b.Custom && p.Custom:
		return argumentsKept
	case b.Custom && !IsObject(text):
		return argumentsInput
	case b.Null || text == "" || text == "null" && (b.JSON || p.Object):
		return argumentsNone
	case !p.Object || IsObject(text):
		return argumentsKept
	case json.Unmarshal([]byte(text), &inner) == nil && IsObject(inner):
		return argumentsInner
	}
	return argumentsRaw
}

func (r *Repairer) arguments(m *Wire, b *WireBlock) {
	switch as := r.p.argumentsOf(b); as {
	case argumentsInput:
		if raw, err := json.Marshal(map[string]string{"input": b.Text}); err == nil {
			b.Text, b.JSON, b.Raw, b.Custom = string(raw), true, nil, false
			m.changed()
		}
	case argumentsNone:
		r.Report.NoArguments++
		if b.Text != "{}" {
			b.Raw = nil
			m.changed()
		}
		b.Text, b.Null, b.JSON = "{}", false, true
	case argumentsInner, argumentsRaw:
		raw, err := json.Marshal(map[string]string{"raw_arguments": b.Text})
		if as == argumentsInner {
			var inner string
			err = json.Unmarshal([]byte(b.Text), &inner)
			raw = []byte(inner)
		} else {
			r.Report.Arguments++
		}
		if err == nil {
			b.Text, b.JSON, b.Raw = string(raw), true, nil
			m.changed()
		}
	}
}

func (r *Repairer) validID(id string) string {
	if r.p.IDChars {
		id = r.p.fix(id, false)
	}
	if r.p.IDMax > 0 && len(id) > r.p.IDMax {
		id = shorten(id, r.p.IDMax)
	}
	return id
}

func (p *Provider) validName(name string) string {
	if name == "" {
		return "unknown"
	}
	if name = p.fix(name, p.NameDots); p.NameMax > 0 && len(name) > p.NameMax {
		name = shorten(name, p.NameMax)
	}
	return name
}

// shorten keeps the beginning and appends a hash of the complete text.
func shorten(s string, limit int) string {
	h := fnv.New32a()
	h.Write([]byte(s))
	return strings.ToValidUTF8(s[:limit-9], "") + fmt.Sprintf("_%08x", h.Sum32())
}
