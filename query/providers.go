package query

import (
	"fmt"
	"slices"
	"strings"
)

// Provider is what an API or a framework demands of a conversation. The rules are
// data, so that checking, repairing and exporting hold to the same ones.
type Provider struct {
	Name, Title string
	System      SystemPlace
	Results     ResultPlace
	Reasoning   ReasoningRule
	Merge       bool // neighbours of one role are joined
	Alternate   bool // user and assistant take turns: neighbours of one role are refused
	FirstUser   bool // the first message is the user's
	NonEmpty    bool // texts hold more than white space
	NoMedia     bool // takes no images, sounds and files
	NeedIDs     bool // calls need ids
	UniqueIDs   bool // ids are unique in the conversation, else within a message
	IDChars     bool // ids hold letters, digits, _ and - only
	IDMax       int  // length of an id; 0: any
	NameMax     int  // length of a tool's name, of letters, digits, _ and - (and . where NameDots); 0: any name
	NameDots    bool
	Object      bool // arguments are a JSON object
	Frontier    bool // the last message may hold calls that still wait
	Record      bool // tells what was, is no request: calls without results and results without calls can be said
}

// SystemPlace is where a provider wants the system prompt.
type SystemPlace uint8

// The places of the system prompt.
const (
	SystemInList  SystemPlace = iota // messages as all others
	SystemLeading                    // at the beginning of the list only
	SystemApart                      // a parameter of its own
)

// ResultPlace is where a provider wants results of tools.
type ResultPlace uint8

// The places of results.
const (
	ResultMessages ResultPlace = iota // each a message of the tool, after the message with the calls
	ResultTogether                    // one message of the tool with the results of all calls
	ResultInUser                      // the user's next message begins with them
	ResultInline                      // with the call
)

// ReasoningRule is which reasoning a provider takes.
type ReasoningRule uint8

// The rules of reasoning.
const (
	ReasoningAny ReasoningRule = iota
	ReasoningSigned
	ReasoningNone
)

var providers = []Provider{
	{Name: "openai", Title: "OpenAI Chat Completions", Reasoning: ReasoningNone, NeedIDs: true, IDMax: 40, NameMax: 64},
	{Name: "openai-responses", Title: "OpenAI Responses", NeedIDs: true, UniqueIDs: true, IDMax: 64, NameMax: 128, Reasoning: ReasoningSigned},
	{Name: "anthropic", Title: "Anthropic Messages", System: SystemApart, Results: ResultInUser, Reasoning: ReasoningSigned, Merge: true,
		FirstUser: true, NonEmpty: true, NeedIDs: true, UniqueIDs: true, IDChars: true, NameMax: 128, Object: true},
	{Name: "gemini", Title: "Gemini generateContent", System: SystemApart, Results: ResultInUser, Merge: true, FirstUser: true, NonEmpty: true,
		NameMax: 64, NameDots: true, Object: true},
	{Name: "bedrock", Title: "Bedrock Converse", System: SystemApart, Results: ResultInUser, Reasoning: ReasoningSigned, Merge: true, Alternate: true,
		FirstUser: true, NonEmpty: true, NeedIDs: true, UniqueIDs: true, IDChars: true, IDMax: 64, NameMax: 64, Object: true},
	{Name: "vercel", Title: "Vercel AI SDK ModelMessage", Results: ResultTogether, NeedIDs: true, UniqueIDs: true},
	{Name: "vercel-ui", Title: "Vercel AI SDK UIMessage", Results: ResultInline, NeedIDs: true, UniqueIDs: true, Frontier: true},
	{Name: "pydantic-ai", Title: "PydanticAI message history", Results: ResultTogether, Merge: true, NeedIDs: true, UniqueIDs: true, Frontier: true},
	{Name: "langchain", Title: "LangChain messages", NeedIDs: true, Object: true, Frontier: true},
	{Name: "atif", Title: "ATIF trajectory", Results: ResultInline, NeedIDs: true, Object: true, Record: true},
	{Name: "agentsmithy", Title: "AgentSmithy dialog history", Results: ResultInline, NeedIDs: true, Object: true, Record: true, NoMedia: true},
	{Name: "sharegpt", Title: "ShareGPT training data", System: SystemLeading, Results: ResultTogether, Reasoning: ReasoningNone, Merge: true, Alternate: true,
		FirstUser: true, NoMedia: true, NonEmpty: true},
	{Name: "openai-finetune", Title: "OpenAI fine-tuning data", Reasoning: ReasoningNone, NeedIDs: true, IDMax: 40, NameMax: 64},
}

// Providers are all that rules are known of.
func Providers() []Provider { return slices.Clone(providers) }

// FindProvider is the provider of a name. The error of an unknown one lists them
// all.
func FindProvider(name string) (Provider, error) {
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

// idOK reports whether a call may have that id.
func (p *Provider) idOK(id string) bool {
	if id == "" {
		return !p.NeedIDs
	}
	return (p.IDMax == 0 || len(id) <= p.IDMax) && (!p.IDChars || p.fix(id, false) == id)
}

// fix replaces what an id or a name may not hold.
func (p *Provider) fix(s string, dots bool) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || dots && r == '.' {
			return r
		}
		return '_'
	}, s)
}
