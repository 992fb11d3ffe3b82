package agentsmithy

import (
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/format/langchain"
	"turns/model/jsonspan"
)

// agentsmithyStep is the distance between two messages of a journal in the order: reasoning
// precedes its message, results and edits follow it.
const agentsmithyStep = 8

// agentsmithyQueries select the journal's tables. Reasoning and edits refer to the number of a
// message within its dialog.
var agentsmithyQueries = []model.Query{
	{
		Name: "message",
		SQL: `SELECT id, session_id, message, row_number() OVER (PARTITION BY session_id ORDER BY id) - 1 AS n
			FROM message_store ORDER BY id`,
		Needs: []string{"message_store.session_id"},
	},
	{
		Name:  "reasoning",
		SQL:   `SELECT id, dialog_id, content, created_at, message_index AS n, model_name FROM dialog_reasoning ORDER BY id`,
		Needs: []string{"dialog_reasoning.message_index"},
	},
	{
		Name: "result",
		SQL: `SELECT tool_call_id AS id, dialog_id, tool_name, args_json, result_json, timestamp, size_bytes, summary, error FROM tool_results
			ORDER BY timestamp, tool_call_id`,
		Needs: []string{"tool_results.result_json"},
	},
	{
		Name:  "edit",
		SQL:   `SELECT id, dialog_id, file, diff, checkpoint, created_at, message_index AS n FROM dialog_file_edits ORDER BY id`,
		Needs: []string{"dialog_file_edits.message_index"},
	},
	{
		Name: "summary",
		SQL: `SELECT id, dialog_id, cutoff_message_index AS n, summary_text AS content, keep_last, created_at, summarized_count
			FROM dialog_summaries ORDER BY id`,
		Needs: []string{"dialog_summaries.summary_text"},
	},
	{
		Name:  "usage",
		SQL:   `SELECT dialog_id AS id, dialog_id, prompt_tokens, completion_tokens, total_tokens, updated_at FROM dialog_usage`,
		Needs: []string{"dialog_usage.prompt_tokens"},
	},
	{
		Name: "usage event",
		SQL: `SELECT id, dialog_id, model_name, prompt_tokens, completion_tokens, total_tokens, created_at
			FROM dialog_usage_events ORDER BY id`,
		Needs: []string{"dialog_usage_events.prompt_tokens"},
	},
}

// agentsmithyRowFields holds the columns of all tables.
type agentsmithyRowFields struct {
	id, dialog, message, content, name, args, result, fault, summary []byte
	file, diff, model, time                                          []byte
	n, keep, prompt, completion                                      int64
}

func agentsmithyRow(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	f := fs.Add(model.Note)
	f.Name = model.StringText(rec.List)
	r := agentsmithyRowFields{n: -1, keep: -1, prompt: -1, completion: -1}
	r.read(&c, f)
	if c.Err != nil {
		return c.Err
	}
	f.Time = kit.MomentOf(r.time)
	f.Session = kit.HashValue(r.dialog)
	f.Seq = r.n * agentsmithyStep
	if r.n < 0 {
		f.Seq = agentsmithyLast
	}
	if rec.List == "message" {
		return r.emitMessage(fs)
	}
	r.note(f, rec.List)
	return kit.Finish(&c, fs)
}

func (r *agentsmithyRowFields) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			r.id = c.Skip()
		case "session_id", "dialog_id":
			r.dialog = c.Skip()
		case "message":
			r.message = c.Skip()
		case "content":
			r.content = c.Skip()
		case "tool_name":
			r.name = c.Skip()
		case "args_json":
			r.args = c.Skip()
		case "result_json":
			r.result = c.Skip()
		case "error":
			r.fault = c.Skip()
		case "summary":
			r.summary = c.Skip()
		case "file":
			r.file = c.Skip()
		case "diff":
			r.diff = c.Skip()
		case "model_name":
			r.model = c.Skip()
		case "timestamp", "created_at", "updated_at":
			r.time = c.Skip()
		case "n":
			if n, ok := c.Int(); ok {
				r.n = n
			}
		case "keep_last":
			kit.ReadCount(c, &r.keep)
		case "prompt_tokens":
			v := c.Skip()
			r.prompt, _ = jsonspan.ParseInt(v)
			kit.Keep(f, "prompt_tokens", v)
		case "completion_tokens":
			v := c.Skip()
			r.completion, _ = jsonspan.ParseInt(v)
			kit.Keep(f, "completion_tokens", v)
		default:
			kit.KeepField(f, c)
		}
	}
}

