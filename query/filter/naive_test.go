package filter

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/cache"
	"turns/query/label"
	"turns/query/lang"
)

// naive is a plain evaluator of filters: it walks the parsed tree over decoded messages, uses the
// standard library's regexes and rules nothing out beforehand. It derives calls from the blocks
// alone.
type naive struct {
	snap   *model.Snapshot
	msgs   []*model.Message
	calls  []*naiveCall
	turns  *query.TurnIndex
	tokens TokenLookup
	filter *lang.Filter
	byCall bool // a term is about a call
	said   []label.Placed
	read   int // rows read earlier
}

type naiveCall struct {
	// m3#0: the first call of message 3; o5#1: the second result of message 5, which has no call
	name         string
	tool         string
	made, result int // messages, -1 for none
	call, answer *model.Content
	outcome      model.Outcome
	took         time.Duration
	timed        bool
	nth          int
}

func newNaive(t testing.TB, s *model.Snapshot) *naive {
	n := &naive{snap: s, read: s.Rows() / 2, turns: query.NewTurnIndex(s), said: evalLabels(s)}
	open := map[string][]*naiveCall{}
	for i := range s.Rows() {
		m, err := s.Body(context.Background(), model.ID(i))
		if err != nil {
			t.Fatal(err)
		}
		n.msgs = append(n.msgs, m)
		made, results := 0, 0
		for k := range m.Blocks {
			b := &m.Blocks[k]
			switch b.Kind {
			case model.ToolCall:
				c := &naiveCall{name: fmt.Sprintf("m%d#%d", i, made), tool: b.Name, made: i, result: -1, call: b, outcome: b.Outcome, nth: made}
				made++
				n.calls = append(n.calls, c)
				open[b.ID] = append(open[b.ID], c)
			case model.ToolResult:
				if waiting := open[b.ID]; len(waiting) > 0 {
					c := waiting[0]
					open[b.ID] = waiting[1:]
					c.result, c.answer = i, b
				} else {
					open[b.ID] = nil
					n.calls = append(n.calls, &naiveCall{name: fmt.Sprintf("o%d#%d", i, results), tool: b.Name, made: -1, result: i, answer: b})
				}
				results++
			}
		}
	}
	for _, c := range n.calls {
		if c.answer == nil {
			continue
		}
		if c.outcome = c.answer.Outcome; c.outcome == model.Unknown {
			c.outcome = model.Success
		}
		if c.answer.Took > 0 {
			c.took, c.timed = c.answer.Took, true
		} else if c.made >= 0 && c.made != c.result && n.msgs[c.made].Time != 0 && n.msgs[c.result].Time != 0 {
			c.took, c.timed = time.Duration(n.msgs[c.result].Time-n.msgs[c.made].Time)*time.Millisecond, true
		}
	}
	return n
}

// doesForTest is a simple stand-in for describe.Does, which imports this package.
func doesForTest(call *model.Content) []string {
	switch {
	case strings.Contains(call.Text, "rm "):
		return []string{"shell", "edit"}
	case len(call.Name) > 4:
		return []string{"read"}
	}
	return nil
}

// naiveMarks are the matching parts: "words", "m3#0" …; nil is the entire message.
type naiveMarks map[string]bool

// apply returns the matching parts of each matching message, sorted.
func (n *naive) apply(f *lang.Filter) (matched map[int]string, counting int) {
	n.filter, n.byCall = f, false
	for t := range f.Terms {
		switch t.Key {
		case lang.KeyTool, lang.KeyDoes, lang.KeyDur, lang.KeyArgs, lang.KeyResult, lang.KeyFile, lang.KeyKind, lang.KeyOutcome,
			lang.KeyID, lang.KeyLabel, lang.KeyNote, lang.KeyVerdict, lang.KeyScore:
			n.byCall = true
		case lang.KeyIs:
			for _, v := range t.Values {
				n.byCall = n.byCall || slices.Contains([]string{"error", "pending", "orphan", "denied", "interrupted", "cancelled", "timeout", "retry",
					"background", "parallel", "labelled", "marked"}, v.Text)
			}
		}
	}
	matched = map[int]string{}
	for i := range n.snap.Len() {
		id := int(n.snap.At(i))
		all := naiveMarks{}
		best := no
		for _, u := range n.units(id) {
			t, marks := yes, naiveMarks(nil)
			if f.Root() != nil {
				t, marks = n.eval(f.Root(), id, u, false, false)
			}
			best = max(best, t)
			if t != yes {
				continue
			}
			if marks == nil && u != nil {
				marks = naiveMarks{u.name: true}
			} else if marks == nil {
				marks = n.prose(id)
			}
			for name := range marks {
				all[name] = true
			}
		}
		switch best {
		case yes:
			var names []string
			for name := range all {
				names = append(names, name)
			}
			slices.Sort(names)
			matched[id] = strings.Join(names, " ")
		case unknown:
			counting++
		}
	}
	return matched, counting
}

