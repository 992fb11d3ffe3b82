package provider

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// Problem is a part of a conversation that a provider refuses, or a sign that a part is missing.
type Problem struct {
	Index   human.Index      `json:"index"` // position of the message; null: the conversation
	ID      human.TextOrNull `json:"id"`
	Code    string           `json:"code"`
	Problem string           `json:"problem"`
	Hint    string           `json:"hint"`
	// that refuse it; none: harmless, but worth knowing
	Providers []string `json:"providers"`
	msg       model.ID
}

// Refused reports whether a provider refuses a conversation with the problem.
func (p *Problem) Refused(provider string) bool {
	return slices.Contains(p.Providers, provider)
}

// General reports whether the problem concerns every provider. The other problems are rules of
// some providers, which exports follow.
func (p *Problem) General() bool {
	switch p.Code {
	case "first-message", "alternation", "late-system", "text-arguments", "invalid-id", "invalid-name", "empty-text", "unnamed-result", "waiting",
		"media", "result-media", "reasoning", "results-inside", "no-tools", "trailing-answer", "trailing-space":
		return false
	}
	return !strings.HasPrefix(p.Code, lifecycleCode)
}

// CheckNames returns the names of all rule sets: the providers and Lifecycle.
func CheckNames() []string {
	names := make([]string, 0, len(providers)+1)
	for i := range providers {
		names = append(names, providers[i].Name)
	}
	return append(names, Lifecycle)
}

