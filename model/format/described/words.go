package described

import (
	"strings"
	"unicode"

	"turns/model"
)

// Class is the kind of a record, by its recorded kind or role.
type Class uint8

// The classes. Text is a part of a message without a speaker; a Tool is a role, and mostly a
// result.
const (
	NoClass Class = iota
	User
	Assistant
	System
	Developer
	Text
	Reasoning
	Call
	Result
	Tool
)

// meanings are the meanings of words in a recorded kind or role.
var meanings = map[string]Class{
	"user": User, "human": User, "customer": User, "prompter": User, "prompt": User, "client": User, "visitor": User, "questioner": User,
	"assistant": Assistant, "ai": Assistant, "agent": Assistant, "model": Assistant, "bot": Assistant, "gpt": Assistant, "chatbot": Assistant,
	"llm": Assistant, "claude": Assistant, "gemini": Assistant, "chatgpt": Assistant, "completion": Assistant, "copilot": Assistant, "planner": Assistant,
	"system": System, "developer": Developer, "instructions": System,
	"text": Text, "message": Text, "msg": Text, "content": Text, "say": Text,
	"input": Text, "query": Text, "question": Text, "answer": Text, "turn": Text, "reply": Text, "part": Text, "step": Text,
	"reasoning": Reasoning, "thinking": Reasoning, "thought": Reasoning, "think": Reasoning, "thoughts": Reasoning,
	"tool": Tool, "function": Tool, "observation": Result, "tools": Tool, "mcp": Tool, "command": Tool, "action": Call,
	"call": Call, "calls": Call, "use": Call, "invocation": Call, "invoke": Call, "request": Call, "requested": Call, "start": Call, "started": Call, "begin": Call, "execution": Call,
	"result": Result, "results": Result, "output": Result, "return": Result, "response": Result, "end": Result, "finished": Result,
	"completed": Result, "complete": Result, "done": Result, "returned": Result, "ended": Result,
}

// neutral are words that describe the recording, not its content.
var neutral = map[string]bool{"event": true, "chunk": true, "delta": true, "serialized": true}

// ClassOf returns the class of a recorded kind or role, such as "tool_use", "AgentMessage" or
// "function.call.output". It returns NoClass for other words.
func ClassOf(recorded string) Class {
	if len(recorded) > 48 {
		return NoClass
	}
	if ToolOfKind(recorded) != recorded {
		return Call
	}
	if c := classOfWords(recorded); c != NoClass {
		return c
	}
	// The part before may be the origin: "session/prompt", "turn.prompt".
	if last := recorded[strings.LastIndexAny(recorded, "/.:")+1:]; meanings[strings.ToLower(last)] == User {
		return User
	}
	return NoClass
}

func classOfWords(recorded string) Class {
	var has [Tool + 1]bool
	words, known := 0, 0
	last := NoClass
	for word := range splitWords(recorded) {
		if neutral[word] {
			continue
		}
		words++
		c := meanings[word]
		if c != NoClass {
			known++
		}
		has[c], last = true, c
	}
	switch {
	case has[System] && has[User] && known == words:
		return System // system-prompt
	case last == Assistant && words == 2 && !has[User] && !has[Tool] && !has[System] && !strings.Contains(recorded, " "):
		return Assistant // weather_agent
	case known == 0 || words > 4 || known*2 < words || known < words && strings.Contains(recorded, " "):
		return NoClass
	case has[User] && has[Tool] && !has[Result]:
		return NoClass // user.tool_confirmation
	case has[Tool] && has[Result]:
		return Result
	case has[Tool] && has[Call], has[Call] && words == 1:
		return Call
	case has[Reasoning]:
		return Reasoning
	case has[Tool] && words <= 2:
		return Tool
	case has[Assistant] && has[Result] && !has[Call]:
		return Assistant // model-structured-response
	case known < words && !has[Text]:
		return NoClass // user_joined, model_change
	case has[User] && !(has[Call] || has[Result]):
		return User
	case has[Assistant] && !has[Call]:
		return Assistant
	case has[Developer]:
		return Developer
	case has[System]:
		return System
	case has[Text]:
		return Text
	case has[Result] && words == 1:
		return Result
	}
	return NoClass
}

// splitWords returns the words of a name in any spelling, in lower case.
func splitWords(name string) func(func(string) bool) {
	return func(yield func(string) bool) {
		from, runes := 0, []rune(name)
		emit := func(to int) bool {
			word := strings.ToLower(strings.TrimFunc(string(runes[from:to]), func(r rune) bool { return !unicode.IsLetter(r) }))
			from = to
			return word == "" || yield(word)
		}
		for i := 1; i < len(runes); i++ {
			border := !unicode.IsLetter(runes[i]) || unicode.IsUpper(runes[i]) &&
				(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1]))
			if border && !emit(i) {
				return
			}
		}
		emit(len(runes))
	}
}

// Role returns the role of the author of records of the class.
func (c Class) Role() model.Role {
	switch c {
	case User:
		return model.User
	case Assistant, Call, Reasoning:
		return model.Assistant
	case System:
		return model.System
	case Developer:
		return model.Developer
	case Tool, Result:
		return model.Tool
	}
	return model.NoRole
}

// ToolOfKind returns the tool in the kind of a record: "web_search_call" and "tool-web_search" are
// both web_search. Other kinds are returned unchanged.
func ToolOfKind(kind string) string {
	name, ok := strings.CutSuffix(kind, "_call")
	if !ok {
		name, ok = strings.CutPrefix(kind, "tool-")
	}
	for word := range splitWords(name) {
		// model_call, tool-result
		if ok = ok && meanings[word] == NoClass && !neutral[word] && word != "error"; !ok {
			return kind
		}
	}
	return name
}
