package dialect

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"turns/model/jsonspan"
	"turns/query/provider"
)

// request describes the parts of a request body other than its messages.
type request struct {
	formats  []string // transcripts that are such requests: their settings are copied
	models   []string // prefixes of the names of its models
	unnamed  bool     // the body does not contain the model
	settings []string // name, kind and alternative names; see setting
	tool     func(*sheet, *tool)
	choice   func(*sheet, *choice)
	// shape of its functions; "": they are copied unchanged
	declares string
	wrap     func(s *sheet, write func()) // writes the surroundings of the tools
}

// asked is the recorded request of a transcript.
type asked struct {
	own    bool // it was a request to the same API
	model  string
	tools  []tool
	called map[string]*tool // tools missing in all lists, by name
	order  []string         // their names
}

func (s *sheet) collectTools() {
	r := s.request
	s.asks = asked{called: map[string]*tool{}, model: s.opts.Model}
	if r == nil {
		return
	}
	s.asks.own = slices.Contains(r.formats, s.sel.Snap.Format())
	if s.asks.model == "" {
		s.asks.model = s.ownModel(r.models)
	}
	if s.opts.NoTools {
		return
	}
	foreign := 0
	for _, field := range [...]string{"tools", "functions"} {
		if list := s.session(field); list != "" && len(s.asks.tools) == 0 {
			s.asks.tools, foreign = readTools([]byte(list), s.asks.own)
		}
	}
	s.report.NoteCount(foreign, "%s left out: they run at another provider", "tool was", "tools were")
}

// ownModel returns the last model of the conversation if the provider has it, because a request for
// a model of another provider would be refused.
func (s *sheet) ownModel(models []string) string {
	name := s.lastModel()
	for _, start := range models {
		if name != "" && strings.HasPrefix(name, start) {
			return name
		}
	}
	return ""
}

// head writes the fields before the messages: the model and the recorded settings such as
// temperature and limits.
func (s *sheet) head(defaults ...string) {
	r := s.request
	switch {
	case r.unnamed:
	case s.asks.model != "":
		s.String("model", s.asks.model)
	default:
		s.report.Note("the request names no model; --model NAME adds one")
	}
	s.settings()
	for i := 0; i+1 < len(defaults); i += 2 {
		if s.setting(r, defaults[i]) == "" {
			s.Raw(defaults[i], defaults[i+1])
		}
	}
}

// settings writes the recorded settings of the request. A setting is its name and kind, and its
// alternative names: "max_tokens:n max_output_tokens". Kinds are n for a number, b for true or
// false, s for a string, l for a list of strings and j for anything; one with ! is only copied from
// requests to the same API.
func (s *sheet) settings() {
	for _, line := range s.request.settings {
		name, kind, _ := strings.Cut(strings.Fields(line)[0], ":")
		v := s.setting(s.request, name)
		if v == "" {
			if !s.asks.own && kind == "n!" && s.session(name) != "" {
				s.report.Note("%s was left out: not all models of this provider take it", name)
			}
			continue
		}
		valid := json.Valid([]byte(v))
		switch kind[0] {
		case 'n':
			if valid && jsonspan.KindOf([]byte(v)) == jsonspan.Number {
				s.Raw(name, v)
			}
		case 'b':
			if v == "true" || v == "false" {
				s.Raw(name, v)
			}
		case 'l':
			if valid && v[0] == '[' {
				s.value(name, v)
			} else {
				s.OpenList(name)
				s.words(v)
				s.Close("]")
			}
		case 'j':
			if valid && (v[0] == '{' || v[0] == '[') {
				s.value(name, v)
				break
			}
			fallthrough
		default:
			s.String(name, v)
		}
	}
}

// setting returns the recorded value of a setting, "" if there is none.
func (s *sheet) setting(r *request, name string) string {
	for _, line := range r.settings {
		names := strings.Fields(line)
		own, kind, _ := strings.Cut(names[0], ":")
		if own != name {
			continue
		}
		names[0] = own
		if s.asks.own {
			return s.session(name)
		}
		if strings.HasSuffix(kind, "!") {
			return ""
		}
		for _, n := range names {
			if v := s.session(n); v != "" {
				return v
			}
		}
	}
	return ""
}

// tail writes the tools after the messages: the recorded ones, otherwise the called ones.
func (s *sheet) tail() {
	r := s.request
	tools := s.asks.tools
	if len(tools) == 0 {
		for _, name := range s.asks.order {
			tools = append(tools, *s.asks.called[name])
		}
		s.report.NoteCount(len(tools), "%s declared from the calls, with the names of arguments and no more; --no-tools leaves them out", "tool was", "tools were")
	}
	if len(tools) == 0 || s.opts.NoTools {
		return
	}
	write := func() {
		for i := range tools {
			t := tools[i]
			if s.asks.own && t.raw != nil && (r.declares == "" || s.own.fits(r.declares, t.raw) || firstString(t.raw, "type") != "function") {
				s.Element()
				s.Value(t.raw)
				continue
			}
			t.name = s.rules.ToolName(t.name)
			s.Item()
			r.tool(s, &t)
			s.Close("}")
		}
	}
	if r.wrap != nil && !(s.asks.own && tools[0].raw != nil) {
		r.wrap(s, write)
	} else {
		s.OpenList("tools")
		write()
		s.Close("]")
	}
	if c := readChoice(s.session("tool_choice"), s.session("toolConfig")); c != nil {
		if c.name != "" {
			c.name = s.rules.ToolName(c.name)
		}
		r.choice(s, c)
	}
}

