package infer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// How certain the name of a field is for questions or answers.
const (
	unsure  = 0
	likely  = 1 // question, output
	certain = 3 // user, bot_reply
)

// sideOf returns the speaker of a field, by its name.
func sideOf(path []string) (described.Class, int) {
	key := path[len(path)-1]
	if len(path) > 1 && slices.Contains(textNames, plain(key)) { // user.text
		key = path[len(path)-2]
	}
	key = apart(key)
	if c := described.SpeakerOf(key); c == described.User || c == described.Assistant {
		return c, certain
	}
	if c := described.SideOf(key); c != described.NoClass {
		return c, likely
	}
	return described.NoClass, unsure
}

// apart splits a key into words: userMessage becomes "user Message".
func apart(key string) string {
	var b strings.Builder
	for i, r := range key {
		switch {
		case r == '_' || r == '-' || r == '.':
			r = ' '
		case r >= 'A' && r <= 'Z' && i > 0 && key[i-1] >= 'a' && key[i-1] <= 'z':
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// saying returns the share of a field's values that are more than a word, as people write.
func (f *field) saying() float64 {
	return f.share(func(v *value) bool {
		return v.kind == jsonspan.String && strings.ContainsAny(v.text, " \n?!？！。") || !isASCII(v.text)
	})
}

// texts reports whether a field contains texts, and neither ids, times nor JSON.
func (f *field) texts() bool { return f.strings() && !f.most(notText) && f.depth() <= 3 }

// exchanges reads objects with a question and its answer.
func (t *talk) exchanges(p *place) *account {
	w := viewOf(p.rows)
	ask, reply, how := sidesOf(w)
	if ask == nil || isLog(w) || !t.plausible(p, w, ask, reply, how) {
		return nil
	}
	a := &account{place: p, fields: w, what: "what was asked and answered", apart: w.judged() && timeField(w) == nil}
	for _, o := range p.rows {
		for _, f := range []*field{ask, reply} {
			if v := o.at(f.path); v != nil && v.kind == jsonspan.String && v.size > 0 {
				a.messages++
			}
		}
	}
	r := described.Rule{At: p.at, As: "exchange", When: []string{ask.name()}, Request: ask.name(), Reply: reply.name()}
	a.note(ask.name(), "request", 50+10*min(how, certain), "%d texts of what was asked", len(ask.values))
	a.note(reply.name(), "reply", 50+10*min(how, certain), "%d texts beside them, of what was answered", len(reply.values))
	rest := r
	rest.When, rest.Request = []string{reply.name()}, ""
	t.addDetails(&r, w, ask, reply)
	t.addDetails(&rest, w, ask, reply)
	for _, f := range substitutes(w, p, ask, reply) {
		a.note(f.name(), "reply", 50+10*min(how, certain), "%d texts of the records without the other reply", len(f.values))
		other := r
		other.When, other.Reply = []string{ask.name(), f.name()}, f.name()
		a.rules, a.messages = append(a.rules, other), a.messages+len(f.values)
	}
	a.rules = append(a.rules, r, rest)
	return a
}

// judged reports whether rows have what an answer is compared with or based on, as in
// evaluations: there each row is a conversation.
func (w *view) judged() bool {
	return slices.ContainsFunc(slices.Concat(w.scalars, w.lists), func(f *field) bool { return len(f.path) == 1 && named(f, judgedNames) })
}

var judgedNames = []string{"reference", "groundtruth", "groundtruths", "expected", "expectedoutput", "expectedanswer", "contexts", "retrievedcontexts"}

// substitutes returns the fields with the answers of records that lack the usual one, as after the
// bot got another name: each is the only other text next to the question.
func substitutes(w *view, p *place, ask, reply *field) (list []*field) {
	for _, f := range w.scalars {
		c, _ := sideOf(f.path)
		if f == ask || f == reply || !siblings(f, ask) || !f.texts() || f.saying() < 0.5 || c == described.User ||
			named(f, dullNames) || named(f, timeNames) || named(f, errorNames) || named(f, thinkNames) {
			continue
		}
		if !slices.ContainsFunc(p.rows, func(o *value) bool {
			return o.at(f.path) != nil && (o.at(reply.path) != nil || o.at(ask.path) == nil)
		}) {
			list = append(list, f)
		}
	}
	for _, f := range list { // of several in one record, none is the answer for sure
		if slices.ContainsFunc(list, func(g *field) bool {
			return g != f && slices.ContainsFunc(p.rows, func(o *value) bool { return o.at(f.path) != nil && o.at(g.path) != nil })
		}) {
			return nil
		}
	}
	return list
}

// addDetails sets the paths of the time, the model and the usage of a rule.
func (t *talk) addDetails(r *described.Rule, w *view, texts ...*field) {
	if f := timeField(w); f != nil {
		r.Time = f.name()
	}
	for _, s := range w.scalars {
		if r.Model == "" && s.depth() <= 2 && s.strings() && !slices.Contains(texts, s) && s.share(func(v *value) bool { return looksLikeModel(v.text) }) > 0.8 {
			r.Model = s.name()
		}
	}
	for _, o := range w.objects {
		if r.Usage == "" && len(o.path) == 1 && named(o, usageNames) && t.kit.Usage(o.values[0].raw).Scope != 0 {
			r.Usage = o.name()
		}
	}
}

// sidesOf returns the fields with the question and the answer, and how certain they are.
func sidesOf(w *view) (ask, reply *field, how int) {
	sure := map[*field]int{}
	side := func(class described.Class) *field {
		return best(w.scalars, func(f *field) float64 {
			c, n := sideOf(f.path)
			if c != class || !f.texts() {
				return 0
			}
			sure[f] = n
			return float64(n) * float64(len(f.values)) * (0.3 + f.saying()) / float64(len(f.path))
		})
	}
	ask, reply = side(described.User), side(described.Assistant)
	switch {
	case ask != nil && reply != nil:
	case ask != nil:
		reply = otherSide(w, ask)
	case reply != nil:
		names := []string{"message", "msg", "text"}
		if sure[reply] == certain { // any field next to bot_response
			names = append(names, "messagetext", "inputtext", "content", "body", "said")
		}
		if ask = w.text(names); ask == nil || sure[reply] == unsure {
			return nil, nil, 0
		}
		sure[ask] = likely
	}
	if ask == nil || reply == nil || ask == reply || w.numbered(ask) || w.numbered(reply) {
		return nil, nil, 0
	}
	return ask, reply, sure[ask] + sure[reply]
}

// numbered reports whether several fields differ only in a number: user_1, user_2.
func (w *view) numbered(f *field) bool {
	stem := func(f *field) string { return strings.TrimRight(f.path[len(f.path)-1], "0123456789") }
	return stem(f) != f.path[len(f.path)-1] && slices.ContainsFunc(w.scalars, func(s *field) bool { return s != f && siblings(s, f) && stem(s) == stem(f) })
}

// otherSide returns the only other field with text next to a certain one: the name of the assistant
// may be its key.
func otherSide(w *view, ask *field) *field {
	if _, n := sideOf(ask.path); n != certain {
		return nil
	}
	var other *field
	for _, f := range w.scalars {
		if f == ask || !f.texts() || f.saying() < 0.5 || len(f.path) != len(ask.path) {
			continue
		}
		if other != nil || named(f, textNames) || named(f, dullNames) || named(f, timeNames) || !halfOf(f.distinct(), len(f.values)) {
			return nil
		}
		other = f
	}
	return other
}

// plausible reports whether two fields form a conversation, rather than columns of a data set.
func (t *talk) plausible(p *place, w *view, ask, reply *field, how int) bool {
	both := 0
	for _, o := range p.rows {
		if o.at(ask.path) != nil && o.at(reply.path) != nil {
			both++
		}
	}
	if both == 0 || both*10 < len(p.rows)*3 || reply.saying() < 0.3 && ask.saying() < 0.5 {
		return false
	}
	if ask.share(isRepr) > 0.3 || reply.share(isRepr) > 0.3 {
		return false
	}
	if how >= 2*certain {
		message := strings.Contains(apart(ask.path[len(ask.path)-1]), " ") // as in user_message
		return ask.saying() >= 0.3 || reply.saying() >= 0.5 && (message || ask.distinct() > 1 && !looksLikeNames(ask))
	}
	if ask.saying() < 0.3 || reply.saying() < 0.3 || ask.distinct() == 1 && len(ask.values) > 2 {
		return false
	}
	if how >= certain { // one side is certain
		return true
	}
	switch plain(reply.path[len(reply.path)-1]) {
	case "response", "reply", "completion", "generation":
		return !isGraded(w)
	}
	return t.isRecord(w, p, ask)
}

// isRepr reports whether a text is a printed Python object, in which no text is directly a
// speaker's.
func isRepr(v *value) bool {
	return strings.HasPrefix(v.text, "content='") || strings.HasPrefix(v.text, "[{'") || strings.HasPrefix(v.text, "{'")
}

// looksLikeNames reports whether values look like account names: single words that repeat.
func looksLikeNames(f *field) bool {
	return !mostOf(f.distinct(), len(f.values)) && f.share(func(v *value) bool { return looksLikeName(v.text) }) > 0.8
}

// isRecord reports whether objects record events: they have a session, a model, its usage or the
// time of day of writing.
func (t *talk) isRecord(w *view, p *place, ask *field) bool {
	if sessionField(w, p.rows) != nil || p.above != nil && (p.above.named || sessionField(viewOf(p.above.rows), p.above.rows) != nil) {
		return true
	}
	var r described.Rule
	if t.addDetails(&r, w); r.Model != "" || r.Usage != "" {
		return true
	}
	if isGraded(w) {
		return false
	}
	if t.recorded {
		return true
	}
	return slices.ContainsFunc(w.scalars, func(f *field) bool {
		return siblings(f, ask) && f.share(func(v *value) bool {
			return v.kind == jsonspan.String && isMoment(v.text) || v.kind == jsonspan.Number && timeNumber(string(v.raw))
		}) >= 0.9
	})
}

// moment matches a date with the time of day in common forms: "2026-01-05 10:00",
// "2026.01.05-10:00:01", "5/1/2026, 10:00".
var moment = regexp.MustCompile(`^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}[T ,_-]{1,2}\d{1,2}[:.]\d{2}`)

func isMoment(text string) bool { return len(text) < 48 && moment.MatchString(text) }

// chatNames are words in the names of files with conversations.
var chatNames = []string{"chat", "chats", "chatlog", "chatlogs", "chathistory", "conversation", "conversations", "transcript", "transcripts", "history", "session", "sessions", "interaction", "interactions"}

// dataNames are words in the names of files with other questions and answers.
var dataNames = []string{"faq", "faqs", "dataset", "data", "train", "training", "test", "eval", "benchmark", "intents", "quiz", "questions", "knowledge", "kb", "corpus"}

// namesChat reports whether the name of a file suggests a recorded conversation: chat_history.json,
// but not faq_chat.json.
func namesChat(path string) bool {
	words := strings.Fields(strings.ToLower(apart(path[strings.LastIndexAny(path, `/\`)+1:])))
	in := func(names []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, strings.TrimRight(w, "0123456789")) })
	}
	return in(chatNames) && !in(dataNames)
}

// isGraded reports whether rows are from a data set: they have a choice of answers, or a label.
func isGraded(w *view) bool {
	return slices.ContainsFunc(slices.Concat(w.scalars, w.lists), func(f *field) bool {
		switch f.last() {
		case "choices", "options", "distractors", "difficulty", "groundtruth", "goldanswer", "goldlabel", "isduplicate", "correctanswer", "split":
			return true
		}
		return false
	})
}

// isLog reports whether objects are the lines of a program's log.
func isLog(w *view) bool {
	return slices.ContainsFunc(w.scalars, func(f *field) bool {
		switch f.last() {
		case "level", "loglevel", "severity", "levelname", "logger", "traceid", "spanid":
			return mostOf(len(f.values), len(w.objs))
		}
		return false
	})
}

// pairs reads lists of two texts: a question and its answer.
func (t *talk) pairs(p *place) *account {
	n := 0
	ask, reply := &field{path: []string{"user"}}, &field{path: []string{"assistant"}}
	marked := 0
	for _, row := range p.rows {
		if !row.isPair() {
			continue
		}
		n++
		for i, f := range []*field{ask, reply} {
			if v := row.list[i]; v.kind == jsonspan.String && v.size > 0 {
				f.values = append(f.values, v)
			}
		}
		if strings.HasPrefix(row.list[0].text, "<|") {
			marked++
		}
	}
	if n == 0 || n*10 < len(p.rows)*9 || len(ask.values) == 0 || len(reply.values) == 0 {
		return nil
	}
	if a := spoken(p, ask, reply); a != nil {
		return a
	}
	// Most questions are more than a word, and answers are longer and have sentences: words and
	// their translations are neither.
	words := ask.share(func(v *value) bool {
		return len(strings.Fields(v.text)) < 2 && !strings.ContainsAny(v.text, "0123456789?+") && isASCII(v.text)
	})
	sentences := reply.share(func(v *value) bool { return strings.Count(v.text, " ") >= 4 || !isASCII(v.text) && v.size > 24 })
	if words > 0.5 || sentences < 0.5 || reply.size() < 1.3*ask.size() || !ask.texts() || !reply.texts() {
		return nil
	}
	a := &account{place: p, messages: len(ask.values) + len(reply.values) - marked, columns: []string{"user", "assistant"}, what: "pairs of what was asked and answered"}
	a.note("[0]", "request", 60, "%d texts, the first of a pair", len(ask.values))
	a.note("[1]", "reply", 60, "%d texts, the second, mostly longer", len(reply.values))
	a.rules = []described.Rule{{At: p.at, As: "exchange", Request: "user", Reply: "assistant"}}
	return a
}

// spoken reads pairs of a speaker and a text: nil unless every first text names a side and both
// sides speak. A list of words with their meanings has each word once.
func spoken(p *place, who, said *field) *account {
	a := &account{place: p, messages: len(said.values), roles: map[string]string{}, columns: []string{"speaker", "text"}, what: "pairs of a speaker and a text"}
	sides := map[described.Class]bool{}
	for _, v := range who.values {
		class := cmp.Or(described.SpeakerOf(apart(v.text)), roleClass(v.text))
		if class == described.NoClass {
			return nil
		}
		sides[class], a.roles[v.text] = true, roleNames[class]
	}
	if !sides[described.User] || !sides[described.Assistant] || len(a.roles) == len(who.values) && said.share(func(v *value) bool { return strings.Contains(v.text, " ") }) < 0.5 {
		return nil
	}
	a.note("[0]", "role", 70, "%d speakers, the first of a pair", len(a.roles))
	a.note("[1]", "text", 70, "what they say")
	a.rules = []described.Rule{{At: p.at, As: "message", Role: "speaker", Text: "text"}}
	return a
}

// messages reads lists of messages in a form that formats recognise: under names, or several in an
// object.
func (t *talk) messages(p *place) *account {
	if p.lists {
		n := 0
		for _, l := range p.rows {
			n += l.messageCount()
		}
		if n == 0 || !p.named && p.at == "" {
			return nil
		}
		a := &account{place: p, messages: n, what: "lists of messages", merged: !p.named && grow(p.rows)}
		a.note("", "messages", 80, "%d lists of messages", len(p.rows))
		a.rules = []described.Rule{{At: p.at, As: "exchange", Request: "."}}
		if p.named {
			a.rules[0].Session, a.rules[0].Keep = "@", map[string]string{"title": "@"}
		}
		return a
	}
	var fields []*field
	n := 0
	w := viewOf(p.rows)
	for _, l := range w.lists {
		count := 0
		for _, v := range l.values {
			count += v.messageCount()
		}
		if count > 0 && len(l.path) == 1 && l.values[0].kind == jsonspan.Array {
			fields, n = append(fields, l), n+count
		}
	}
	if len(fields) == 0 {
		return nil
	}
	// Several lists of a row are sessions of that row only.
	a := &account{place: p, messages: n, what: "lists of messages", apart: len(fields) > 1}
	for _, l := range fields {
		r := described.Rule{At: join(p.at, l.name()), As: "exchange", Request: "."}
		if len(fields) > 1 {
			r.Session, r.Keep = "@", map[string]string{"title": "@"}
		}
		a.rules = append(a.rules, r)
		a.note(l.name(), "messages", 80, "%d lists of messages", len(l.values))
	}
	if len(fields) == 1 {
		a.rules = []described.Rule{{At: p.at, As: "exchange", When: []string{fields[0].name()}, Request: fields[0].name()}}
		if a.merged = !p.named && grow(fields[0].values); a.merged {
			t.addAnswer(a, w, fields[0])
		}
	}
	return a
}

// addAnswer adds the answers next to growing lists, or next to the objects with these, with time,
// model and usage.
func (t *talk) addAnswer(a *account, w *view, lists *field) {
	rows, path, at := a.place.rows, lists.path, a.place.at
	reply := continued(w, rows, path)
	if reply == nil && a.place.inner {
		key, ok := keyOf(rows)
		if !ok {
			return
		}
		path, at = slices.Concat([]string{key}, path), strings.TrimSuffix(strings.TrimSuffix(at, described.Quoted(key)), ".")
		rows = parents(rows)
		w = viewOf(rows)
		reply = continued(w, rows, path)
	}
	if reply == nil {
		return
	}
	list := (&field{path: path}).name()
	r := described.Rule{At: at, As: "exchange", When: []string{list}, Request: list, Reply: reply.name()}
	t.addDetails(&r, w, reply)
	a.rules = []described.Rule{r}
	a.messages += len(reply.values)
	a.note(reply.name(), "reply", 90, "%d answers, which the next lists repeat", len(reply.values))
}

// messageCount returns the number of messages in a list, if people or models speak in it.
func (v *value) messageCount() int {
	roles := v.speakers()
	if !slices.Contains(roles, model.User) && !slices.Contains(roles, model.Assistant) {
		return 0
	}
	return len(roles)
}

// sessionField returns the field that distinguishes conversations of rows.
func sessionField(w *view, rows []*value) *field {
	return best(w.scalars, func(f *field) float64 {
		if f.depth() > 2 || len(f.values)*10 < len(rows)*8 || f.values[0].kind != jsonspan.String && f.values[0].kind != jsonspan.Number {
			return 0
		}
		for i, name := range sessionNames {
			if f.last() == name {
				return float64(len(sessionNames) - i)
			}
		}
		return 0
	})
}

// sessionNames are names of such fields, the surest first.
var sessionNames = []string{"conversationid", "sessionid", "chatid", "threadid", "dialogid", "dialogueid", "convid", "convoid", "conversationuuid", "sessionuuid",
	"chatuuid", "session", "conversation", "dialog", "dialogue", "thread", "chatsession", "chatsessionid", "discussionid", "roomid", "channelid", "gameid", "runid", "episodeid"}

// SessionColumn returns the column that identifies the conversation of a row, by its name; "" if
// there is none.
func SessionColumn(columns []string) string {
	for _, name := range sessionNames {
		for _, c := range columns {
			if p := plain(c); p == name || p == name+"id" || strings.HasSuffix(p, name) && strings.HasSuffix(name, "id") {
				return c
			}
		}
	}
	return ""
}

// timeField returns the field with the time of writing.
func timeField(w *view) *field {
	return best(w.scalars, func(f *field) float64 {
		if f.depth() > 2 {
			return 0
		}
		return f.timeScore()
	})
}

// inOrder reports whether the rows of each session follow each other in time.
func inOrder(rows []*value, session, times *field) bool {
	last := map[string]string{}
	for _, o := range rows {
		of, v := "", o.at(times.path)
		if session != nil {
			if s := o.at(session.path); s != nil {
				of = s.scalarText()
			}
		}
		if v == nil {
			continue
		}
		if was := last[of]; was != "" && len(was) == len(v.scalarText()) && v.scalarText() < was {
			return false
		}
		last[of] = v.scalarText()
	}
	return true
}

// roleNames are the words of descriptions for classes of speakers.
var roleNames = map[described.Class]string{described.User: model.User.String(), described.Assistant: model.Assistant.String(), described.System: model.System.String(), described.Tool: model.Tool.String()}

// NamesSessions reports whether the lines of a sample name their conversations, and several of
// these.
func NamesSessions(s *model.Sample) bool {
	if s.Shape != model.Lines || len(s.Records) < 2 {
		return false
	}
	for _, name := range sessionFields {
		first := jsonspan.Get(s.Records[0], name)
		if first == nil || first[0] != '"' && jsonspan.KindOf(first) != jsonspan.Number {
			continue
		}
		for _, r := range s.Records[1:] {
			if v := jsonspan.Get(r, name); v != nil && string(v) != string(first) {
				return true
			}
		}
	}
	return false
}

// sessionFields are the spellings of the surest of the session names.
var sessionFields = []string{"session_id", "sessionId", "conversation_id", "conversationId", "chat_id", "chatId", "thread_id", "threadId", "dialog_id", "dialogue_id", "conv_id"}
