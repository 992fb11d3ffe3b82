package described

import (
	"turns/model"
	"turns/model/format/kit"
)

// exchange adds the request to a model and its reply. It skips messages in lists that an earlier
// record of the session has, and a reply that the request already ends with.
func (o *object) exchange() {
	var about model.Fact
	o.head(&about)
	at := o.fs.Len()
	asked, answered := o.all(partRequest), o.all(partReply)
	for len(asked) > 1 && len(answered) > 1 && len(asked)-len(answered) <= 1 && len(answered)-len(asked) <= 1 { // prompts[] and responses[]
		o.exchanged(asked[0], model.User, about.Session)
		o.exchanged(answered[0], model.Assistant, about.Session)
		asked, answered = asked[1:], answered[1:]
	}
	for _, v := range asked {
		o.exchanged(v, model.User, about.Session)
	}
	first := o.fs.Len()
	for _, v := range answered {
		o.exchanged(v, model.Assistant, about.Session)
	}
	if first > at && o.fs.Len() == first+1 && sameAnswer(o.fs.At(first-1), o.fs.At(first)) {
		o.fs.Drop()
		first--
	}
	if o.failed() {
		f := o.fs.Add(model.Say)
		f.Role, f.Session, f.Outcome, f.Stop = model.Assistant, about.Session, model.Failure, model.StopError
		f.Flags |= model.APIError
		f.AddText(model.Words, o.text(partError))
	}
	if o.fs.Len() == at {
		o.noteOf(nil)
		return
	}
	for i := at; i < o.fs.Len(); i++ {
		f := o.fs.At(i)
		f.Session = about.Session
		if f.Time.Ms == 0 || i >= first && f.Time.Ms < about.Time.Ms { // APIs date answers in seconds
			f.Time = about.Time
		}
	}
	for first < o.fs.Len() && o.fs.At(first).Op != model.Say {
		first++
	}
	o.addCommon(o.fs.At(min(first, o.fs.Len()-1)), &about) // of the reply
}

// all returns the values of a part.
func (o *object) all(part int) (list [][]byte) {
	o.values(part, func(v []byte) { list = append(list, v) })
	return list
}

// dialogue adds the messages in a text with several speakers: "User: …\nAssistant: …".
func (o *object) dialogue() {
	var about model.Fact
	o.head(&about)
	at := o.fs.Len()
	o.values(partText, func(v []byte) {
		if v[0] != '"' {
			return
		}
		for _, m := range o.kit.Dialogue(model.ValueText(v).Append(nil)) {
			o.kit.Speak(o.fs, m, model.NoRole)
		}
	})
	if o.fs.Len() == at {
		o.noteOf(nil)
	}
	for i := at; i < o.fs.Len(); i++ {
		f := o.fs.At(i)
		if f.Session = about.Session; f.Time.Ms == 0 {
			f.Time = about.Time
		}
	}
}

// exchanged adds one side of an exchange: a text, or messages.
func (o *object) exchanged(v []byte, role model.Role, session model.Key) {
	v = unpacked(v)
	if o.parser.desc.Encoded && v[0] == '[' && role == model.Assistant {
		if whole := kit.ResponseOf(v); whole != nil {
			v = whole
		}
	}
	if v[0] == '"' && !o.wraps(&v) {
		if text := model.ValueText(v); !text.Blank() {
			f := o.fs.Add(model.Say)
			f.Role = role
			f.AddText(model.Words, text)
		}
		return
	}
	at, n := o.fs.Len(), 0
	o.kit.Speak(o.fs, v, role)
	for i := at; i < o.fs.Len(); i++ {
		if f := o.fs.At(i); f.Op == model.Say {
			if n++; role == model.Assistant {
				n = 0
			}
			o.kit.Know(f, session, n)
		}
	}
}

// wraps reports whether a string contains a provider's response as JSON, and adds that instead.
func (o *object) wraps(v *[]byte) bool {
	inner := opened(*v)
	if inner == nil && o.parser.desc.Encoded {
		inner = kit.ResponseOf(*v)
	}
	if inner == nil || inner[0] != '{' {
		return false
	}
	at := o.fs.Len()
	o.kit.Speak(o.fs, inner, model.Assistant)
	found := false
	for i := at; i < o.fs.Len(); i++ {
		f := o.fs.At(i)
		found = found || f.Op == model.Say && len(f.Blocks) > 0 && f.Blocks[0].Text.Size() < len(inner)
	}
	if o.fs.Cut(at); found {
		*v = inner
	}
	return found
}

// sameAnswer reports whether two messages are the assistant's and have the same words.
func sameAnswer(a, b *model.Fact) bool {
	if a.Op != model.Say || b.Op != model.Say || a.Role != model.Assistant || b.Role != model.Assistant || len(a.Blocks) != 1 || len(b.Blocks) != 1 {
		return false
	}
	x, y := &a.Blocks[0], &b.Blocks[0]
	return x.Kind == model.Words && y.Kind == model.Words && x.Text.String() == y.Text.String()
}