// tool is a tool that a model may call.
type tool struct {
	name, about string
	schema      string // of its arguments; "": unknown
	raw         []byte
	custom      bool        // its input is a text
	fields      []toolField // arguments of its calls
}

type toolField struct{ name, typ, items string }

// readTools reads a list of tools, in the shape of any API; foreign is the number of those that
// another provider runs itself.
func readTools(list []byte, own bool) (tools []tool, foreign int) {
	for _, v := range appendObjects(nil, list) {
		if inner := jsonspan.Get(v, "functionDeclarations"); inner != nil && !own {
			for _, f := range appendObjects(nil, inner) {
				tools = append(tools, readTool(f))
			}
			continue
		}
		t := readTool(v)
		if t.name != "" && t.schema != "" && firstString([]byte(t.schema), "type") != "object" {
			t.schema = "" // not a valid schema of arguments
		} else {
			t.raw = v
		}
		if !own && (t.name == "" || t.schema == "" && t.raw != nil && !t.custom && jsonspan.Get(v, "type") != nil && firstString(v, "type") != "function") {
			foreign++
			continue
		}
		tools = append(tools, t)
	}
	return tools, foreign
}

func readTool(v []byte) tool {
	t := tool{custom: firstString(v, "type") == "custom" && jsonspan.Get(v, "input_schema") == nil}
	for _, field := range [...]string{"function", "custom", "toolSpec"} {
		if in := jsonspan.Get(v, field); jsonspan.KindOf(in) == jsonspan.Object {
			v = in
		}
	}
	t.name, t.about = firstString(v, "name"), firstString(v, "description")
	for _, field := range [...]string{"parameters", "input_schema", "parametersJsonSchema", "inputSchema"} {
		if schema := jsonspan.Get(v, field); jsonspan.KindOf(schema) == jsonspan.Object {
			// Bedrock
			if inner := jsonspan.Get(schema, "json"); jsonspan.KindOf(inner) == jsonspan.Object {
				schema = inner
			}
			t.schema = string(schema)
		}
	}
	return t
}

// called records a called tool.
func (s *sheet) called(b *provider.WireBlock) {
	if s.request == nil || len(s.asks.tools) > 0 || s.opts.NoTools {
		return
	}
	t := s.asks.called[b.Name]
	if t == nil {
		t = &tool{name: b.Name, custom: b.Custom}
		s.asks.called[b.Name] = t
		s.asks.order = append(s.asks.order, b.Name)
	}
	if t.custom {
		return
	}
	c := jsonspan.New([]byte(b.Text))
	if c.Kind() != jsonspan.Object {
		return
	}
	for c.Object(); c.Key(); {
		name := string(c.Name)
		v := c.Skip()
		typ := schemaTypes[jsonspan.KindOf(v)]
		items := ""
		if in := jsonspan.New(v); in.Kind() == jsonspan.Array {
			for in.Array(); items == "" && in.More(); {
				items = schemaTypes[jsonspan.KindOf(in.Skip())]
			}
		}
		i := slices.IndexFunc(t.fields, func(f toolField) bool { return f.name == name })
		switch {
		case i < 0:
			t.fields = append(t.fields, toolField{name, typ, items})
		case t.fields[i].typ == "":
			t.fields[i].typ, t.fields[i].items = typ, items
		case typ != "" && t.fields[i].typ != typ:
			t.fields[i] = toolField{name: name, typ: "any"}
		}
	}
}

// schemaTypes are the types of values in a JSON schema; null has none.
var schemaTypes = map[jsonspan.Kind]string{
	jsonspan.String: "string", jsonspan.Number: "number", jsonspan.Bool: "boolean", jsonspan.Array: "array", jsonspan.Object: "object",
}

// schema writes the schema of a tool's arguments.
func (s *sheet) schema(name string, t *tool) {
	if t.schema != "" {
		s.value(name, t.schema)
		return
	}
	s.OpenObject(name)
	s.String("type", "object")
	s.OpenObject("properties")
	for _, f := range t.fields {
		s.OpenObject(f.name)
		if f.typ != "" && f.typ != "any" {
			s.String("type", f.typ)
		}
		if f.typ == "array" {
			s.OpenObject("items")
			if f.items != "" && f.items != "array" {
				s.String("type", f.items)
			}
			s.Close("}")
		}
		s.Close("}")
	}
	s.Close("}}")
}

// function writes the name, the description and the schema of a tool.
func (s *sheet) function(schema string, t *tool) {
	s.String("name", t.name)
	s.Optional("description", t.about)
	s.schema(schema, t)
}

// choice is the recorded choice of tools: auto, none, required, or one by its name.
type choice struct{ mode, name string }

// readChoice reads a tool_choice of OpenAI or Anthropic, or a toolConfig of Gemini; nil if none was
// recorded.
func readChoice(v, config string) *choice {
	if calling := jsonspan.Get([]byte(config), "functionCallingConfig"); calling != nil {
		c := &choice{mode: strings.ToLower(firstString(calling, "mode"))}
		if c.mode == "any" {
			c.mode = "required"
		}
		return c
	}
	switch v {
	case "":
		return nil
	case "auto", "none", "required":
		return &choice{mode: v}
	case "any":
		return &choice{mode: "required"}
	}
	raw := []byte(v)
	switch typ := firstString(raw, "type"); typ {
	case "auto", "none":
		return &choice{mode: typ}
	case "any":
		return &choice{mode: "required"}
	}
	name := firstString(raw, "name")
	for _, field := range [...]string{"function", "custom"} {
		name = cmp.Or(name, firstString(jsonspan.Get(raw, field), "name"))
	}
	if name == "" {
		return nil
	}
	return &choice{mode: "one", name: name}
}