func (n *naive) prose(id int) naiveMarks {
	out := naiveMarks{}
	silent := len(n.callsOf(id)) > 0 && !slices.ContainsFunc(n.msgs[id].Blocks, func(b model.Content) bool {
		return b.Kind != model.ToolCall && b.Kind != model.ToolResult && (b.Kind != model.Words || b.Text != "")
	})
	for _, b := range n.msgs[id].Blocks {
		switch b.Kind {
		case model.Words:
			if !silent {
				out["words"] = true
			}
		case model.Reasoning:
			out["reasoning"] = true
		case model.Media:
			out["media"] = true
		}
	}
	if len(out) > 0 || len(n.callsOf(id)) == 0 {
		out["other"] = true
	}
	return out
}

func (n *naive) callsOf(id int) (out []*naiveCall) {
	for _, c := range n.calls {
		if c.made == id || c.result == id {
			out = append(out, c)
		}
	}
	return out
}

// units returns nil for the message itself, if it can match on its own, and its calls.
func (n *naive) units(id int) []*naiveCall {
	calls := n.callsOf(id)
	if !n.byCall || len(calls) == 0 || len(n.prose(id)) > 0 {
		return append([]*naiveCall{nil}, calls...)
	}
	return calls
}

func (n *naive) eval(node lang.Node, id int, u *naiveCall, neg, inAnd bool) (truth, naiveMarks) {
	switch node := node.(type) {
	case *lang.Not:
		t, _ := n.eval(node.Kid, id, u, !neg, false)
		return yes - t, nil
	case *lang.Or:
		best, all, everything := no, naiveMarks{}, false
		for _, k := range node.Kids {
			t, m := n.eval(k, id, u, neg, false)
			best = max(best, t)
			if t == yes {
				everything = everything || m == nil
				for name := range m {
					all[name] = true
				}
			}
		}
		if everything {
			return best, nil
		}
		return best, all
	case *lang.And:
		if !inAnd {
			return n.and(node, id, u, neg)
		}
		best := no
		for _, other := range n.units(id) {
			t, _ := n.and(node, id, other, neg)
			best = max(best, t)
		}
		return best, nil
	}
	return n.term(node.(*lang.Term), id, u, neg)
}

func (n *naive) and(node *lang.And, id int, u *naiveCall, neg bool) (truth, naiveMarks) {
	worst := yes
	var each []naiveMarks
	for _, k := range node.Kids {
		t, m := n.eval(k, id, u, neg, true)
		worst = min(worst, t)
		if t == yes && m != nil {
			each = append(each, m)
		}
	}
	if worst == no || len(each) == 0 {
		return worst, nil
	}
	both, either := naiveMarks{}, naiveMarks{}
	for _, m := range each {
		for name := range m {
			either[name] = true
			both[name] = true
		}
	}
	for name := range either {
		for _, m := range each {
			if !m[name] {
				delete(both, name)
			}
		}
	}
	if len(both) == 0 {
		return worst, either
	}
	return worst, both
}

func (n *naive) any(v []lang.Value, holds func(*lang.Value) bool) bool {
	return slices.ContainsFunc(v, func(v lang.Value) bool { return holds(&v) })
}