// Check returns the problems of a conversation, in the order of its messages.
func Check(ctx context.Context, sel query.Selection) ([]Problem, error) {
	c, life := newChecker(providers), newLifecycle()
	for _, id := range sel.IDs {
		m, err := sel.Snap.Body(ctx, id)
		if err != nil {
			return nil, err
		}
		w := WireOf(m, sel.Snap.Threads()[sel.Snap.HeadRow(id).Thread].Session)
		for i := range w.Blocks {
			w.Blocks[i].Signed = true // the author is unknown here
		}
		c.add(&w)
		life.add(m)
	}
	c.finish()
	c.request(sel)
	c.list = append(c.list, life.finish()...)
	c.list = append(c.list, announced(sel)...)
	if n := sel.Snap.Unreadable(); n > 0 {
		c.list = append(c.list, Problem{Index: -1, Code: "unreadable", msg: model.NoID,
			Problem: human.Plural(n, "record") + " could not be read", Hint: "turns show FILE -q is:unreadable shows them"})
	}
	if n := sel.Snap.Tail().Len; n > 0 && sel.Whole() {
		c.list = append(c.list, Problem{Index: -1, Code: "incomplete", msg: model.NoID,
			Problem: fmt.Sprintf("the last record is incomplete (%s)", model.SizeOf(n)), Hint: "it is being written, or the file was cut off"})
	}
	out := c.sorted()[:0]
	for _, p := range c.sorted() {
		if !outside(sel, &p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// outside reports whether a call has its result in an unselected message: exports then include it.
func outside(sel query.Selection, p *Problem) bool {
	if p.Code != "no-result" && p.Code != "waiting" || p.msg == model.NoID || sel.Len() == sel.Snap.Len() {
		return false
	}
	return !slices.ContainsFunc(query.CallsOf(sel.Snap, p.msg), func(row model.CallRow) bool { return row.Result == model.NoID })
}

// CheckWire returns the problems that the provider p has with messages as they would be sent.
func CheckWire(msgs []Wire, p Provider) []Problem {
	c := newChecker([]Provider{p})
	c.wire = true
	for i := range msgs {
		c.at = i
		c.add(&msgs[i])
	}
	c.finish()
	var out []Problem
	for _, problem := range c.sorted() {
		if problem.Refused(p.Name) {
			out = append(out, problem)
		}
	}
	return out
}

// openCheck is a call without its result.
type openCheck struct {
	id, name string
	index    int
	msg      model.ID
	made     int // number of the message with the call
	block    int
	result   int // number of the message with its result; -1: none
}

// neighbours are two messages of the model in a row.
type neighbours struct {
	problem   int
	at        int  // number of the second
	from, to  int  // calls of the first
	calls     bool // the second message also has calls
	firstMade int  // number of the first
}

type checker struct {
	ends  string // the last words, if the model wrote them
	rules []Provider
	list  []Problem
	ids   map[string]int
	calls []openCheck // that had no result when they were made
	open  *openCalls  // those of them without a result yet, by their numbers
	// number of the last message with more than results of calls
	spoke    int
	early    map[string][]int // ids of results without a call so far: their problem
	n        int
	turn     int // prompts so far
	wire     bool
	at       int // number of the message in CheckWire
	spoken   bool
	block    int  // of the current message
	answered int  // first block with a call of that message that has its result in it; -1: none
	began    bool // an earlier message spoke
	rows     []neighbours
	from     int // first call of the last message that spoke
	last     model.Role
}

func newChecker(rules []Provider) *checker {
	return &checker{rules: rules, ids: map[string]int{}, open: newOpenCalls(), early: map[string][]int{}, last: model.NoRole}
}

func (c *checker) who(rule func(*Provider) bool) []string {
	var names []string
	for i := range c.rules {
		if rule(&c.rules[i]) {
			names = append(names, c.rules[i].Name)
		}
	}
	return names
}

func isRequest(p *Provider) bool  { return !p.Record }
func wantsIDs(p *Provider) bool   { return p.NeedIDs }
func wantsUniq(p *Provider) bool  { return p.UniqueIDs }
func wantsText(p *Provider) bool  { return p.NonEmpty }
func wantsFirst(p *Provider) bool { return p.FirstUser }

func (c *checker) problem(m *Wire, id, code, problem, hint string, by []string) {
	index := m.Index
	if c.wire {
		index = c.at
	}
	c.list = append(c.list, Problem{Index: human.Index(index), ID: human.TextOrNull(id), Code: code, Problem: problem, Hint: hint, Providers: by, msg: m.ID})
}

func (c *checker) sorted() []Problem {
	for i := range c.list {
		if c.list[i].Providers == nil {
			c.list[i].Providers = []string{}
		}
	}
	sort.SliceStable(c.list, func(i, j int) bool { return c.list[i].Index < c.list[j].Index })
	return c.list
}

func (c *checker) add(m *Wire) {
	c.began = c.spoken
	c.role(m)
	c.speaker(m)
	c.empty(m)
	calls, from := map[string]bool{}, len(c.calls)
	c.blocks(m)
	c.answered = -1
	for i := range m.Blocks {
		b := &m.Blocks[i]
		c.block = i
		switch {
		case b.Keep:
		case b.Kind == model.OtherBlock && b.Name == model.MalformedCall:
			c.problem(m, b.ID, "malformed-call", fmt.Sprintf("what stands in the place of a call names no tool: %.60s", strings.Join(strings.Fields(b.Text), " ")),
				"exports for providers leave it out", c.who(isRequest))
		case b.Kind == model.ToolCall:
			c.bareID(m, b, "call")
			c.call(m, b, calls)
		case b.Kind == model.ToolResult:
			c.bareID(m, b, "result")
			c.result(m, b)
		}
	}
	c.inside(m)
	if c.answered >= 0 && m.speaksBeyondCalls(c.answered) {
		c.last = model.Assistant // it continues after its results
		for from < len(c.calls) && c.open.answered[from] {
			from++
		}
	}
	if m.speaks() {
		c.spoke, c.from = c.n, from
	}
	if m.prompts() {
		c.turn++
	}
	c.n++
}

// blocks finds blocks that a provider does not accept.
func (c *checker) blocks(m *Wire) {
	reasoning := map[string]bool{}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch b.Kind {
		case model.Media:
			c.media(m, b)
		case model.Reasoning:
			for _, name := range c.who(func(p *Provider) bool { return !p.takesReasoning(b, c.as(p, m)) }) {
				reasoning[name] = true
			}
		}
	}
	if len(reasoning) > 0 {
		c.problem(m, "", "reasoning", "the reasoning is not taken", "exports leave it out", c.who(func(p *Provider) bool { return reasoning[p.Name] }))
	}
}

// inside finds messages that continue after a result of their own call.
func (c *checker) inside(m *Wire) {
	if c.answered < 0 {
		return
	}
	goesOn := func(p *Provider) bool {
		for i := c.answered; i < len(m.Blocks); i++ {
			b := &m.Blocks[i]
			switch b.Kind {
			case model.Words:
				if !b.Null && (!p.NonEmpty || !blank(b)) {
					return true
				}
			case model.Reasoning:
				if p.takesReasoning(b, model.Assistant) {
					return true
				}
			case model.Media:
				return true
			}
		}
		return false
	}
	if by := c.who(func(p *Provider) bool { return !p.InOrder && !p.Record && goesOn(p) }); len(by) > 0 {
		c.problem(m, "", "results-inside", "the message goes on after results of its own calls", "exports take it apart", by)
	}
}

// as returns the role of a message at a provider.
func (c *checker) as(p *Provider, m *Wire) model.Role {
	switch {
	case m.Has(model.ToolCall):
		return model.Assistant
	case m.Role == model.NoRole, m.Role == model.Other, prompts(m) && p.System != SystemInList && c.began:
		return model.User
	}
	return m.Role
}

func (c *checker) media(m *Wire, b *WireBlock) {
	inResult := b.ID != "" && m.Has(model.ToolResult)
	role := func(p *Provider) model.Role {
		if inResult {
			return model.Tool
		}
		return c.as(p, m)
	}
	if bad := c.who(func(p *Provider) bool { return !p.takesMedia(b.File, role(p)) }); len(bad) > 0 {
		c.problem(m, b.ID, "media", fmt.Sprintf("%s is not taken there", b.Name), "exports say in words that it was there", bad)
	}
	if inResult {
		if by := c.who(func(p *Provider) bool { return p.MediaAfter && p.takesMedia(b.File, model.Tool) }); len(by) > 0 {
			c.problem(m, b.ID, "result-media", "a result holds "+b.Name, "exports put it into a message behind it", by)
		}
	}
}

// request finds missing or excess parts of a request.
func (c *checker) request(sel query.Selection) {
	if len(c.ids)+len(c.calls) > 0 && len(sel.IDs) > 0 && sel.Snap.Session(sel.IDs[0]).Field("tools") == "" {
		c.list = append(c.list, Problem{Index: -1, Code: "no-tools", msg: model.NoID, Problem: "tools are called, and none was recorded",
			Hint: "exports declare those that were called; --no-tools leaves them out", Providers: c.who(func(p *Provider) bool { return p.NeedTools })})
	}
	if c.ends != strings.TrimRightFunc(c.ends, unicode.IsSpace) {
		if by := c.who(func(p *Provider) bool { return p.TrimEnd }); len(by) > 0 {
			c.list = append(c.list, Problem{Index: -1, Code: "trailing-space", msg: model.NoID, Problem: "the model's last words end with white space",
				Hint: "exports leave the white space out", Providers: by})
		}
	}
	if c.last == model.Assistant && c.n > 0 {
		if by := c.who(func(p *Provider) bool { return p.Prefill != "" }); len(by) > 0 {
			c.list = append(c.list, Problem{Index: -1, Code: "trailing-answer", msg: model.NoID, Problem: "the conversation ends with the model's words, which newer models refuse",
				Hint: "export --until-user leaves them out", Providers: by})
		}
	}
}

// speaker finds names of speakers that the API of a provider refuses.
func (c *checker) speaker(m *Wire) {
	if by := c.who(func(p *Provider) bool { return !p.speakerOK(m.Speaker) }); len(by) > 0 {
		c.problem(m, "", "invalid-speaker", fmt.Sprintf("the name %q of the speaker has characters or a length that not all providers take", m.Speaker), "exports change it", by)
	}
	c.ends = ""
	if n := len(m.Blocks); n > 0 && m.Blocks[n-1].Kind == model.Words && m.Role == model.Assistant {
		c.ends = m.Blocks[n-1].Text
	}
}

func (c *checker) role(m *Wire) {
	role := m.Role
	if role == model.NoRole || role == model.Other {
		c.problem(m, "", "unknown-role", "the role is unknown", "exports for providers make it a user's message", c.who(isRequest))
		role = model.User
	}
	if m.Has(model.ToolCall) {
		role = model.Assistant
	}
	switch role {
	case model.Tool:
		role = model.User // a result without a call counts as the user's
	case model.System, model.Developer:
		if !c.spoken {
			return
		}
		c.problem(m, "", "late-system", "a system message stands in the middle", "exports make it a user's message where the provider takes none there",
			c.who(func(p *Provider) bool { return p.System != SystemInList }))
		role = model.User // for those that require alternating roles
	}
	if !m.speaks() {
		return // exports drop it
	}
	if !c.spoken && role != model.User {
		c.problem(m, "", "first-message", fmt.Sprintf("the first message is the %s's", role), "exports put a user's message before it", c.who(wantsFirst))
	}
	if c.spoken && c.last == role && (role == model.User || role == model.Assistant) {
		c.problem(m, "", "alternation", fmt.Sprintf("two messages of the %s in a row", role), "exports merge them",
			c.who(func(p *Provider) bool { return p.Alternate }))
	}
	if c.spoken && c.last == role && role == model.Assistant {
		c.rows = append(c.rows, neighbours{problem: len(c.list) - 1, at: c.n, from: c.from, to: len(c.calls), calls: m.Has(model.ToolCall), firstMade: c.spoke})
	}
	c.spoken, c.last = true, role
}

func (c *checker) empty(m *Wire) {
	spoken, blanks := false, 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case b.Kind != model.Words:
			spoken = true
		case b.Null:
		case blank(b):
			blanks++
		default:
			spoken = true
		}
	}
	switch {
	case !spoken && blanks == 0:
		c.problem(m, "", "empty-message", "the message says nothing and calls nothing", "exports leave it out", c.who(isRequest))
	case !spoken:
		c.problem(m, "", "empty-message", "the message is empty", "exports leave it out", c.who(wantsText))
	case blanks > 0:
		c.problem(m, "", "empty-text", "a text is empty", "exports leave it out", c.who(wantsText))
	}
}

