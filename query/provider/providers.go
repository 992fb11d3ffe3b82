package provider

import (
	"fmt"
	"slices"
	"strings"

	"turns/model"
)

// Provider contains the rules of an API or a framework for a conversation. They are data, so that
// checks, repairs and exports apply the same ones.
type Provider struct {
	Name, Title  string
	System       SystemPlace
	Results      ResultPlace
	Reasoning    ReasoningRule
	Merge        bool     // neighbours of one role are joined
	Alternate    bool     // two messages of one role in a row are refused
	FirstUser    bool     // the first message is the user's
	NonEmpty     bool     // texts with only white space are refused
	Media        []Accept // accepted images, sounds and files; empty: none
	URLs         []string // prefixes of the URLs that it opens itself
	MediaByModel bool     // messages of the model may have media
	MediaAfter   bool     // media of results go into a user message after them
	NeedIDs      bool     // calls need ids
	UniqueIDs    bool     // ids are unique in the conversation, not only within a message
	NamedResults bool     // results name their tool
	IDChars      bool     // ids consist of letters, digits, _ and -
	IDMax        int      // length of an id; 0: any
	// length of a tool's name, of letters, digits, _ and - (and . if NameDots); 0: any name
	NameMax   int
	NameDots  bool
	Object    bool // arguments are a JSON object
	Custom    bool // has tools whose input is a text
	Frontier  bool // the last message may have pending calls
	InOrder   bool // blocks of a message, results included, remain in order
	NeedTools bool // a conversation with calls declares tools
	Each      bool // conversations are separate, not one after another
	// names of users and assistants are limited like those of tools
	SpeakerNames bool
	// a conversation that ends with the model's words must not end with white space
	TrimEnd bool
	// who refuses a conversation that ends with a message of the model, and how; "": no one
	Prefill string
	// a record, not a request: calls without results and results without calls are allowed
	Record bool
}

// SystemPlace is the place of the system prompt in a request.
type SystemPlace uint8

// The places of the system prompt.
const (
	SystemInList  SystemPlace = iota // messages like all others
	SystemLeading                    // at the beginning of the list only
	SystemApart                      // a separate parameter
)

// ResultPlace is the place of tool results in a request.
type ResultPlace uint8

// The places of results.
const (
	// each a message of the tool, after the message with the calls
	ResultMessages ResultPlace = iota
	ResultTogether             // one message of the tool with the results of all calls
	ResultInUser               // the user's next message begins with them
	ResultInline               // with the call
)

// ReasoningRule is the kind of reasoning that a provider accepts.
type ReasoningRule uint8

// The kinds of accepted reasoning.
const (
	ReasoningAny ReasoningRule = iota
	ReasoningSigned
	ReasoningNone
)

// The media that several providers accept, and the URLs that they open.
var (
	web      = []string{"https://", "http://"}
	anyMedia = []Accept{{URL: true}}

	claudeMedia = []Accept{
		{Type: "image/jpeg", ID: true}, {Type: "image/png", ID: true}, {Type: "image/gif", ID: true}, {Type: "image/webp", ID: true},
		{Type: "image", URL: true, ID: true}, {Type: "application/pdf", URL: true, ID: true}, {Type: "file", URL: true, ID: true},
		{Type: "text/"},
	}
	chatMedia = []Accept{
		{Type: "image/", URL: true}, {Type: "image", URL: true}, {Type: "audio/wav"}, {Type: "audio/mpeg"},
		{Type: "application/pdf", ID: true}, {Type: "file", ID: true},
	}
	responsesMedia = []Accept{
		{Type: "image/", URL: true, ID: true}, {Type: "image", URL: true, ID: true},
		{Type: "application/", URL: true, ID: true}, {Type: "text/", URL: true, ID: true}, {Type: "file", URL: true, ID: true},
	}
)

// The values of Provider.Prefill.
const (
	claudePrefill = "Claude 4.6 and later refuse"
	anyPrefill    = claudePrefill + ", and Gemini refuses"
)