// isRole reports whether a value of a term is a role in any format.
func (n *naive) isRole(t *lang.Term) bool {
	for r := range model.Other + 1 {
		if n.whole(t, r.String()) {
			return true
		}
	}
	return n.any(t.Values, func(v *lang.Value) bool { _, known := model.RoleNamed(v.Text); return known })
}

func (n *naive) whole(t *lang.Term, s string) bool {
	return n.any(t.Values, func(v *lang.Value) bool {
		return v.MatchWhole(s) || v.Form == lang.FormRegex && regexp.MustCompile(v.Pattern()).MatchString(s)
	})
}

func (n *naive) contains(t *lang.Term, s string) bool {
	return n.any(t.Values, func(v *lang.Value) bool {
		if v.Form == lang.FormRegex {
			return regexp.MustCompile(v.Pattern()).MatchString(strings.ToValidUTF8(s, "\uFFFD"))
		}
		s, word := textFold(s), textFold(v.Text)
		return strings.Contains(s, word) || strings.Contains(strings.Map(naiveSeen, s), word)
	})
}

// naiveSeen drops invisible runes.
func naiveSeen(r rune) rune {
	if model.Invisible(r) {
		return -1
	}
	return r
}

func (n *naive) term(t *lang.Term, id int, u *naiveCall, neg bool) (truth, naiveMarks) {
	m, h := n.msgs[id], n.snap.Head(model.ID(id))
	own := func(ok bool) (truth, naiveMarks) {
		if u == nil {
			return no, nil
		}
		return truthOf(ok), naiveMarks{u.name: true}
	}
	switch t.Key {
	case lang.KeyLabel, lang.KeyNote, lang.KeyVerdict, lang.KeyScore:
		for i := range n.said {
			if p := &n.said[i]; n.says(t, &p.Mark) && n.about(p, id, u, true) {
				return yes, n.self(u)
			}
		}
		return no, nil
	case lang.KeyTool:
		return own(u != nil && (n.whole(t, u.tool) || u.answer != nil && u.answer.Name != "" && n.whole(t, u.answer.Name)))
	case lang.KeyDur:
		return own(u != nil && u.timed && t.HoldsDur(u.took.Truncate(time.Millisecond)))
	case lang.KeyArgs:
		return own(u != nil && u.call != nil && n.contains(t, naiveText(u.call)))
	case lang.KeyResult:
		return own(u != nil && u.answer != nil && n.contains(t, naiveText(u.answer)))
	case lang.KeyFile:
		return own(u != nil && u.call != nil && n.any(t.Values, func(v *lang.Value) bool { return naivePath(v, u.call.Text) }))
	case lang.KeyDoes:
		return own(u != nil && u.call != nil && n.any(t.Values, func(v *lang.Value) bool { return slices.Contains(doesForTest(u.call), v.Text) }))
	case lang.KeyAny, lang.KeyText, lang.KeyContent, lang.KeyReasoning:
		marks := n.text(t, id, u, neg)
		return truthOf(len(marks) > 0), marks
	case lang.KeyIs, lang.KeyOutcome, lang.KeyKind:
		marks := naiveMarks{}
		for _, v := range t.Values {
			ok, what := n.state(t.Key, v.Text, id, u)
			if ok && what == nil {
				return yes, nil
			}
			if ok {
				for name := range what {
					marks[name] = true
				}
			}
		}
		return truthOf(len(marks) > 0), marks
	case lang.KeyTokens:
		if n.tokens == nil {
			return unknown, nil
		}
		c, ok := n.tokens.Message(model.ID(id))
		if !ok {
			return unknown, nil
		}
		return truthOf(t.HoldsNum(float64(c.Sum()))), nil
	}
	ok := false
	switch t.Key {
	case lang.KeyRole:
		ok = n.whole(t, m.Role.String()) || m.Role == model.Other && m.Name != "" && n.whole(t, m.Name) ||
			n.any(t.Values, func(v *lang.Value) bool { r, known := model.RoleNamed(v.Text); return known && r == m.Role }) ||
			!n.isRole(t) && slices.ContainsFunc(m.Fields(), func(kv model.KeyValue) bool { return speakerNames[kv.Name] && n.whole(t, kv.Value) })
	case lang.KeyModel:
		ok = m.Role == model.Assistant && m.Model != "" && n.whole(t, m.Model)
	case lang.KeyName:
		ok = m.Role != model.Assistant && m.Name != "" && n.whole(t, m.Name)
	case lang.KeyHas:
		ok = n.any(t.Values, func(v *lang.Value) bool { return n.has(v.Text, m) })
	case lang.KeyValidity:
		ok = n.any(t.Values, func(v *lang.Value) bool {
			return v.Text == "active" && m.Flags&(model.Invalidated|model.Superseded|model.Archived) == 0 ||
				v.Text == "invalidated" && m.Flags&model.Invalidated != 0 || v.Text == "superseded" && m.Flags&model.Superseded != 0 ||
				v.Text == "archived" && m.Flags&model.Archived != 0
		})
	case lang.KeyCache:
		cause, asked := n.cause(m.ID)
		ok = asked && n.any(t.Values, func(v *lang.Value) bool { return v.Text == cmp.Or(string(cause), "null") })
	case lang.KeyIndex:
		ok = t.HoldsNum(float64(m.Pos))
	case lang.KeyTurn:
		ok = n.turns.Turn(m.ID) >= 0 && t.HoldsNum(float64(n.turns.Turn(m.ID)))
	case lang.KeyStep:
		ok = n.turns.Step(m.ID) >= 0 && t.HoldsNum(float64(n.turns.Step(m.ID)))
	case lang.KeyTime:
		var last int64
		for _, m := range n.msgs {
			last = max(last, m.Time)
		}
		ok = m.Time != 0 && t.HoldsTime(time.UnixMilli(m.Time), lang.TimeRef{Now: evalNow, Last: time.UnixMilli(last), Loc: evalZone})
	case lang.KeySize:
		ok = t.HoldsNum(float64(h.Size))
	case lang.KeyCost:
		ok = m.Usage != nil && m.Usage.HasCost && t.HoldsNum(m.Usage.Cost)
	case lang.KeyThread:
		ok = n.whole(t, "main")
	case lang.KeyID:
		keyed := h.Key != 0 && n.any(t.Values, func(v *lang.Value) bool { return v.Form == lang.FormText && model.HashString(v.Text) == h.Key })
		if u != nil {
			b := u.call
			if u.made != id {
				b = u.answer
			}
			if same := n.whole(t, b.ID); !keyed && (same || len(n.prose(id)) > 0) {
				return truthOf(same), naiveMarks{u.name: true}
			}
		}
		ok = keyed || m.Key != "" && n.whole(t, m.Key)
	case lang.KeyInteraction:
		ok = slices.ContainsFunc(m.Extra, func(kv model.KeyValue) bool { return kv.Name == "interaction_id" && n.whole(t, kv.Value) })
	}
	return truthOf(ok), nil
}