func (c *checker) call(m *Wire, b *WireBlock, seen map[string]bool) {
	if b.ID == "" {
		c.problem(m, "", "missing-id", fmt.Sprintf("the call of %q has no id", b.Name), "exports make one", c.who(wantsIDs))
	} else {
		if bad := c.who(func(p *Provider) bool { return !p.idOK(b.ID) }); len(bad) > 0 {
			c.problem(m, b.ID, "invalid-id", "the id has characters or a length that not all providers take", "exports change it", bad)
		}
		c.unique(m, b, seen)
	}
	if b.Name == "" {
		c.problem(m, b.ID, "missing-name", "the call names no tool", "exports call it unknown", c.who(isRequest))
	} else if bad := c.who(func(p *Provider) bool { return !p.nameOK(b.Name) }); len(bad) > 0 {
		c.problem(m, b.ID, "invalid-name", fmt.Sprintf("the tool's name %q has characters or a length that not all providers take", b.Name), "exports change it", bad)
	}
	c.arguments(m, b)
	if b.Result == nil {
		c.calls = append(c.calls, openCheck{id: b.ID, name: b.Name, index: m.Index, made: c.n, block: c.block, msg: m.ID, result: -1})
		c.open.add(c.turn, b.ID, b.Name)
	}
}

// arguments finds arguments that exports change.
func (c *checker) arguments(m *Wire, b *WireBlock) {
	for _, rule := range []struct {
		as                  argumentsAs
		code, problem, hint string
	}{
		{argumentsNone, "empty-arguments", "the call of %q has no arguments", "exports write {}"},
		{argumentsInput, "text-arguments", "the input of %q is a text", "exports write an object that holds it where the provider has no such tools"},
		{argumentsInner, "encoded-arguments", "the arguments of %q are an object in a text", "exports write the object"},
		{argumentsRaw, "invalid-arguments", "the arguments of %q are no JSON object", "exports keep them under raw_arguments where an object is wanted"},
	} {
		if by := c.who(func(p *Provider) bool { return p.argumentsOf(b) == rule.as }); len(by) > 0 {
			c.problem(m, b.ID, rule.code, fmt.Sprintf(rule.problem, b.Name), rule.hint, by)
		}
	}
}