// emitMessage reads a message, which is stored as LangChain stores it.
func (r *agentsmithyRowFields) emitMessage(fs *model.Facts) error {
	session := kit.HashValue(r.dialog)
	fs.Drop()
	if r.n == 0 {
		f := fs.Add(model.About)
		f.Session = session
		kit.Keep(f, "session", r.dialog)
	}
	at := fs.Len()
	in := jsonspan.New(kit.RowsJSON(r.message))
	p := langchain.LangchainParser{Fs: fs, Session: session, Key: kit.HashValue(r.id)}
	if in.Kind() == jsonspan.Object {
		p.Value(&in)
	}
	if in.Err != nil {
		return in.Err
	}
	if fs.Len() == at {
		kit.Note(fs, "message").Session = session
	}
	for i := at; i < fs.Len(); i++ {
		f := fs.At(i)
		f.Seq = r.n*agentsmithyStep + 2
		agentsmithyRename(f)
	}
	return nil
}

// agentsmithyRename renames the field session of a human message, because it refers to a
// checkpoint's session, not to the dialog.
func agentsmithyRename(f *model.Fact) {
	for i := range f.Extra {
		if f.Op == model.Say && f.Extra[i].Name == "session" {
			f.Extra[i].Name = "recorded session"
		}
	}
}

// note reads a row of the other tables.
func (r *agentsmithyRowFields) note(f *model.Fact, table string) {
	switch table {
	case "reasoning":
		f.Op, f.Role, f.Name, f.Model = model.Say, model.Assistant, model.Text{}, model.ValueText(r.model)
		if r.n >= 0 {
			f.Seq++
		}
		f.AddText(model.Reasoning, model.ValueText(r.content))
	case "result":
		r.stored(f)
	case "edit":
		f.Seq += 3
		kit.Keep(f, "file", r.file)
		f.AddText(model.Words, model.ValueText(r.diff))
	case "summary":
		f.Op, f.N = model.Compact, max(r.keep, 0)
		f.Seq = (r.n+max(r.keep, 0))*agentsmithyStep + 5
		f.AddText(model.Words, model.ValueText(r.content))
	case "usage":
		f.Usage = r.usage(model.Total)
		f.Op, f.Name = model.Meter, model.Text{}
	case "usage event":
		f.Model = model.ValueText(r.model)
		f.Seq = agentsmithyLast + 2 // the responses have their usage, and the dialog has its sum
	}
}

// stored reads a stored result: that of its call, or a note on it if a message has the result. It is
// the call also if no message makes it.
func (r *agentsmithyRowFields) stored(f *model.Fact) {
	id, name, outcome := model.ValueText(r.id), model.ValueText(r.name), model.Unknown
	f.Op, f.Role, f.Join, f.Flags = model.Say, model.Assistant, model.Answers, model.SpanTold
	f.Seq = agentsmithyLast + 1
	if !kit.IsEmpty(r.fault) {
		outcome = kit.FailureOf(model.ValueText(r.fault))
		kit.Keep(f, "error", r.fault)
	}
	kit.Keep(f, "summary", r.summary)
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = id, name, model.ValueText(r.args)
	kit.AddResult(f, id, name, r.result, outcome)
	f.Outcome = outcome
	f.Blocks[1].Extra, f.Extra = slices.Clone(f.Extra), f.Extra[:0]
}

func (r *agentsmithyRowFields) usage(scope model.Scope) model.Usage {
	u := kit.NoUsage(scope)
	u.Input, u.Output = r.prompt, r.completion
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{}
	}
	return u
}
