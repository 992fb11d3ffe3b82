package described

import (
	"bytes"
	"time"

	"turns/model"
)

// span adds the call of a tool and, once it has ended, its result. A span without a tool is a
// request. All of it applies only if no messages have the same.
func (o *object) span() {
	f := o.emitOf(model.Say)
	f.Role, f.Join = model.Assistant, model.StandIn
	tool := o.text(partTool)
	if tool.Empty() {
		if f.Time = o.kit.Moment(o.first(partEnd)); f.Time.Ms == 0 {
			f.Time = o.kit.Moment(o.first(partTime))
		}
		return
	}
	f.Flags |= model.Synthetic
	f.Model, f.Usage = model.Text{}, model.Usage{}
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = o.text(partID), tool, o.text(partArguments)
	began, key, session := f.Time, f.Key, f.Session
	ended := o.kit.Moment(o.first(partEnd))
	if ended.Ms == 0 {
		return
	}
	r := o.fs.Add(model.Say)
	r.Role, r.Join, r.Key, r.Session, r.Time = model.Tool, model.StandIn, key, session, ended
	v, outcome := o.first(partResult), o.outcome()
	if failed := o.first(partError); outcome.Failed() && bytes.HasPrefix(failed, []byte{'"'}) {
		v = failed
	}
	if outcome == model.Unknown {
		outcome = model.Success
	}
	o.kit.Result(r, o.text(partID), tool, v, outcome)
	if began.Ms > 0 {
		r.Blocks[0].Took = time.Duration(max(0, ended.Ms-began.Ms)) * time.Millisecond
	}
}