func (c *checker) bareID(m *Wire, b *WireBlock, what string) {
	if b.BareID {
		c.problem(m, b.ID, "bare-id", fmt.Sprintf("the id of the %s is no string: %.60s", what, b.ID), "exports for providers write it as one", c.who(wantsIDs))
	}
}

func (c *checker) unique(m *Wire, b *WireBlock, seen map[string]bool) {
	before, reused := c.ids[b.ID]
	switch {
	case seen[b.ID]:
		c.problem(m, b.ID, "duplicate-id", "two calls of the message have the same id", "exports change one", c.who(isRequest))
	case reused:
		c.problem(m, b.ID, "duplicate-id", fmt.Sprintf("the id was taken by a call of message %d; results are paired by name, else in order", before), "exports change it where ids must be unique", c.who(wantsUniq))
	default:
		c.ids[b.ID] = m.Index
	}
	seen[b.ID] = true
}

func (c *checker) result(m *Wire, b *WireBlock) {
	n := c.open.answer(b)
	if n < 0 {
		what := "the result answers no call"
		if _, ok := c.ids[b.ID]; ok {
			what = "the call has a result already"
		}
		c.problem(m, b.ID, "orphan-result", what, "exports for providers leave it out", c.who(isRequest))
		if b.ID != "" {
			c.early[b.ID] = append(c.early[b.ID], len(c.list)-1)
		}
		return
	}
	if made := c.calls[n].made; c.last == model.Assistant && (made == c.n || made == c.spoke) {
		c.last = model.Tool
	}
	c.calls[n].result = c.n
	if o := &c.calls[n]; o.made == c.n && (c.answered < 0 || o.block < c.answered) {
		c.answered = o.block
	}
	if o := &c.calls[n]; c.passed(o) {
		c.problem(m, b.ID, "late-result", fmt.Sprintf("messages stand between the result and its call in message %d", o.index), "exports put it behind the call", c.who(isRequest))
	}
	switch made := c.calls[n].name; {
	case b.Name == "":
		c.problem(m, b.ID, "unnamed-result", "the result does not name its tool", "exports take the name from its call",
			c.who(func(p *Provider) bool { return p.NamedResults }))
	case made != "" && made != b.Name:
		c.problem(m, b.ID, "name-mismatch", fmt.Sprintf("the result is of %q and its call of %q", b.Name, made), "exports take the name from its call",
			c.who(func(p *Provider) bool { return p.NamedResults }))
	}
	if b.ID == "" {
		c.problem(m, "", "missing-id", "the result does not name its call", "exports pair it by its place", c.who(wantsIDs))
	}
}