// evalLabels returns labels of the conversation, of turns, of messages and of calls.
func evalLabels(s *model.Snapshot) (all []label.Placed) {
	say := func(m label.Mark, scope label.Scope, id model.ID, call model.CallID) {
		l := label.Line{ID: strconv.Itoa(len(all)), Scope: scope, Mark: m}
		all = append(all, label.Placed{Line: l, ID: id, Call: call})
	}
	none := model.CallID(model.NoRow)
	if s.Rows()%2 == 0 {
		say(label.Mark{Kind: label.Verdict, Name: label.Good}, label.OfRun, model.NoID, none)
	}
	for id := range s.Rows() {
		switch id % 7 {
		case 1:
			say(label.Mark{Kind: label.Label, Name: "loop"}, label.OfMessage, model.ID(id), none)
		case 2:
			say(label.Mark{Kind: label.Score, Name: "q", Value: "2.5"}, label.OfTurn, model.ID(id), none)
		case 3:
			say(label.Mark{Kind: label.Note, Text: "wrong file"}, label.OfMessage, model.ID(id), none)
		}
	}
	for n := range s.CallCount() {
		c := s.Call(model.CallID(n))
		if n%3 == 0 && c.Msg != model.NoID {
			say(label.Mark{Kind: label.Label, Name: "a"}, label.OfCall, c.Msg, model.CallID(n))
			say(label.Mark{Kind: label.Verdict, Name: label.Bad}, label.OfCall, c.Msg, model.CallID(n))
		}
	}
	return all
}

