package dialect

import (
	"encoding/json"

	"turns/export"
	"turns/model"
	"turns/model/jsonspan"
	"turns/query/provider"
)

// vercelToolFields are the fields of a tool part in any state.
const vercelToolFields = "state:{input-streaming,input-available,approval-requested,approval-responded,output-available,output-error,output-denied}! " +
	"type toolName toolCallId:S! title input:j rawInput:j output:j errorText providerExecuted:b preliminary:b approval:=approval callProviderMetadata:o " +
	"resultProviderMetadata:o toolMetadata:o"

func vercelUISpec() spec {
	return spec{
		Format: export.Format{Name: "vercel-ui", Help: "UIMessages of the Vercel AI SDK (version 5 and later)"},
		make:   func(s *sheet) dialect { return &vercelUI{s} },
		maker:  anyMaker,
		blocks: map[string]string{
			"text":            "type text:s! state providerMetadata:o",
			"reasoning":       "type id text:s! state providerMetadata:o",
			"file":            "type mediaType:S! filename url:u! providerMetadata:o",
			"source-url":      "type sourceId:S! url:S! title providerMetadata:o",
			"source-document": "type sourceId:S! mediaType:S! title:s! filename providerMetadata:o",
			"approval":        "id:S! approved:b reason isAutomatic:b signature",
			"data-*":          "type id data:j!",
			"tool-*":          vercelToolFields,
			"dynamic-tool":    vercelToolFields,
		},
	}
}

// vercelUI writes the UIMessages of the Vercel AI SDK, version 5 and later.
type vercelUI struct{ *sheet }

func (d *vercelUI) begin([]string) { d.Open('[') }

func (d *vercelUI) end() {
	d.endLine("]")
}

func (d *vercelUI) message(m *provider.Wire) {
	d.Item()
	d.String("id", ownID(m))
	role := m.Role
	if role == model.Developer {
		role = model.System
	}
	d.String("role", role.String())
	d.OpenList("parts")
	if role == model.Assistant {
		d.step()
	}
	called := false
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if called && b.Kind != model.ToolCall {
			d.step()
			called = false
		}
		called = called || b.Kind == model.ToolCall
		if b.Kind == model.ToolCall && !d.same(b) || !d.recordedItem(b) {
			d.Item()
			d.part(b)
			d.Close("}")
		}
	}
	d.Close("]}")
}

// same reports whether a call has the result that was recorded with it.
func (d *vercelUI) same(b *provider.WireBlock) bool {
	switch firstString(b.Raw, "state") {
	case "approval-requested", "approval-responded", "output-denied":
		if jsonspan.Get(b.Raw, "approval") == nil {
			return false
		}
	}
	return !d.opts.NoResults && (b.Result == nil || b.Result.Inside && !b.Result.Made && len(b.Result.Media) == 0)
}

// step begins a response of the model.
func (d *vercelUI) step() {
	d.typed("step-start")
	d.Close("}")
}

func (d *vercelUI) part(b *provider.WireBlock) {
	switch b.Kind {
	case model.Words, model.Reasoning:
		d.String("type", b.Kind.String())
		d.String("text", b.Text)
		d.String("state", "done")
		d.providerData("providerMetadata", b)
	case model.ToolCall:
		d.call(b)
	case model.Media:
		d.String("type", "file")
		d.String("mediaType", mimeOr(b.File.MIME))
		d.Optional("filename", b.File.Name)
		d.String("url", dataURL(b.File))
	}
}

// call writes a call with its result. The tools of the app are unknown: all are dynamic.
func (d *vercelUI) call(b *provider.WireBlock) {
	d.String("type", "dynamic-tool")
	d.String("toolName", b.Name)
	d.String("toolCallId", b.ID)
	r := b.Result
	switch {
	case r == nil:
		d.String("state", "input-available")
		d.value("input", b.Text)
	case r.Outcome.Failed():
		d.unmedia(r)
		d.String("state", "output-error")
		d.value("input", b.Text)
		d.String("errorText", r.Text)
	default:
		d.String("state", "output-available")
		d.value("input", b.Text)
		d.output(r)
	}
	d.providerData("callProviderMetadata", b)
}

func (d *vercelUI) output(r *provider.WireBlock) {
	switch {
	case len(r.Media) > 0: // like the SDK's tools
		d.OpenObject("output")
		d.String("type", "content")
		d.mixed("value", r.Text, r.Media, func(a *provider.Attachment) {
			d.typed("file")
			d.String("mediaType", mimeOr(a.MIME))
			d.String("url", dataURL(a))
			d.Close("}")
		})
		d.Close("}")
	case r.JSON && json.Valid([]byte(r.Text)):
		d.value("output", r.Text)
	default:
		d.String("output", r.Text)
	}
}
