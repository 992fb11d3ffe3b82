package kit

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// Exporters of traces put some things where other programs have messages, or record them under
// another name. This file recognises these.

// definitionName is the kind of the note for a tool's definition among messages.
var definitionName = model.StringText("tool definition")

// isDefinition reports whether the content of a tool's message is the definition of a tool. The
// handlers of Langfuse and others for LangChain append them to the messages of a request.
func isDefinition(content []byte) bool {
	if jsonspan.KindOf(content) != jsonspan.Object || !bytes.Contains(content, []byte("parameters")) || string(jsonspan.GetString(content, "type")) != "function" {
		return false
	}
	function := jsonspan.Get(content, "function")
	return IsString(jsonspan.Get(function, "name")) && HasKey(function, "parameters")
}

// define turns a message into the note of a tool's definition.
func define(f *model.Fact, content []byte) {
	f.Op, f.Role, f.Name = model.Note, model.NoRole, definitionName
	f.AddText(model.OtherBlock, model.ValueText(content))
}

// writtenCalls returns the calls that a message has as its content, also as JSON in a text; nil if
// the content is anything else. Koog's exporter writes them so.
func writtenCalls(content []byte) []byte {
	if !bytes.Contains(content, []byte("arguments")) {
		return nil
	}
	list := content
	if bytes.HasPrefix(Inside(content), []byte("[{")) {
		list = RowsJSON(content)
	}
	if jsonspan.KindOf(list) != jsonspan.Array {
		return nil
	}
	found := false
	for v := range jsonspan.List(list) {
		function := jsonspan.Get(v, "function")
		if found = IsString(jsonspan.Get(v, "id")) && IsString(jsonspan.Get(function, "name")) && HasKey(function, "arguments"); !found {
			return nil
		}
	}
	if !found {
		return nil
	}
	return list
}

// fromAdditional reads the calls in additional_kwargs, the fields of the provider's API in a
// message of LangChain, and stores the other fields.
func (r *ChatRecord) fromAdditional(f *model.Fact) {
	if IsEmpty(r.additional) {
		return
	}
	calls := jsonspan.Get(r.additional, "tool_calls")
	if IsEmpty(calls) || !IsEmpty(r.ToolCalls) {
		r.Extra(f, []byte("additional_kwargs"), r.additional)
		return
	}
	r.ToolCalls = calls
	KeepOthers(f, r.additional, "tool_calls")
}

// NameResults turns messages whose role is the name of a tool into the results of its calls, among
// the facts from a position on. Some handlers for LangChain write the tool's name as the role.
func NameResults(fs *model.Facts, from int) {
	open := map[string][]model.Block{} // the calls of each tool without a result
	for i := from; i < fs.Len(); i++ {
		f := fs.At(i)
		if f.Op == model.Say && f.Role == model.Other && len(f.Blocks) == 1 && f.Blocks[0].Kind == model.Words {
			if calls := open[f.Name.String()]; len(calls) > 0 {
				text := f.Blocks[0].Text
				f.Role, f.Name, f.Blocks = model.Tool, model.Text{}, f.Blocks[:0]
				b := f.Add(model.ToolResult)
				b.ID, b.Name, b.Text, b.Outcome = calls[0].ID, calls[0].Name, text, OutcomeOfText(text)
			}
		}
		for _, b := range f.Blocks {
			switch name := b.Name.String(); {
			case b.Kind == model.ToolCall:
				open[name] = append(open[name], b)
			case b.Kind == model.ToolResult && len(open[name]) > 0:
				open[name] = open[name][1:]
			}
		}
	}
}