func (n *naive) says(t *lang.Term, m *label.Mark) bool {
	switch t.Key {
	case lang.KeyNote:
		return m.Kind == label.Note && n.contains(t, m.Text)
	case lang.KeyScore:
		v, ok := m.Number()
		return ok && t.HoldsNum(v)
	case lang.KeyVerdict:
		return m.Kind == label.Verdict && n.whole(t, m.Name)
	}
	return m.Kind == label.Label && n.whole(t, m.Name)
}

// about reports whether a label applies to a message or call; wide adds those of its turn or run.
func (n *naive) about(p *label.Placed, id int, u *naiveCall, wide bool) bool {
	switch {
	case p.Scope == label.OfRun:
		return wide
	case p.Scope == label.OfCall:
		c := n.snap.Call(p.Call)
		return u != nil && u.name == fmt.Sprintf("m%d#%d", c.Msg, c.Block)
	case int(p.ID) == id:
		return true
	}
	return p.Scope == label.OfTurn && wide && n.turns.Turn(p.ID) >= 0 && n.turns.Turn(p.ID) == n.turns.Turn(model.ID(id))
}

func (n *naive) self(u *naiveCall) naiveMarks {
	if u == nil {
		return nil
	}
	return naiveMarks{u.name: true}
}

func naiveText(b *model.Content) string {
	text := b.Text
	if b.JSON {
		text = naiveUnescape(text)
	}
	for _, note := range query.Notes(b) {
		text += "\n" + note.Value
	}
	return text
}

// naiveUnescape resolves the escapes in JSON source.
func naiveUnescape(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out.WriteByte(s[i])
			continue
		}
		n := 2
		if s[i+1] == 'u' {
			n = 6
		}
		var c string
		if err := json.Unmarshal([]byte(`"`+s[i:i+n]+`"`), &c); err != nil {
			panic(err)
		}
		out.WriteString(c)
		i += n - 1
	}
	return out.String()
}

// naivePath only supports the form that the generator writes.
func naivePath(v *lang.Value, args string) bool {
	var a struct {
		Path string `json:"file_path"`
	}
	if json.Unmarshal([]byte(args), &a) != nil || a.Path == "" {
		return false
	}
	return v.MatchPath(a.Path) || v.Form == lang.FormRegex && regexp.MustCompile(v.Pattern()).MatchString(a.Path)
}

func (n *naive) text(t *lang.Term, id int, u *naiveCall, neg bool) naiveMarks {
	marks := naiveMarks{}
	m := n.msgs[id]
	for i := range m.Blocks {
		b := &m.Blocks[i]
		var owner *naiveCall
		for _, c := range n.callsOf(id) {
			if c.call == b || c.answer == b {
				owner = c
			}
		}
		if owner != nil && u != nil && owner != u && !neg || !naiveLooks(t.Key, m.Role, b.Kind) {
			continue
		}
		if n.contains(t, naiveText(b)) || b.Kind == model.ToolCall && b.Name != "" && t.Key != lang.KeyContent && t.Key != lang.KeyReasoning && n.contains(t, b.Name) {
			if owner != nil {
				marks[owner.name] = true
			} else {
				marks[[]string{"words", "reasoning", "other", "other", "media", "other"}[b.Kind]] = true
			}
		}
	}
	if neg && u != nil && len(marks) == 0 {
		if u.made != id && u.call != nil && naiveLooks(t.Key, model.Assistant, model.ToolCall) && n.contains(t, naiveText(u.call)) ||
			u.result != id && u.answer != nil && naiveLooks(t.Key, model.Tool, model.ToolResult) && n.contains(t, naiveText(u.answer)) {
			marks[u.name] = true
		}
	}
	return marks
}

func naiveLooks(key lang.Key, role model.Role, kind model.BlockKind) bool {
	switch key {
	case lang.KeyContent:
		return kind == model.Words || kind == model.ToolResult && role == model.Tool
	case lang.KeyReasoning:
		return kind == model.Reasoning
	}
	return kind != model.Media
}

