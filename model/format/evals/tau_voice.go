package evals

import (
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// In a voice run of τ²-bench both sides can speak at the same time. Its document has ticks instead
// of messages, each with the words of both sides at that moment, and its calls and results
// (src/tau2/data_model/simulation.py, class Tick). The pieces of a side are one message until the
// other side speaks or calls a tool.

// tauVoice joins the pieces.
type tauVoice struct {
	fs      *model.Facts
	session model.Key
	text    strings.Builder
	role    model.Role // of the current message
	time    model.Moment
}

// tauSides lists the keys of a tick for each side, in the order of their messages.
var tauSides = [...]struct {
	role                  model.Role
	chunk, calls, results string
}{
	{model.User, "user_chunk", "user_tool_calls", "user_tool_results"},
	{model.Assistant, "agent_chunk", "agent_tool_calls", "agent_tool_results"},
}

// tauTicks joins ticks into messages and adds these.
func tauTicks(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	v := tauVoice{fs: fs, session: session}
	for c.Array(); c.More(); {
		tick := c.Skip()
		for _, side := range tauSides {
			v.piece(side.role, jsonspan.Get(tick, side.chunk), jsonspan.Get(tick, "timestamp"))
			v.calls(side.role, jsonspan.Get(tick, side.calls))
			v.results(jsonspan.Get(tick, side.results))
		}
	}
	v.emitMessage()
}

// piece adds the words of a side in a tick. It ignores a sound recording without words.
func (v *tauVoice) piece(role model.Role, chunk, time []byte) {
	content := jsonspan.Get(chunk, "content")
	text := model.ValueText(content).String()
	if !kit.IsString(content) || text == "" || kit.IsTrue(jsonspan.Get(chunk, "is_audio")) && isSound(text) {
		return
	}
	if role != v.role {
		v.emitMessage()
		v.role, v.time = role, kit.MomentOf(kit.Or(jsonspan.Get(chunk, "timestamp"), time))
	}
	v.text.WriteString(text)
}

// isSound reports whether a content is a base64 recording: long and without spaces.
func isSound(text string) bool { return len(text) > 100 && !strings.ContainsAny(text, " \n") }

// emitMessage adds the message of the pieces so far.
func (v *tauVoice) emitMessage() {
	if strings.TrimSpace(v.text.String()) != "" {
		f := v.fs.Add(model.Say)
		f.Role, f.Session, f.Time = v.role, v.session, v.time
		f.AddText(model.Words, model.StringText(v.text.String()))
	}
	v.text.Reset()
	v.role = model.NoRole
}

func (v *tauVoice) calls(role model.Role, list []byte) {
	for call := range jsonspan.List(list) {
		v.emitMessage()
		f := v.fs.Add(model.Say)
		f.Role, f.Session = role, v.session
		b := f.Add(model.ToolCall)
		b.ID, b.Name = model.ValueText(jsonspan.Get(call, "id")), model.ValueText(jsonspan.Get(call, "name"))
		b.Text = model.ValueText(jsonspan.Get(call, "arguments"))
	}
}

func (v *tauVoice) results(list []byte) {
	if jsonspan.KindOf(list) != jsonspan.Array || kit.IsEmpty(list) {
		return
	}
	v.emitMessage()
	c := jsonspan.New(list)
	tauMessages(&c, v.session, v.fs)
}
