package infer

import (
	"bytes"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// Names of fields with a request to a model and with its reply, if one record has both.
var (
	askNames   = []string{"prompt", "question", "task", "instruction", "instructions", "usermessage"}
	replyNames = []string{"response", "answer", "completion", "output", "reply", "result", "generation"}
)

// exchange finds records with a request to a model and its reply: logs of requests, spans of a
// trace. It reports whether there are some.
func (f *search) exchange() bool {
	for _, fr := range f.frames {
		w := viewOf(fr.objs)
		asked, reply := exchanged(w)
		if asked == nil {
			continue
		}
		var both, replies []*value
		for _, o := range fr.objs {
			switch {
			case o.at(asked.path) != nil:
				both = append(both, o)
			case o.at(reply.path) != nil: // a separate event
				replies = append(replies, o)
			}
		}
		for _, other := range f.frames {
			other.groups = nil
		}
		f.listed = asked.listing(model.User) > 0
		f.apart = f.listed && asked.apart()
		f.lone = reply.values[0].kind == jsonspan.Object
		f.note(join(fr.at, asked.name()), "request", 70, "what was asked, beside an answer")
		f.note(join(fr.at, reply.name()), "reply", 70, "the answer")
		fr.exchanged(f, both, described.Rule{As: "exchange", When: []string{asked.name()}, Request: asked.name(), Reply: reply.name()})
		fr.exchanged(f, replies, described.Rule{As: "exchange", When: []string{reply.name()}, Reply: reply.name()})
		return true
	}
	return false
}

// exchanged makes a rule for objects.
func (fr *frame) exchanged(f *search, objs []*value, rule described.Rule) {
	if len(objs) == 0 {
		return
	}
	g := &group{frame: fr, view: viewOf(objs), class: described.Assistant, used: true, rule: rule}
	fr.groups = append(fr.groups, g)
	f.rest(g)
}

// exchanged returns the fields with the request and the reply: lists of messages, or texts with
// such names.
func exchanged(w *view) (asked, reply *field) {
	fields := slices.Concat(w.scalars, w.lists, w.objects)
	asked = best(fields, func(s *field) float64 { return s.listing(model.User) })
	reply = best(fields, func(s *field) float64 { return s.listing(model.Assistant) })
	if asked != nil && reply == nil {
		if reply = w.text(replyNames); reply == nil && w.answered() && asked.awaits() {
			reply = best(w.scalars, func(s *field) float64 {
				if s == asked || !siblings(s, asked) || !sentences(s) {
					return 0
				}
				return textScore(s, len(s.values))
			})
		}
	}
	if asked != nil && reply != nil {
		if countedAlike(asked, reply) { // message_1, message_2 and more
			return nil, nil
		}
		return asked, reply
	}
	if asked, reply = w.text(askNames), w.text(replyNames); asked == nil || reply == nil || !w.answered() {
		return nil, nil
	}
	return asked, reply
}

// countedAlike reports whether two names differ only in a number.
func countedAlike(a, b *field) bool {
	stem := func(f *field) string { return strings.TrimRight(f.path[len(f.path)-1], "0123456789") }
	return stem(a) == stem(b) && stem(a) != a.path[len(a.path)-1] && stem(b) != b.path[len(b.path)-1]
}

// answered reports whether records name the model or agent that answers, unlike data sets of
// questions and logs of jobs.
func (w *view) answered() bool {
	return slices.ContainsFunc(w.scalars, func(s *field) bool {
		agent := s.strings() && slices.Contains([]string{"agent", "agentname", "assistant", "bot"}, s.last())
		return s.share(func(v *value) bool {
			return looksLikeModel(v.text) || agent && looksLikeName(strings.ReplaceAll(v.text, " ", "_")) && !looksLikeID(v.text)
		}) > 0.9
	})
}

// text returns the field with sentences that has one of some names.
func (w *view) text(names []string) *field {
	return best(w.scalars, func(s *field) float64 {
		keys := strings.Split(strings.Join(s.path, "."), ".")
		called := slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(names, plain(key)) })
		if !called || !s.strings() || !s.most(func(v *value) bool { return strings.ContainsAny(v.text, " \n") && !notText(v) }) {
			return 0
		}
		return float64(len(s.values))
	})
}

