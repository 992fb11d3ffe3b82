package benchtest

// known lists properties of a format's records that examples do not show. Paths have the names of
// fields, and * for the members of a list or map.
type known struct {
	// maps are the paths of objects whose names are ids: Go code would use a map for them, not a
	// struct with a field for each id of the samples.
	maps []string
	// inside are the paths of strings with JSON that the parser decodes, such as columns of a
	// database. A path ends with the first byte of that JSON. The compared decoder also decodes
	// these. Arguments of calls are not listed, because the parser stores them as text.
	inside []string
}

var knownOf = map[string]known{
	"agent-c":     {maps: []string{"/interactions"}},
	"agentsmithy": {inside: []string{"/message{"}},
	"chatgpt":     {maps: []string{"/mapping"}},
	"cline":       {inside: []string{"/text{"}},
	"copilot-cli": {maps: []string{"/data/modelMetrics"}},
	"crush":       {inside: []string{"/parts["}},
	"cursor":      {inside: []string{"/value{", "/value["}},
	"dexto":       {inside: []string{"/value{"}},
	"goose":       {inside: []string{"/content_json[", "/metadata_json{", "/model_config_json{"}},
	"hermes":      {inside: []string{"/tool_calls["}},
	"inspect":     {maps: []string{"/model_usage"}},
	"kiro":        {inside: []string{"/entry{"}},
	"langchain":   {inside: []string{"/checkpoint{", "/metadata{"}},
	"open-webui":  {maps: []string{"/chat/history/messages"}},
	"opencode":    {inside: []string{"/model{", "/data{", "/message{", "/part{"}},
	"otel": {inside: []string{
		"/resourceSpans/*/scopeSpans/*/spans/*/attributes/*/value/stringValue[", "/attributes/*/value/stringValue[",
		"/events/*/attributes/gen_ai.event.content{", "/events/*/attributes/gen_ai.prompt[", "/attributes/events[",
		"/attributes/ai.prompt.messages[", "/attributes/ai.response.toolCalls[",
	}},
	"swe-agent":      {inside: []string{"/replay_config{"}},
	"vercel-ui":      {inside: []string{"/parts[", "/attachments["}},
	"vscode-copilot": {maps: []string{"/requests/*/result/metadata/toolCallResults"}},
	"zed":            {maps: []string{"/data/messages/*/Agent/tool_results"}, inside: []string{"/data{"}},
}
