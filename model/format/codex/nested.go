package codex

import (
	"bytes"
	"net/url"
	"strconv"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Models with the single tool exec run all others from a script. Only completed items record what
// ran: their ids belong to no call, and they do not name the script (openai/codex,
// codex-rs/protocol/src/items.rs). An item of a call that the model made directly has that call's
// id.

// nestedItem is an item that is a call. Versions of Codex write its names in snake or in camel
// case.
type nestedItem struct {
	id, status, source           []byte // without the quotes
	command, cwd, output         []byte
	stdout, stderr, exit         []byte
	changes                      []byte
	server, tool, namespace      []byte
	arguments, result, fault     []byte
	contents, success            []byte
	kind                         []byte
	query, action, results, path []byte
	prompt, duration, millis     []byte
}

func (n *nestedItem) read(item []byte) {
	kit.ReadObject(item,
		kit.Word("id", &n.id), kit.Word("status", &n.status), kit.Word("source", &n.source),
		kit.Raw("command", &n.command), kit.Raw("cwd", &n.cwd),
		kit.Raw("aggregated_output", &n.output), kit.Raw("aggregatedOutput", &n.output),
		kit.Raw("stdout", &n.stdout), kit.Raw("stderr", &n.stderr),
		kit.Raw("exit_code", &n.exit), kit.Raw("exitCode", &n.exit),
		kit.Raw("changes", &n.changes),
		kit.Word("server", &n.server), kit.Word("tool", &n.tool), kit.Word("namespace", &n.namespace),
		kit.Raw("arguments", &n.arguments), kit.Raw("result", &n.result), kit.Raw("error", &n.fault),
		kit.Raw("content_items", &n.contents), kit.Raw("contentItems", &n.contents), kit.Raw("success", &n.success),
		kit.Word("kind", &n.kind), kit.Raw("query", &n.query), kit.Raw("action", &n.action), kit.Raw("results", &n.results),
		kit.Raw("path", &n.path), kit.Raw("revised_prompt", &n.prompt), kit.Raw("duration", &n.duration), kit.Raw("duration_ms", &n.millis), kit.Raw("durationMs", &n.millis),
	)
}

// name returns the tool's name in scripts, or nil if the item is not a call of a script.
func (n *nestedItem) name(kind []byte) []byte {
	switch string(kind) {
	case "CommandExecution":
		if string(n.source) != "user_shell" && string(n.source) != "userShell" {
			return []byte("exec_command")
		}
	case "FileChange":
		return []byte("apply_patch")
	case "McpToolCall":
		return bytes.Join([][]byte{[]byte("mcp"), n.server, n.tool}, []byte("__"))
	case "DynamicToolCall":
		if len(n.namespace) > 0 {
			return bytes.Join([][]byte{n.namespace, n.tool}, []byte("."))
		}
		return n.tool
	case "ImageView":
		return []byte("view_image")
	case "Extension":
		switch string(n.kind) {
		case "web.search":
			return []byte("web_search")
		case "image_gen.generation":
			return []byte("image_generation")
		}
	}
	return nil
}

// emitNested adds a completed item that is a call and reports whether it is one.
func (l *codexLine) emitNested(item, kind []byte) bool {
	var n nestedItem
	n.read(item)
	name := n.name(kind)
	if len(name) == 0 || len(n.id) == 0 {
		return false
	}
	f := l.addMessage(model.Assistant)
	f.Join, f.Name = model.Nested, model.EscapedText(kind)
	f.N, _ = jsonspan.ParseInt(l.get("started_at_ms"))
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Key = model.EscapedText(n.id), model.EscapedText(name), model.Hash(n.id)
	call.Text, f.Echo = n.args(), scriptCalls(name)
	if command := n.shell(); command != nil {
		f.Echo = scriptRuns(model.ValueText(command))
	}
	l.keepNested(f, n.id, item)
	outcome, known := kit.OutcomeOfStatus(n.status)
	if known && outcome == model.Running || string(n.status) == "inProgress" {
		return true
	}
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Key = call.ID, model.EscapedText(name), model.Hash(n.id).With([]byte("output"))
	r.Text = n.answer()
	r.Outcome, r.Took = n.outcome(outcome, r.Text), n.took()
	if r.Took == 0 {
		r.Took = l.between("started_at_ms", "completed_at_ms")
	}
	return true
}

// keepNested adds the other fields of an item to the message of its script.
func (l *codexLine) keepNested(f *model.Fact, id, item []byte) {
	c := jsonspan.New(item)
	for c.Object(); c.Key(); {
		switch name := string(c.Name); name {
		case "source", "process_id", "processId", "plugin_id", "pluginId", "script_path", "scriptPath", "parsed_cmd", "parsedCmd",
			"exit_code", "exitCode", "interaction_input", "interactionInput", "auto_approved", "autoApproved":
			kit.KeepOf(f, name, id, c.Skip())
		default:
			c.Skip()
		}
	}
}

// between returns the time between two moments of the line, 0 if either is missing.
func (l *codexLine) between(from, to string) time.Duration {
	began, ok := jsonspan.ParseInt(l.get(from))
	ended, ended_ := jsonspan.ParseInt(l.get(to))
	if !ok || !ended_ || began <= 0 || ended < began {
		return 0
	}
	return time.Duration(ended-began) * time.Millisecond
}

// shell returns the command line passed to a shell, or nil for another command.
func (n *nestedItem) shell() []byte {
	argv := kit.Elements(n.command, kit.WholeList, 4)
	if len(argv) == 3 && len(kit.Inside(argv[1])) > 1 && kit.Inside(argv[1])[0] == '-' {
		return argv[2]
	}
	return nil
}

// args returns the arguments with the names that the tool expects.
func (n *nestedItem) args() model.Text {
	switch {
	case n.changes != nil:
		return model.PlainText(n.patch())
	case n.command != nil:
		args := append([]byte(`{"cmd":`), n.command...)
		if command := n.shell(); command != nil {
			args = append(append(args[:0], `{"cmd":`...), command...)
		}
		if dir := folderOf(n.cwd); dir != "" {
			args = strconv.AppendQuote(append(args, `,"workdir":`...), dir)
		}
		return model.ValueText(append(args, '}'))
	case !kit.IsEmpty(n.arguments):
		return model.ValueText(n.arguments)
	case !kit.IsEmpty(n.action) && jsonspan.KindOf(n.action) == jsonspan.Object:
		return model.ValueText(n.action)
	}
	for _, x := range [...]struct {
		name  string
		value []byte
	}{{"query", n.query}, {"path", n.path}, {"prompt", n.prompt}} {
		if !kit.IsEmpty(x.value) {
			return model.ValueText(append(append([]byte(`{"`+x.name+`":`), x.value...), '}'))
		}
	}
	return model.Text{}
}

// folderOf returns the path of a folder from a path or a file: URI.
func folderOf(v []byte) string {
	path, ok := bytes.CutPrefix(kit.Inside(v), []byte("file://"))
	dir := model.EscapedText(path).String()
	if !ok {
		return dir
	}
	if plain, err := url.PathUnescape(dir); err == nil {
		return plain
	}
	return dir
}

// patch returns the file changes as a patch in the format of the tool.
func (n *nestedItem) patch() []byte {
	out := []byte("*** Begin Patch\n")
	c := jsonspan.New(n.changes)
	for c.Object(); c.Key(); {
		path := model.EscapedText(c.Name)
		var kind, diff, content, to []byte
		kit.ReadObject(c.Skip(), kit.Word("type", &kind), kit.Raw("unified_diff", &diff), kit.Raw("unifiedDiff", &diff),
			kit.Raw("content", &content), kit.Word("move_path", &to), kit.Word("movePath", &to))
		head, sign := "*** Update File: ", ""
		switch string(kind) {
		case "add":
			head, sign = "*** Add File: ", "+"
		case "delete":
			head, sign = "*** Delete File: ", "-"
		}
		out = append(path.Append(append(out, head...)), '\n')
		if len(to) > 0 {
			out = append(model.EscapedText(to).Append(append(out, "*** Move to: "...)), '\n')
		}
		text := model.ValueText(kit.Or(diff, content)).String()
		for line := range bytes.Lines([]byte(text)) {
			out = append(append(out, sign...), line...)
		}
		if out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
	}
	return append(out, "*** End Patch"...)
}

// answer returns the text of the result.
func (n *nestedItem) answer() model.Text {
	text := model.NullText()
	switch {
	case !kit.IsEmpty(n.fault):
		if message := jsonspan.Get(n.fault, "message"); kit.IsString(message) {
			return model.ValueText(message)
		}
		return model.ValueText(n.fault)
	case !kit.IsEmpty(n.output):
		text = model.ValueText(n.output)
	case !kit.IsEmpty(n.stderr):
		text = model.ValueText(n.stderr)
	case !kit.IsEmpty(n.stdout):
		text = model.ValueText(n.stdout)
	case !kit.IsEmpty(n.result):
		return codexResultText(n.result)
	case !kit.IsEmpty(n.contents):
		if list := kit.Elements(n.contents, kit.WholeList, 2); len(list) == 1 && kit.IsString(jsonspan.Get(list[0], "text")) {
			return model.ValueText(jsonspan.Get(list[0], "text"))
		}
		return model.ValueText(n.contents)
	case !kit.IsEmpty(n.results):
		return model.ValueText(n.results)
	}
	if code, ok := jsonspan.ParseInt(n.exit); ok && code != 0 { // the script got the code
		return model.PlainText(text.Append(append(strconv.AppendInt([]byte("Exit code "), code, 10), '\n')))
	}
	return text
}

// outcome returns the outcome of the call.
func (n *nestedItem) outcome(status model.Outcome, text model.Text) model.Outcome {
	code, exited := jsonspan.ParseInt(n.exit)
	failed := !kit.IsEmpty(n.fault) || exited && code != 0 || kit.IsTrue(jsonspan.Get(n.result, "isError")) ||
		len(n.success) > 0 && n.success[0] == 'f'
	switch {
	case exited && code == 124:
		return model.TimedOut
	case status == model.Failure || failed && !status.Failed():
		return kit.FailureOf(text)
	case status == model.Unknown:
		return model.Success
	}
	return status
}

func (n *nestedItem) took() time.Duration {
	if n.millis != nil {
		return kit.TookMs(n.millis)
	}
	secs, _ := jsonspan.ParseInt(jsonspan.Get(n.duration, "secs"))
	nanos, _ := jsonspan.ParseInt(jsonspan.Get(n.duration, "nanos"))
	return time.Duration(secs)*time.Second + time.Duration(nanos)
}

// codexRewrites reports whether the first record begins a history that may have completed items.
// Only the paginated history has them, and their calls are assembled from the fields.
func codexRewrites(record []byte) bool {
	return string(jsonspan.GetString(jsonspan.Get(record, "payload"), "history_mode")) == "paginated"
}