// listing counts the messages in a field's lists where role speaks (the assistant only without a
// user). It returns 0 if they are fewer than the lists.
func (s *field) listing(role model.Role) float64 {
	fit, all := 0, 0
	for _, v := range s.values {
		roles := v.speakers()
		if all++; slices.Contains(roles, role) && (role != model.Assistant || !slices.Contains(roles, model.User)) {
			fit += len(roles)
		}
	}
	if fit < all {
		return 0
	}
	return float64(fit)
}

// awaits reports whether lists of messages end before an answer.
func (s *field) awaits() bool {
	return s.most(func(v *value) bool {
		roles := v.speakers()
		return len(roles) > 0 && roles[len(roles)-1] != model.Assistant
	})
}

// speakers returns the roles of the messages in a list, which may also be JSON in a string; nil if
// it has other elements.
func (v *value) speakers() (roles []model.Role) {
	for _, m := range v.messages() {
		role := m.speaker()
		if role == model.NoRole {
			return nil
		}
		roles = append(roles, role)
	}
	return roles
}

// messages returns the elements of a list, also of one encoded in a string; other values are
// one message.
func (v *value) messages() []*value {
	if v.packed {
		text := model.EscapedText(v.raw[1:max(1, len(v.raw)-1)])
		c := jsonspan.New(text.Append(nil))
		if v = (&builder{}).build(&c, nil, 0); v == nil {
			return nil
		}
	}
	switch v.kind {
	case jsonspan.Array:
		return v.list
	case jsonspan.Object: // a single message: {"role": "assistant", "content": "…"}
		return []*value{v}
	}
	return nil
}

// Awaits reports whether most records of a sample have messages that end before an answer, and a
// text next to them that may be the answer. It is cheap.
func Awaits(s *model.Sample) bool {
	records, n := firstOf(s), 0
	for _, r := range records {
		awaits, text := false, false
		c := jsonspan.New(r)
		if c.Kind() != jsonspan.Object {
			continue
		}
		for c.Object(); c.Key(); {
			switch v := c.Skip(); jsonspan.KindOf(v) {
			case jsonspan.String:
				text = text || bytes.IndexByte(v, ' ') >= 0
			case jsonspan.Array:
				var last []byte
				for m := range jsonspan.List(v) {
					last = jsonspan.GetString(m, "role")
				}
				awaits = awaits || len(last) > 0 && roleOf(string(last)) != model.Assistant
			}
		}
		if awaits && text {
			n++
		}
	}
	return mostOf(n, len(records))
}

// apart reports whether lists of messages are separate conversations: they begin with different
// messages of the user.
func (s *field) apart() bool {
	began := map[string]bool{}
	n := 0
	for _, v := range s.values {
		all := v.messages()
		if i := slices.IndexFunc(all, func(m *value) bool { return m.speaker() == model.User }); i >= 0 {
			began[string(all[i].raw)] = true
			n++
		}
	}
	return mostOf(len(began), n)
}

// speaker returns the role that is the complete value of an object's member.
func (v *value) speaker() model.Role {
	// {"message": {…}}
	if v.kind == jsonspan.Object && len(v.list) == 1 && v.list[0].kind == jsonspan.Object {
		v = v.list[0]
	}
	for _, e := range v.list {
		if role := roleOf(e.text); v.kind == jsonspan.Object && e.kind == jsonspan.String && role != model.NoRole {
			return role
		}
	}
	return model.NoRole
}

func roleOf(text string) model.Role {
	role, _ := model.ParseRole(strings.ToLower(text))
	return role
}