func (n *naive) has(name string, m *model.Message) bool {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if name == "text" && b.Kind == model.Words || name == "reasoning" && b.Kind == model.Reasoning || name == "call" && b.Kind == model.ToolCall ||
			name == "result" && b.Kind == model.ToolResult || name == "code" && b.Kind == model.Words && strings.Contains(b.Text, "```") ||
			name == "image" && b.Kind == model.Media {
			return true
		}
	}
	if name == "error" {
		return m.Flags&(model.APIError|model.Interrupted) != 0 ||
			slices.ContainsFunc(n.callsOf(int(m.ID)), func(c *naiveCall) bool { return c.outcome.Failed() })
	}
	return name == "usage" && m.Usage != nil
}

// cause returns the cache cause of the request of a response.
func (n *naive) cause(id model.ID) (cause cache.Cause, asked bool) {
	list, err := cache.Requests(context.Background(), n.snap)
	if err != nil {
		panic(err)
	}
	for _, r := range list {
		if r.ID == id {
			return r.Cause, true
		}
	}
	return cache.None, false
}

// state evaluates is:, outcome: and kind:; nil marks are the entire message.
func (n *naive) state(key lang.Key, name string, id int, u *naiveCall) (bool, naiveMarks) {
	m := n.msgs[id]
	flags := map[string]model.Flags{"prompt": model.Prompt, "injected": model.Injected, "partial": model.Partial, "truncated": model.Truncated,
		"superseded": model.Superseded, "sidechain": model.Sidechain}
	if key == lang.KeyIs && flags[name] != 0 {
		return m.Flags&flags[name] != 0, nil
	}
	if key == lang.KeyIs && name == "live" {
		return true, nil
	}
	if name == "unread" {
		return id >= n.read, nil
	}
	if name == "cache-miss" {
		cause, _ := n.cause(m.ID)
		return !slices.Contains([]cache.Cause{cache.None, cache.First, cache.Compaction, cache.TooShort}, cause), nil
	}
	if name == "labelled" || name == "marked" {
		for i := range n.said {
			p := &n.said[i]
			if (name == "labelled" || p.Name == "a") && n.about(p, id, u, false) {
				return true, n.self(u)
			}
		}
		return false, nil
	}
	if u == nil {
		switch {
		case key == lang.KeyKind && name == "text" || key == lang.KeyKind && name == "reasoning":
			what := map[string]string{"text": "words", "reasoning": "reasoning"}[name]
			return n.prose(id)[what], naiveMarks{what: true}
		case key == lang.KeyIs && name == "error":
			return m.Flags&(model.APIError|model.Interrupted) != 0, nil
		case key == lang.KeyOutcome && name == "failed":
			return m.Flags&model.APIError != 0, nil
		case key != lang.KeyKind && name == "interrupted":
			return m.Flags&model.Interrupted != 0, nil
		}
		return false, nil
	}
	self := naiveMarks{u.name: true}
	if key == lang.KeyKind {
		return name == "call" && u.made == id || name == "result" && u.result == id, self
	}
	if len(n.prose(id)) == 0 { // the message's states apply to its calls
		aborted, refused := m.Flags&model.Interrupted != 0, m.Flags&model.APIError != 0
		switch {
		case key == lang.KeyIs && name == "error" && (aborted || refused), name == "interrupted" && aborted, key == lang.KeyOutcome && name == "failed" && refused:
			return true, self
		}
	}
	pending := u.answer == nil && !u.outcome.Failed() && u.outcome != model.Success || u.outcome == model.Running
	switch name {
	case "error":
		return u.outcome.Failed(), self
	case "pending":
		return pending, self
	case "orphan":
		return u.call == nil, self
	case "ok":
		return u.outcome == model.Success, self
	case "failed":
		return u.outcome == model.Failure, self
	case "denied":
		return u.outcome == model.Denied, self
	case "interrupted":
		return u.outcome == model.Stopped, self
	case "cancelled":
		return u.outcome == model.Cancelled, self
	case "parallel":
		return u.made >= 0 && len(n.msgs[u.made].Calls()) > 1, self
	}
	panic("naive: " + strconv.Quote(name))
}
