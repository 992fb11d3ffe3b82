package infer

import (
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// speakerNouns are words for speakers. With a word of speakerParts behind it, such as in
// "player_id", each is also the name of a field.
var (
	speakerNouns = []string{"speaker", "sender", "author", "agent", "participant", "player", "character", "persona"}
	speakerParts = []string{"id", "name", "role", "type"}
	// other names of fields with a speaker
	speakerKeys = []string{"role", "from", "who", "usertype", "by", "party", "name", "side", "messagetype"}
	// strictKeys occur almost only in messages.
	strictKeys = []string{"speaker", "sender", "author", "player", "character", "persona", "role", "from", "who"}
)

func isSpeakerKey(key string) bool {
	return slices.Contains(speakerKeys, plain(key)) || slices.Contains(speakerNouns, nounOf(key))
}

// nounOf returns the word for a speaker in the name of a field: "player" of "player_id".
func nounOf(key string) string {
	noun := plain(key)
	for _, part := range speakerParts {
		if n, ok := strings.CutSuffix(noun, part); ok && n != "" {
			return n
		}
	}
	return noun
}

// isPart reports whether the values of a field are ids or names in a list of messages, such as
// "rover_id", whatever speaks.
func (f *field) isPart(p *place) bool {
	words := strings.Fields(strings.ToLower(apart(f.path[len(f.path)-1])))
	n := len(words) - 1
	return n > 0 && (words[n] == "id" || words[n] == "name") && slices.Contains([]string{"messages", "conversation", "dialogue", "dialog", "chat"}, plain(lastKey(p.at)))
}

// isStrict reports whether the name of a field occurs almost only in messages.
func (f *field) isStrict() bool { return slices.Contains(strictKeys, nounOf(f.last())) }

// speakers reads rows with a speaker and a text.
func (t *talk) speakers(p *place) *account {
	if p.inner {
		return nil
	}
	if a := t.spoken(p, p.rows); a != nil {
		return a
	}
	texts := slices.DeleteFunc(slices.Clone(p.rows), func(o *value) bool { return !o.says() })
	if len(texts) < minSpoken || len(texts)*10 < len(p.rows) || len(texts) == len(p.rows) {
		return nil
	}
	return t.spoken(p, texts)
}

// minSpoken is the least number of messages between records of other kinds.
const minSpoken = 6

// says reports whether an object has a text under a name that occurs mostly in messages.
func (v *value) says() bool {
	return slices.ContainsFunc(v.keys, func(key string) bool {
		return slices.Contains(textNames, plain(key)) || slices.Contains(spokenNames, plain(key))
	})
}

// spoken reads rows of a place, which have a speaker and a text.
func (t *talk) spoken(p *place, rows []*value) *account {
	w := viewOf(rows)
	if isLog(w) {
		return nil
	}
	var most *account
	for _, f := range w.scalars {
		if f.depth() > 2 || len(f.values)*10 < len(rows)*7 {
			continue
		}
		roles := t.rolesOf(p, w, f)
		if roles == nil {
			continue
		}
		text := spokenText(w, f)
		if text == nil {
			continue
		}
		if a := t.accountOf(p, w, f, text, roles); a != nil && (most == nil || a.messages > most.messages) {
			most = a
		}
	}
	if most != nil {
		t.others(most, w)
	}
	return most
}

// others adds the rows whose speaker or text has another name, such as those that only one side
// writes.
func (t *talk) others(a *account, w *view) {
	main := a.rules[0]
	speaker, text := w.named(main.Role), w.named(main.Text)
	var silent, unnamed []*value
	for _, o := range w.objs {
		switch who := o.at(speaker.path); {
		case who == nil:
			unnamed = append(unnamed, o)
		case o.at(text.path) == nil:
			silent = append(silent, o)
		}
	}
	add := func(w *view, speaker, text *field) {
		if text == nil || !named(text, textNames) && !named(text, spokenNames) || !halfOf(len(text.values), len(w.objs)) {
			return
		}
		r := described.Rule{At: main.At, When: []string{speaker.name(), text.name()}, As: "message", Role: speaker.name(), Text: text.name()}
		t.addDetails(&r, w, speaker, text)
		a.rules = slices.Insert(a.rules, 1, r)
		a.messages += len(text.values)
		a.note(text.name(), "text", 60, "%d texts of the rows without the other one", len(text.values))
	}
	if rest := viewOf(silent); len(silent) > 0 {
		add(rest, speaker, best(rest.scalars, func(f *field) float64 {
			if f.name() == main.Role || !f.texts() || !named(f, textNames) {
				return 0
			}
			return textScore(f, len(silent))
		}))
	}
	if len(unnamed) == 0 || a.roles["*"] == "" {
		return
	}
	rest := viewOf(unnamed)
	for _, f := range rest.scalars {
		if f.isStrict() && f.strings() && len(f.values)*10 >= len(unnamed)*7 && f.distinct() <= maxCast {
			add(rest, f, spokenText(rest, f))
			return
		}
	}
}

// named returns the scalar with a path; nil if there is none.
func (w *view) named(path string) *field {
	if i := slices.IndexFunc(w.scalars, func(f *field) bool { return f.name() == path }); i >= 0 {
		return w.scalars[i]
	}
	return nil
}

// spokenNames are names of text fields that occur almost only in messages.
var spokenNames = []string{"mes", "txt", "utterance", "line", "dialogue", "messagetext", "speech", "what", "said"}

// spokenText returns the field with the text: by its name, or the one with the longest texts.
func spokenText(w *view, speaker *field) *field {
	return best(w.scalars, func(f *field) float64 {
		called := named(f, textNames) || named(f, spokenNames)
		if f == speaker || !f.texts() || f.saying() < 0.15 || f.saying() < 0.3 && !called || !halfOf(len(f.values), len(speaker.values)) || named(f, dullNames) {
			return 0
		}
		score := textScore(f, len(w.objs))
		if called {
			score = (score + 0.1) * 4
		}
		return score
	})
}

// accountOf returns the account of rows with a speaker and a text.
func (t *talk) accountOf(p *place, w *view, speaker, text *field, roles map[string]described.Class) *account {
	a := &account{place: p, fields: w, roles: map[string]string{}, what: "who speaks in the rows, and what they say"}
	for _, o := range p.rows {
		if who, v := o.at(speaker.path), o.at(text.path); who != nil && v != nil && v.size > 0 && (roles[who.scalarText()] == described.User || roles[who.scalarText()] == described.Assistant) {
			a.messages++
		}
	}
	if a.messages == 0 {
		return nil
	}
	for name, class := range roles {
		a.roles[name] = roleNames[class]
	}
	r := described.Rule{At: p.at, When: []string{speaker.name(), text.name()}, As: "message", Role: speaker.name(), Text: text.name()}
	a.note(speaker.name(), "role", 70, "%d speakers in %d rows: %s", speaker.distinct(), len(speaker.values), roleWords(roles))
	a.note(text.name(), "text", 70, "what they say")
	t.addDetails(&r, w, speaker, text)
	a.rules = []described.Rule{r}
	if len(a.rules[0].At) == 0 {
		a.rules = append(a.rules, described.Rule{As: "note"})
	}
	return a
}

// roleWords returns the roles of the speakers in words.
func roleWords(roles map[string]described.Class) string {
	var list []string
	for name, class := range roles {
		if name == "*" {
			continue
		}
		list = append(list, name+" is the "+roleNames[class])
	}
	slices.Sort(list)
	return strings.Join(list[:min(6, len(list))], ", ")
}

// rolesOf returns the class for each value of a field; nil if the values are not speakers.
func (t *talk) rolesOf(p *place, w *view, f *field) map[string]described.Class {
	switch {
	case f.values[0].kind == jsonspan.Bool || f.isFlag():
		return flagRoles(f)
	case !f.strings() || !isSpeakerKey(f.path[len(f.path)-1]) && !isSpeakerKey(f.path[0]) && !isDirection(f) && !f.isPart(p):
		return nil
	case isDirection(f):
		return directionRoles(f, w)
	}
	if w.isAccount(f) || f.last() == "login" || nounOf(f.last()) == "character" && timeField(w) == nil { // a script
		return nil
	}
	if f.distinct() > max(3, min(24, len(f.values)/2)) || f.any(func(v *value) bool { return v.size > 60 }) {
		return nil
	}
	roles := map[string]described.Class{}
	var unknown []string
	has := map[described.Class]bool{}
	for _, v := range f.values {
		if _, seen := roles[v.text]; seen || !writable(v.text) && strings.TrimSpace(v.text) == "" {
			continue
		}
		c := described.SpeakerOf(apart(v.text))
		if c == described.NoClass && looksLikeModel(v.text) {
			c = described.Assistant
		}
		if c == described.NoClass {
			c = roleClass(v.text)
		}
		if c == described.NoClass && f.distinct() <= 3 && described.NamesBot(v.text) {
			c = described.Assistant
		}
		if roles[v.text] = c; c == described.NoClass {
			unknown = append(unknown, v.text)
		}
		has[c] = true
	}
	return complete(p, w, f, roles, unknown, has)
}

func roleClass(text string) described.Class {
	if c := described.ClassOf(text); isRole(c) && c != described.Developer {
		return c
	}
	return described.NoClass
}

// complete adds the unknown speakers: next to a model the others are people, and next to one person
// the others are models.
func complete(p *place, w *view, f *field, roles map[string]described.Class, unknown []string, has map[described.Class]bool) map[string]described.Class {
	as := described.NoClass
	text := spokenText(w, f)
	spoken := text != nil && (named(text, textNames) || named(text, spokenNames))
	switch {
	case !spoken || slices.ContainsFunc(unknown, isPermission):
		return nil
	case has[described.User] && has[described.Assistant] && len(unknown) == 0:
		return roles
	case !has[described.User] && (isAgents(w, f, text) || isCast(p, w, f, text)):
		as = described.Assistant
	case has[described.Assistant] && len(roles) == 1 && len(f.values) > 1 && slices.Contains([]string{"speaker", "sender", "role"}, f.last()):
		return roles // only one side was recorded
	case has[described.Assistant] && has[described.User]:
		if as = described.User; called(roles, model.User) {
			return nil // a user with that name, and others
		}
		if len(unknown) > 1 && f.distinct() > 4 {
			as = described.Assistant // agents of a team
		}
	case has[described.User] && len(unknown) > 0:
		as = described.Assistant
	case has[described.Assistant] && len(unknown) > 0:
		as = described.User
	case has[described.Assistant] && len(roles) > 1:
		return roles // models talking to each other
	case len(unknown) == 2 && len(roles) == 2 && f.isStrict() && alternates(f):
		roles[f.values[0].text] = described.User
		as = described.Assistant
	default:
		return nil
	}
	for _, name := range append(unknown, "*") { // * are the speakers after the sample
		if roles[name] == described.NoClass {
			roles[name] = as
		}
	}
	return roles
}

// called reports whether a speaker's name is that of a role.
func called(roles map[string]described.Class, role model.Role) bool {
	for name := range roles {
		if roleOf(name) == role {
			return true
		}
	}
	return false
}

// isPermission reports whether a word is a permission of an account, whose holder need not speak.
func isPermission(name string) bool {
	return slices.Contains([]string{"admin", "administrator", "viewer", "owner", "editor", "moderator", "manager", "root", "superuser", "staff", "service", "maintainer", "contributor", "reader", "writer", "organization", "iamuser"}, plain(name))
}

// isAgents reports whether all speakers are agents, by the field's name, and talk.
func isAgents(w *view, f, text *field) bool {
	return described.SpeakerOf(apart(f.path[len(f.path)-1])) == described.Assistant && text.saying() > 0.7 && f.distinct() < len(f.values) && !hasWork(w)
}

// maxCast is the most parts that a model plays in a conversation.
const maxCast = 12

// isCast reports whether all speakers are parts played by a model, as in debates and games of
// agents: few names that repeat, with roles or rounds, or next to a model and its tokens.
func isCast(p *place, w *view, f, text *field) bool {
	n := f.distinct()
	if n < 2 || n > maxCast || len(f.values) < 2*n || text.saying() < 0.7 || !f.isStrict() && !f.isPart(p) || hasWork(w) {
		return false
	}
	return f.last() == "role" || slices.ContainsFunc(w.scalars, func(s *field) bool {
		switch s.last() {
		case "model", "modelname", "round", "tokens", "tokencount", "temperature", "persona", "llm":
			return mostOf(len(s.values), len(w.objs))
		}
		return false
	})
}

// hasWork reports whether rows describe the work of other agents: a task, a status or similar.
func hasWork(w *view) bool {
	return slices.ContainsFunc(w.scalars, func(f *field) bool {
		switch f.last() {
		case "task", "status", "stage", "job", "exitcode", "queue", "host":
			return mostOf(len(f.values), len(w.objs))
		}
		return false
	})
}

// alternates reports whether two speakers alternate for long enough to rule out chance: about two
// standard deviations more often than a coin would, and seven of ten times.
func alternates(f *field) bool {
	if len(f.values) < 6 {
		return false
	}
	changes := 0
	for i, v := range f.values[1:] {
		if v.text != f.values[i].text {
			changes++
		}
	}
	pairs := len(f.values) - 1
	excess := 2*changes - pairs
	return excess*excess >= 5*pairs && changes*10 >= pairs*7
}

// flagRoles returns the roles for a boolean field: is_user, fromMe, is_bot.
func flagRoles(f *field) map[string]described.Class {
	words := strings.Fields(strings.ToLower(apart(f.path[len(f.path)-1])))
	words = slices.DeleteFunc(words, func(w string) bool { return w == "is" || w == "from" || w == "by" || w == "sent" })
	if len(words) != 1 {
		return nil
	}
	yes, no := "true", "false"
	if f.isFlag() {
		if yes, no = "1", "0"; words[0] == "me" || f.distinct() < 2 { // phones mark people
			return nil
		}
	}
	switch described.SpeakerOf(words[0]) {
	case described.User:
		return map[string]described.Class{yes: described.User, no: described.Assistant}
	case described.Assistant:
		return map[string]described.Class{yes: described.Assistant, no: described.User}
	}
	return nil
}

// isFlag reports whether a field is a boolean as stored by databases: is_user is 1 or 0.
func (f *field) isFlag() bool {
	return f.values[0].kind == jsonspan.Number && strings.HasPrefix(f.last(), "is") && f.all(func(v *value) bool { return string(v.raw) == "0" || string(v.raw) == "1" })
}

// directions are words for messages that a program receives and sends.
var directions = map[string]described.Class{"incoming": described.User, "inbound": described.User, "in": described.User, "received": described.User,
	"outgoing": described.Assistant, "outbound": described.Assistant, "out": described.Assistant, "sent": described.Assistant}

func isDirection(f *field) bool {
	return f.strings() && f.last() == "direction" && f.all(func(v *value) bool { return directions[strings.ToLower(v.text)] != described.NoClass })
}

// directionRoles returns the roles for directions, if people talk: messages between services rarely
// have questions or exclamations.
func directionRoles(f *field, w *view) map[string]described.Class {
	text := spokenText(w, f)
	if text == nil || text.saying() < 0.8 || text.share(func(v *value) bool { return strings.ContainsAny(v.text, "?!？！～,，") }) < 0.3 {
		return nil
	}
	roles := map[string]described.Class{}
	for _, v := range f.values {
		roles[v.text] = directions[strings.ToLower(v.text)]
	}
	return roles
}