// providers lists all providers known to the check and the repair, in the order of the
// documentation. Other packages receive copies: see All.
var providers = []Provider{
	{Name: "openai", Title: "OpenAI Chat Completions", Reasoning: ReasoningNone, NeedIDs: true, IDMax: 40, NameMax: 64, SpeakerNames: true, Custom: true,
		Media: chatMedia, URLs: web, MediaAfter: true},
	{Name: "openai-responses", Title: "OpenAI Responses", NeedIDs: true, UniqueIDs: true, IDMax: 64, NameMax: 128, Reasoning: ReasoningSigned, Custom: true,
		Media: responsesMedia, URLs: web},
	{Name: "anthropic", Title: "Anthropic Messages", System: SystemApart, Results: ResultInUser, Reasoning: ReasoningSigned, Merge: true,
		FirstUser: true, NonEmpty: true, NeedIDs: true, UniqueIDs: true, IDChars: true, NameMax: 128, Object: true, Media: claudeMedia, URLs: web,
		Prefill: claudePrefill, TrimEnd: true, NeedTools: true},
	{Name: "gemini", NamedResults: true, Title: "Gemini generateContent", System: SystemApart, Results: ResultInUser, Merge: true, FirstUser: true, NonEmpty: true,
		NameMax: 64, NameDots: true, Object: true, Prefill: "Gemini refuses", Media: anyMedia, URLs: []string{"https://", "gs://"}, MediaByModel: true},
	{Name: "bedrock", Title: "Bedrock Converse", System: SystemApart, Results: ResultInUser, Reasoning: ReasoningSigned, Merge: true, Alternate: true,
		FirstUser: true, NonEmpty: true, NeedIDs: true, UniqueIDs: true, IDChars: true, IDMax: 64, NameMax: 64, Object: true,
		Media: claudeMedia, URLs: []string{"s3://"}, Prefill: claudePrefill, TrimEnd: true, NeedTools: true},
	{Name: "vercel", NamedResults: true, Title: "Vercel AI SDK ModelMessage", Prefill: anyPrefill, System: SystemApart, Results: ResultTogether, NeedIDs: true, UniqueIDs: true,
		Media: anyMedia, URLs: web, MediaByModel: true},
	{Name: "vercel-ui", Title: "Vercel AI SDK UIMessage", InOrder: true, Prefill: anyPrefill, Results: ResultInline, NeedIDs: true, UniqueIDs: true, Frontier: true,
		Media: anyMedia, URLs: web, MediaByModel: true},
	{Name: "vercel-functions", NamedResults: true, Title: "messages with function_call", Reasoning: ReasoningNone, NameMax: 64, Object: true},
	{Name: "pydantic-ai", Title: "PydanticAI message history", Prefill: anyPrefill, Results: ResultTogether, Merge: true, NeedIDs: true, UniqueIDs: true, Frontier: true,
		Media: anyMedia, URLs: append([]string{"gs://", "s3://"}, web...), MediaByModel: true},
	{Name: "langchain", Title: "LangChain messages", Prefill: anyPrefill, NeedIDs: true, Object: true, Frontier: true,
		Media: []Accept{{URL: true, ID: true}}, URLs: append([]string{"gs://", "s3://"}, web...), MediaByModel: true},
	{Name: "atif", Title: "ATIF trajectory", Results: ResultInline, NeedIDs: true, Object: true, Record: true,
		Media: []Accept{{Type: "image", URL: true}, {Type: "audio", URL: true}}, URLs: append([]string{"gs://", "s3://"}, web...), MediaByModel: true},
	{Name: "agentsmithy", Title: "AgentSmithy dialog history", Results: ResultInline, NeedIDs: true, Object: true, Record: true},
	{Name: "agentsmithy-events", Title: "AgentSmithy dialog events", Results: ResultInline, NeedIDs: true, Object: true, Record: true},
	{Name: "otlp", Title: "OpenTelemetry GenAI spans", Results: ResultInline, NeedIDs: true, UniqueIDs: true, Record: true, Each: true, InOrder: true,
		Media: []Accept{{URL: true, ID: true}}, URLs: append([]string{"gs://", "s3://"}, web...), MediaByModel: true},
	{Name: "sharegpt", Title: "ShareGPT training data", Each: true, System: SystemLeading, Results: ResultTogether, Reasoning: ReasoningNone, Merge: true, Alternate: true,
		FirstUser: true, NonEmpty: true},
	{Name: "openai-finetune", Title: "OpenAI fine-tuning data", Each: true, Reasoning: ReasoningNone, NeedIDs: true, IDMax: 40, NameMax: 64, SpeakerNames: true,
		Media: chatMedia[:2], URLs: web, MediaAfter: true},
}

// All returns all providers with known rules.
func All() []Provider { return slices.Clone(providers) }

// Find returns the provider with a name. The error for an unknown name lists them all.
func Find(name string) (Provider, error) {
	names := make([]string, 0, len(providers))
	for i := range providers {
		if providers[i].Name == strings.ToLower(strings.TrimSpace(name)) {
			return providers[i], nil
		}
		names = append(names, providers[i].Name)
	}
	return Provider{}, fmt.Errorf("unknown provider %q; known are %s", name, strings.Join(names, ", "))
}

// nameOK reports whether a tool may have that name.
func (p *Provider) nameOK(name string) bool {
	return p.NameMax == 0 && name != "" || len(name) > 0 && len(name) <= p.NameMax && p.fix(name, p.NameDots) == name
}

// speakerOK reports whether a user or an assistant may have that name.
func (p *Provider) speakerOK(name string) bool {
	return !p.SpeakerNames || name == "" || p.nameOK(name)
}

// takesReasoning reports whether a provider accepts a block of reasoning.
func (p *Provider) takesReasoning(b *WireBlock, role model.Role) bool {
	if p.Reasoning == ReasoningNone || role != model.Assistant {
		return false
	}
	return b.Signed || p.Reasoning != ReasoningSigned && !blank(b)
}

// ToolName returns the name of a tool at the provider.
func (p *Provider) ToolName(name string) string {
	if p.nameOK(name) {
		return name
	}
	return p.validName(name)
}

// idOK reports whether a call may have that id.
func (p *Provider) idOK(id string) bool {
	if id == "" {
		return !p.NeedIDs
	}
	return (p.IDMax == 0 || len(id) <= p.IDMax) && (!p.IDChars || p.fix(id, false) == id)
}

// fix replaces invalid characters in an id or a name.
func (p *Provider) fix(s string, dots bool) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || dots && r == '.' {
			return r
		}
		return '_'
	}, s)
}
