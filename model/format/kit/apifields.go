package kit

import (
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// OnlyAPIFields reports whether each message of a sample has a role and a content, has only fields
// of the API, and has no call in another spelling inside its content. If so, the JSON in the
// contents need not be searched under other names.
func OnlyAPIFields(s *model.Sample) bool {
	messages, _, others := sampleMessages(s)
	exact := false
	for _, v := range messages {
		role, content := false, false
		c := jsonspan.New(v)
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "role":
				name := c.String()
				role, exact = name != nil, exact || ExactRole(name)
				continue
			case "content":
				content = true
				if mayCall(c.Skip(), 0) {
					return false
				}
				continue
			case "name", "tool_calls", "function_call", "tool_call_id", "refusal", "audio", "annotations":
			default:
				return false
			}
			c.Skip()
		}
		if !role || !content || c.Err != nil {
			return false
		}
	}
	return exact && others == 0
}

// mayCall reports whether a content has an object with a name and arguments, or with the id of
// another.
func mayCall(v []byte, depth int) bool {
	if depth > ChatMaxDepth {
		return false
	}
	switch jsonspan.KindOf(v) {
	case jsonspan.Array:
		for part := range jsonspan.List(v) {
			if mayCall(part, depth+1) {
				return true
			}
		}
	case jsonspan.Object:
		name, args := false, false
		c := jsonspan.New(v)
		for c.Object(); c.Key(); {
			key := string(c.Name)
			switch {
			case len(key) > 2 && (strings.HasSuffix(key, "_id") || strings.HasSuffix(key, "Id")):
				return true
			case key == "args" || key == "arguments" || key == "input" || key == "params" || key == "parameters":
				args = true
			case key == "name" || key == "tool" || key == "function" || strings.HasPrefix(key, "tool_"):
				name = true
			}
			if value := c.Skip(); mayCall(value, depth+1) {
				return true
			}
		}
		return name && args
	}
	return false
}
