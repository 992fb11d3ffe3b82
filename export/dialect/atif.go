package dialect

import (
	"cmp"
	"strings"

	"turns/export"
	"turns/model"
	"turns/query/provider"
)

// atif writes an Agent Trajectory Interchange Format document, version 1.8: a step has the
// agent's text, its calls and their results.
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
		Format: export.Format{Name: "atif", Help: "an ATIF trajectory, steps with their metrics"},
		make:   func(s *sheet) dialect { return &atif{sheet: s} },
	}
}

func (d *atif) begin([]string) {
	d.Open('{')
	d.String("schema_version", "ATIF-v1.8")
	d.String("session_id", cmp.Or(d.session("session"), "unknown"))
	d.OpenObject("agent")
	d.String("name", cmp.Or(d.session("agent"), cmp.Or(d.sel.Snap.Format(), "unknown")))
	d.String("version", cmp.Or(d.session("version"), "unknown"))
	d.Optional("model_name", d.lastModel())
	d.Close("}")
	d.OpenList("steps")
}

func (d *atif) end() {
	d.Close("]")
	d.OpenObject("final_metrics")
	if d.measured {
		d.Int("total_prompt_tokens", d.prompt)
		d.Int("total_completion_tokens", d.output)
		d.Int("total_cached_tokens", d.cache)
	}
	if d.priced {
		d.float("total_cost_usd", d.cost)
	}
	d.Int("total_steps", d.steps)
	d.endLine("}}")
}

func (d *atif) message(m *provider.Wire) {
	d.steps++
	d.Item()
	d.Int("step_id", d.steps)
	d.time(m.Time)
	source := map[model.Role]string{model.User: "user", model.Assistant: "agent"}[m.Role]
	d.String("source", cmp.Or(source, "system"))
	if m.Role == model.Assistant && m.Model != "" {
		d.String("model_name", m.Model)
	}
	d.writeText(m)
	if m.Has(model.Reasoning) {
		d.String("reasoning_content", kindText(m, model.Reasoning))
	}
	d.calls(m)
	d.observed(m)
	d.metrics(m)
	d.inText(m)
	d.Close("}")
}

// inText names the calls of a step that only the text of a script shows.
func (d *atif) inText(m *provider.Wire) {
	opened := false
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if !b.InText {
			continue
		}
		if !opened {
			opened = true
			d.OpenObject("extra")
			d.OpenList("in_text")
		}
		d.Element()
		d.Value(model.AppendQuoted(nil, []byte(b.ID)))
	}
	if opened {
		d.Close("]}")
	}
}

// writeText writes the text of a step, with the images and audio that other programs can open.
func (d *atif) writeText(m *provider.Wire) {
	var media []provider.WireBlock
	for i := range m.Blocks {
		if m.Blocks[i].Kind == model.Media {
			media = append(media, m.Blocks[i])
		}
	}
	d.content("message", wordsOf(m), media)
}

// content writes a text, or a list of a text, images and audio.
func (d *atif) content(name, text string, media []provider.WireBlock) {
	d.mixed(name, text, media, func(a *provider.Attachment) {
		kind, media := "image", ""
		if strings.HasPrefix(a.MIME, "audio") {
			kind, media = "audio", audioType(a)
		} else {
			media = imageType(a)
		}
		d.typed(kind)
		d.OpenObject("source")
		d.String("media_type", media)
		d.String("path", a.URL)
		d.Close("}}")
	})
}

// imageType returns the media type of an image at a URL, which ATIF requires.
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

// audioType returns the media type of a sound at a URL, which ATIF requires.
func audioType(a *provider.Attachment) string {
	if strings.Contains(a.MIME, "/") {
		return a.MIME
	}
	return "audio/wav"
}

func (d *atif) calls(m *provider.Wire) {
	if !m.Has(model.ToolCall) {
		return
	}
	d.listCalls(m, func(b *provider.WireBlock) {
		d.String("tool_call_id", b.ID)
		d.String("function_name", b.Name)
		d.value("arguments", b.Text)
	})
}

// observed writes the results of the step's calls, and those without a call.
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
			d.OpenObject("observation")
			d.OpenList("results")
		}
		d.Item()
		d.Optional("source_call_id", id)
		d.content("content", r.Text, r.Media)
		d.Close("}")
		if r.Outcome.Failed() {
			d.unmarked++
		}
	}
	if opened {
		d.Close("]}")
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
	d.OpenObject("metrics")
	d.Int("prompt_tokens", prompt)
	d.Int("completion_tokens", max(u.Output, 0))
	d.Int("cached_tokens", cached)
	if u.HasCost {
		d.priced = true
		d.cost += u.Cost
		d.float("cost_usd", u.Cost)
	}
	if u.Reasoning > 0 || u.CacheWrite > 0 {
		d.OpenObject("extra")
		if u.Reasoning > 0 {
			d.Int("reasoning_tokens", u.Reasoning)
		}
		if u.CacheWrite > 0 {
			d.Int("cache_write_tokens", u.CacheWrite)
		}
		d.Close("}")
	}
	d.Close("}")
}
