package infer

import (
	"bytes"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// parallelNames are names that mean a side only for parallel lists.
var parallelNames = map[string]described.Class{"past": described.User, "generated": described.Assistant}

// parallel reads objects with two lists of texts: the questions and their answers.
func (t *talk) parallel(p *place) *account {
	w := viewOf(p.rows)
	var ask, reply *field
	how := 0
	for _, l := range w.lists {
		side, sure := sideOfList(l)
		if len(l.path) > 2 || !l.listsTexts() {
			continue
		}
		switch {
		case side == described.User && ask == nil:
			ask, how = l, how+sure
		case side == described.Assistant && reply == nil:
			reply, how = l, how+sure
		}
	}
	if ask == nil || reply == nil || isGraded(w) || how < certain && !t.answers(w, reply) {
		return nil
	}
	a := &account{place: p, fields: w, what: "lists of questions and answers"}
	for _, o := range p.rows {
		asked, answered := o.at(ask.path), o.at(reply.path)
		if asked == nil || answered == nil || len(asked.list)-len(answered.list) > 1 || len(answered.list)-len(asked.list) > 1 {
			return nil
		}
		a.messages += len(asked.list) + len(answered.list)
	}
	if a.messages < 2 {
		return nil
	}
	r := described.Rule{At: p.at, As: "exchange", When: []string{ask.name()}, Request: ask.name() + "[]", Reply: reply.name() + "[]"}
	a.note(ask.name(), "request", 60, "lists of questions")
	a.note(reply.name(), "reply", 60, "lists of answers, of the same length")
	t.addDetails(&r, w)
	a.rules = []described.Rule{r}
	return a
}

// answers reports whether a list has the answers of a model: by its name, or because the object
// names the model.
func (t *talk) answers(w *view, reply *field) bool {
	var r described.Rule
	t.addDetails(&r, w)
	name := apart(reply.path[len(reply.path)-1])
	return r.Model != "" || strings.Contains(name, "response") || strings.Contains(name, "repl") || strings.Contains(name, "completion") || name == "generated"
}

// sideOfList returns the speaker of a list's elements, by its name: prompts, past_user_inputs.
func sideOfList(l *field) (described.Class, int) {
	words := strings.Fields(strings.ToLower(apart(l.path[len(l.path)-1])))
	if len(words) == 1 && parallelNames[words[0]] != described.NoClass {
		return parallelNames[words[0]], likely
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "past" || w == "all" || w == "list" || w == "history" })
	if len(words) == 0 {
		return described.NoClass, unsure
	}
	last := words[len(words)-1]
	if rest, ok := strings.CutSuffix(last, "ies"); ok {
		last = rest + "y"
	}
	words[len(words)-1] = strings.TrimSuffix(last, "s")
	return sideOf([]string{strings.Join(words, " ")})
}

// listsTexts reports whether all elements of lists are texts, and most are more than a word.
func (l *field) listsTexts() bool {
	all, words := 0, 0
	for _, v := range l.values {
		for _, e := range v.list {
			if e.kind != jsonspan.String || v.kind != jsonspan.Array || e.packed {
				return false
			}
			if all++; strings.ContainsAny(e.text, " ?!？！。") || !isASCII(e.text) {
				words++
			}
		}
	}
	return all > 0 && halfOf(words, all)
}

// botKeys are names of fields that only messages of bots have.
var botKeys = []string{"botid", "botprofile", "botname", "assistantid"}

// bots reads rows some of which are from a bot. A field marks these rows and is absent from the
// others: bot_id, or a kind like bot_message.
func (t *talk) bots(p *place) *account {
	w := viewOf(p.rows)
	if isLog(w) || p.inner || len(p.rows) < 2 {
		return nil
	}
	for _, f := range w.scalars {
		if len(f.path) > 1 || !f.strings() {
			continue
		}
		sign := f.name()
		if !slices.Contains(botKeys, f.last()) && (f.last() != "subtype" && f.last() != "type" && f.last() != "kind" || f.distinct() > 1 || described.ClassOf(f.values[0].text) != described.Assistant) {
			continue
		}
		text := w.text([]string{"text", "content", "message", "body"})
		if text == nil || len(f.values)*5 < len(p.rows) || len(f.values)*5 > len(p.rows)*4 || !turnsTaken(p.rows, f, text) {
			continue
		}
		a := &account{place: p, fields: w, messages: len(text.values), what: "rows marked by a field as written by a bot"}
		a.note(f.name(), "role", 60, "%d of %d rows have it: the assistant's", len(f.values), len(p.rows))
		a.note(text.name(), "text", 60, "what is said")
		bot := described.Rule{At: p.at, When: []string{sign, text.name()}, As: "message", Role: "=assistant", Text: text.name()}
		person := described.Rule{At: p.at, When: []string{"!" + sign, text.name()}, As: "message", Role: "=user", Text: text.name()}
		t.addDetails(&bot, w, text)
		t.addDetails(&person, w, text)
		a.rules = []described.Rule{bot, person}
		return a
	}
	return nil
}

