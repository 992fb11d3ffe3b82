package export

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/query/provider"
)

// atif writes an Agent Trajectory Interchange Format document, version 1.7: a
// step holds what the agent said, its calls, and what they gave back.
type atif struct {
	*sheet
	steps                 int64
	prompt, output, cache int64
	cost                  float64
	measured              bool
	priced                bool
}

func atifSpec() spec {
	return spec{
		Format: Format{Name: "atif", Help: "an ATIF trajectory, steps with their metrics"},
		make:   func(s *sheet) dialect { return &atif{sheet: s} },
	}
}

func (d *atif) begin([]string) {
	d.open('{')
	d.string("schema_version", "ATIF-v1.7")
	d.string("session_id", cmp.Or(d.session("session"), "unknown"))
	d.key("agent")
	d.open('{')
	d.string("name", cmp.Or(d.session("agent"), cmp.Or(d.sel.Snap.Format(), "unknown")))
	d.string("version", cmp.Or(d.session("version"), "unknown"))
	if name := d.lastModel(); name != "" {
		d.string("model_name", name)
	}
	d.close('}')
	d.key("steps")
	d.open('[')
}

func (d *atif) end() {
	d.close(']')
	d.key("final_metrics")
	d.open('{')
	if d.measured {
		d.int("total_prompt_tokens", d.prompt)
		d.int("total_completion_tokens", d.output)
		d.int("total_cached_tokens", d.cache)
	}
	if d.priced {
		d.float("total_cost_usd", d.cost)
	}
	d.int("total_steps", d.steps)
	d.close('}')
	d.close('}')
	d.buf = append(d.buf, '\n')
}

func (d *atif) message(m *provider.Wire) {
	d.steps++
	d.item()
	d.int("step_id", d.steps)
	d.time("timestamp", m.Time)
	source := map[model.Role]string{model.User: "user", model.Assistant: "agent"}[m.Role]
	d.string("source", cmp.Or(source, "system"))
	if m.Role == model.Assistant && m.Model != "" {
		d.string("model_name", m.Model)
	}
	d.said(m)
	if has(m, model.Reasoning) {
		d.string("reasoning_content", kindText(m, model.Reasoning))
	}
	d.calls(m)
	d.observed(m)
	d.metrics(m)
	d.close('}')
}

// said writes the words of a step, with the images that others can open.
func (d *atif) said(m *provider.Wire) {
	var media []provider.WireBlock
	for i := range m.Blocks {
		if m.Blocks[i].Kind == model.Media {
			media = append(media, m.Blocks[i])
		}
	}
	d.content("message", wordsOf(m), media)
}

// content is a text, or a list of a text and images.
func (d *atif) content(name, text string, media []provider.WireBlock) {
	if len(media) == 0 {
		d.string(name, text)
		return
	}
	d.key(name)
	d.open('[')
	if text != "" {
		d.item()
		d.string("type", "text")
		d.string("text", text)
		d.close('}')
	}
	for i := range media {
		a := media[i].File
		d.item()
		d.string("type", "image")
		d.key("source")
		d.open('{')
		d.string("media_type", imageType(a))
		d.string("path", a.URL)
		d.close('}')
		d.close('}')
	}
	d.close(']')
}

// imageType is the media type of an image at a URL; ATIF wants one.
func imageType(a *provider.Attachment) string {
	if strings.Contains(a.MIME, "/") {
		return a.MIME
	}
	for _, ext := range [...]string{"png", "gif", "webp"} {
		if strings.HasSuffix(strings.ToLower(a.URL), "."+ext) {
			return "image/" + ext
		}
	}
	return "image/jpeg"
}

func (d *atif) calls(m *provider.Wire) {
	if !has(m, model.ToolCall) {
		return
	}
	d.key("tool_calls")
	d.open('[')
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != model.ToolCall {
			continue
		}
		d.item()
		d.string("tool_call_id", b.ID)
		d.string("function_name", b.Name)
		d.value("arguments", b.Text)
		d.close('}')
	}
	d.close(']')
}

// observed writes the results: those of the step's calls, and those that no call
// asked for.
func (d *atif) observed(m *provider.Wire) {
	opened := false
	for i := range m.Blocks {
		b := &m.Blocks[i]
		r, id := b, ""
		switch {
		case b.Kind == model.ToolCall && b.Result != nil:
			r, id = b.Result, b.ID
		case b.Kind != model.ToolResult:
			continue
		}
		if !opened {
			opened = true
			d.key("observation")
			d.open('{')
			d.key("results")
			d.open('[')
		}
		d.item()
		if id != "" {
			d.string("source_call_id", id)
		}
		d.content("content", r.Text, r.Media)
		d.close('}')
		if r.Outcome.Failed() {
			d.unmarked++
		}
	}
	if opened {
		d.close(']')
		d.close('}')
	}
}

func (d *atif) metrics(m *provider.Wire) {
	u := m.Usage
	if u == nil || u.Scope != model.Each {
		return
	}
	d.measured = true
	cached := max(u.CacheRead, 0)
	prompt := max(u.Input, 0) + cached + max(u.CacheWrite, 0)
	d.prompt, d.output, d.cache = d.prompt+prompt, d.output+max(u.Output, 0), d.cache+cached
	d.key("metrics")
	d.open('{')
	d.int("prompt_tokens", prompt)
	d.int("completion_tokens", max(u.Output, 0))
	d.int("cached_tokens", cached)
	if u.HasCost {
		d.priced = true
		d.cost += u.Cost
		d.float("cost_usd", u.Cost)
	}
	if u.Reasoning > 0 || u.CacheWrite > 0 {
		d.key("extra")
		d.open('{')
		if u.Reasoning > 0 {
			d.int("reasoning_tokens", u.Reasoning)
		}
		if u.CacheWrite > 0 {
			d.int("cache_write_tokens", u.CacheWrite)
		}
		d.close('}')
	}
	d.close('}')
}
