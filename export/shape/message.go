package shape

import "encoding/json"

// Message is a message of a JSON export, in the shape of OpenAI-compatible APIs. Other fields of
// the source follow under their recorded names.
type Message struct {
	Role      string          `json:"role"`              // system, developer, user, assistant, tool, or as recorded; unknown: none was recorded
	Content   json.RawMessage `json:"content,omitempty"` // as recorded: a string, a list of parts, an object, null, or missing
	Reasoning json.RawMessage `json:"reasoning_content,omitempty"`
	Calls     json.RawMessage `json:"tool_calls,omitempty"`   // a list of calls with id and function
	CallID    json.RawMessage `json:"tool_call_id,omitempty"` // of a result: the call that it answers
	Name      json.RawMessage `json:"name,omitempty"`         // of the tool or the speaker
	Labels    json.RawMessage `json:"_labels,omitempty"`
	Turns     *Extra          `json:"_turns,omitempty"`    // only if the other fields are ambiguous
	Metadata  json.RawMessage `json:"_metadata,omitempty"` // with --metadata: index, tokens and time
}

// Conversation is a JSON export of a source with fields beyond its messages: the fields under
// their recorded names, the messages in one of them.
type Conversation struct{}