// turnsTaken reports whether rows with a field and rows without it mostly alternate: people who ask
// a bot wait for its answer; a bot in a channel of people posts at any time.
func turnsTaken(rows []*value, f, text *field) bool {
	changes, n, was := 0, 0, false
	for _, o := range rows {
		if o.at(text.path) == nil {
			continue
		}
		is := o.at(f.path) != nil
		if n > 0 && is != was {
			changes++
		}
		was = is
		n++
	}
	return n > 1 && changes*10 >= (n-1)*6
}

// dialogues reads texts that contain a conversation each, or lists of texts that each begin
// with a speaker.
func (t *talk) dialogues(p *place) *account {
	if t.kit.Dialogue == nil {
		return nil
	}
	w := viewOf(p.rows)
	var most *account
	add := func(at string, texts []*value) {
		if n := len(slices.DeleteFunc(slices.Clone(texts), func(v *value) bool { return !v.namesSpeaker() })); n*10 < len(texts)*8 {
			return
		}
		users, assistants, spoken, both := 0, 0, 0, 0
		for _, v := range texts {
			list := t.dialogue(v)
			if len(list) > 0 {
				spoken++
			}
			if len(list) > 1 {
				both++
			}
			for _, m := range list {
				switch {
				case bytes.Contains(m[:min(len(m), 24)], []byte(`"role":"user"`)):
					users++
				case bytes.Contains(m[:min(len(m), 24)], []byte(`"role":"assistant"`)):
					assistants++
				}
			}
		}
		if users == 0 || assistants == 0 || spoken*10 < len(texts)*8 || users+assistants < 2 || most != nil && users+assistants <= most.messages {
			return
		}
		most = &account{place: p, fields: w, messages: users + assistants, what: "texts in which speakers are named"}
		most.note(at, "dialogue", 60, "%d texts with the words of %d users and %d assistants", len(texts), users, assistants)
		r := described.Rule{At: p.at, When: []string{at}, As: "dialogue", Text: at}
		if strings.HasSuffix(at, "[]") {
			r.When = []string{strings.TrimSuffix(at, "[]")}
		}
		if at == "." {
			r.When = nil
		}
		t.addDetails(&r, w)
		most.rules, most.apart = []described.Rule{r}, mostOf(both, len(texts)) && !strings.HasSuffix(at, "[]")
	}
	if p.texts {
		add(".", p.rows)
	}
	for _, f := range w.scalars {
		if f.strings() && f.depth() <= 3 {
			add(f.name(), f.values)
		}
	}
	for _, l := range w.lists {
		var texts []*value
		for _, v := range l.values {
			if v.kind == jsonspan.Array {
				texts = append(texts, only(v.list, jsonspan.String)...)
			}
		}
		if len(texts) > 1 && len(l.path) <= 2 {
			add(l.name()+"[]", texts)
		}
	}
	return most
}

// dialogue returns the messages in a text, nil if it does not begin with a speaker.
func (t *talk) dialogue(v *value) [][]byte {
	if v.kind != jsonspan.String || v.packed || v.size < 6 {
		return nil
	}
	if !v.namesSpeaker() {
		return nil
	}
	return t.kit.Dialogue(model.EscapedText(v.raw[1 : len(v.raw)-1]).Append(nil))
}

// namesSpeaker is a cheap check whether a text begins with the name of a speaker, or with a mark of
// a model's input.
func (v *value) namesSpeaker() bool {
	head := strings.TrimSpace(v.text)
	for _, mark := range [...]string{"<|", "<s>", "[INST]", "<start_of_turn>", "<｜"} {
		if strings.HasPrefix(head, mark) {
			return true
		}
	}
	head = strings.TrimLeft(head, "#*_[<> -")
	end := strings.IndexAny(head, ":：>]*_|(\n")
	if end <= 0 || end > 40 {
		return false
	}
	name := strings.TrimRight(head[:end], " 0123456789")
	return described.SpeakerOf(name) != described.NoClass || described.HeadingOf(name) != described.NoClass
}