// passed reports whether a message spoke after a call was made.
func (c *checker) passed(o *openCheck) bool { return c.spoke > o.made }

func (c *checker) finish() {
	partly := map[int]bool{} // messages with results for some of their calls
	for i := range c.calls {
		o := &c.calls[i]
		if before := c.early[o.id]; !c.open.answered[i] && len(before) > 0 {
			p := &c.list[before[0]]
			p.Code, p.Problem, p.Hint = "result-before-call", "the result stands before its call", "exports put it behind the call"
			c.early[o.id], c.open.answered[i], o.result = before[1:], true, 0
		}
		partly[o.made] = partly[o.made] || c.open.answered[i]
	}
	for i := range c.calls {
		if !c.open.answered[i] {
			c.unanswered(&c.calls[i], partly[c.calls[i].made])
		}
	}
	c.parted()
}

// parted drops the problem of two consecutive messages of the model if a repair puts the results of
// the first between them. Calls whose results all follow later belong to one response.
func (c *checker) parted() {
	gone := map[int]bool{}
	joined := neighbours{at: -1}
	for _, two := range c.rows {
		if two.firstMade == joined.at {
			two.from = joined.from
		}
		first := -1
		for _, o := range c.calls[two.from:two.to] {
			if o.result >= 0 && (first < 0 || o.result < first) {
				first = o.result
			}
		}
		switch {
		case two.from == two.to:
		case two.calls && first > two.at:
			joined = two
		default:
			gone[two.problem] = true
		}
	}
	left := c.list[:0]
	for i := range c.list {
		if !gone[i] {
			left = append(left, c.list[i])
		}
	}
	c.list = left
}

// unanswered reports a call without a result; partly is true if other calls of its message have
// theirs.
func (c *checker) unanswered(o *openCheck, partly bool) {
	m := &Wire{Index: o.index, ID: o.msg}
	c.at = o.made
	if c.passed(o) || o.made < c.n-1 {
		c.problem(m, o.id, "no-result", fmt.Sprintf("the call of %q has no result", o.name), "exports give it one that says it was interrupted", c.who(isRequest))
		return
	}
	c.problem(m, o.id, "waiting", fmt.Sprintf("the call of %q waits for its result", o.name), "the session may still be running; exports mark the call as interrupted if a request must be complete",
		c.who(func(p *Provider) bool { return (!p.Frontier || partly) && !p.Record }))
}
