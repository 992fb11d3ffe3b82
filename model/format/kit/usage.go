package kit

import (
	"cmp"

	"turns/model"
	"turns/model/jsonspan"
)

// NoUsage returns a usage without any recorded number.
func NoUsage(scope model.Scope) model.Usage {
	return model.Usage{Scope: scope, Input: -1, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1}
}

// ReadUsage consumes a usage object of OpenAI (Chat Completions or Responses, whose input includes
// cached tokens) or Anthropic (whose input does not) and returns it normalised. The names of the
// fields decide which of the two it is. It returns the zero Usage for other values.
func ReadUsage(c *jsonspan.Cursor) model.Usage { return UsageOf(c.Skip()) }

// UsageOf is ReadUsage for a raw value.
func UsageOf(v []byte) model.Usage {
	if jsonspan.KindOf(v) != jsonspan.Object || IsEmpty(v) {
		return model.Usage{}
	}
	w := apiUsage{Usage: NoUsage(model.Each), included: -1, written: -1}
	u := &w.Usage
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		if string(c.Name) == "cache_creation" {
			CacheLife(&c, u)
		} else {
			apiUsageFields.Read(&c, &w)
		}
	}
	if w.included > 0 || w.written > 0 {
		u.Input = max(0, u.Input-max(w.included, 0)-max(w.written, 0))
	}
	if w.included >= 0 && u.CacheRead < 0 {
		u.CacheRead = w.included
	}
	if w.written >= 0 && u.CacheWrite < 0 {
		u.CacheWrite = w.written
	}
	if u.Input < 0 && u.Output < 0 && u.CacheRead < 0 && u.CacheWrite < 0 && !u.HasCost {
		return model.Usage{}
	}
	return *u
}

// apiUsage is a usage of an API with the cached tokens that its input includes.
type apiUsage struct {
	model.Usage
	included, written int64
}

var apiUsageFields = TableOf(func(u *apiUsage) Fields {
	input := Fields{Count("cached_tokens", &u.included), Count("cache_write_tokens", &u.written)}
	output := Fields{Count("reasoning_tokens", &u.Reasoning), Count("thinking_tokens", &u.Reasoning)}
	return Fields{
		Count("input_tokens", &u.Input), Count("output_tokens", &u.Output), Count("prompt_tokens", &u.Input), Count("completion_tokens", &u.Output),
		Count("cache_read_input_tokens", &u.CacheRead), Count("cache_creation_input_tokens", &u.CacheWrite),
		Count("prompt_cache_hit_tokens", &u.included), Count("cached_input_tokens", &u.included),
		Within("prompt_tokens_details", input...), Within("input_tokens_details", input...),
		Within("completion_tokens_details", output...), Within("output_tokens_details", output...),
		Count("reasoning_tokens", &u.Reasoning), Count("reasoning_output_tokens", &u.Reasoning),
		Cost("cost", &u.Usage), Cost("total_cost", &u.Usage), Cost("cost_usd", &u.Usage),
	}
})

// ReadCount consumes a number into n; other values leave n unchanged.
func ReadCount(c *jsonspan.Cursor, n *int64) {
	if x, ok := c.Int(); ok && x >= 0 {
		*n = x
	}
}

// ExcludeCache subtracts the tokens read from and written to a cache from an input that includes
// them.
func ExcludeCache(u *model.Usage) {
	if u.Input >= 0 {
		u.Input = max(0, u.Input-max(u.CacheRead, 0)-max(u.CacheWrite, 0))
	}
}

// UsageNames are a format's names for the numbers of its usage objects; "" for numbers that it does
// not record.
type UsageNames struct{ Input, Output, CacheRead, CacheWrite, Reasoning, Cost string }

// Read returns the numbers as recorded, without subtracting any. It returns the zero Usage if
// neither input, output nor cost is recorded.
func (n *UsageNames) Read(v []byte, scope model.Scope) model.Usage {
	u := NoUsage(scope)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "":
			c.Skip()
		case n.Input:
			ReadCount(&c, &u.Input)
		case n.Output:
			ReadCount(&c, &u.Output)
		case n.CacheRead:
			ReadCount(&c, &u.CacheRead)
		case n.CacheWrite:
			ReadCount(&c, &u.CacheWrite)
		case n.Reasoning:
			ReadCount(&c, &u.Reasoning)
		case n.Cost:
			u.Cost, u.HasCost = c.Float()
		default:
			c.Skip()
		}
	}
	if u.Input < 0 && u.Output < 0 && !u.HasCost {
		return model.Usage{}
	}
	return u
}

// CountsNamed reads usage objects whose numbers have these names. They do not overlap, except that
// the number named "all" includes the cached tokens.
func CountsNamed(names map[string]string) func(v []byte) model.Usage {
	n := UsageNames{cmp.Or(names["all"], names["input"]), names["output"], names["read"], names["write"], names["reasoning"], names["cost"]}
	return func(v []byte) model.Usage {
		u := n.Read(v, model.Each)
		if names["all"] != "" {
			ExcludeCache(&u)
		}
		return u
	}
}

// AnyUsage reads a usage object in any spelling of the frameworks: those of UsageOf, and the names
// of Gemini, Bedrock, Vercel and LangChain.
func AnyUsage(v []byte) model.Usage {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return model.Usage{}
	}
	switch {
	case HasKey(v, "promptTokenCount") || HasKey(v, "candidatesTokenCount"):
		return GeminiCLITokens(v)
	case HasKey(v, "inputTokens") || HasKey(v, "outputTokens") || HasKey(v, "promptTokens"):
		return camelUsage(v)
	case HasKey(v, "input_token_details") || HasKey(v, "output_token_details"):
		return LangchainUsage(v)
	}
	return UsageOf(v)
}

// camelUsage reads usage with names in camel case. Bedrock's inputTokens excludes the cache; that
// of the AI SDK includes it.
func camelUsage(v []byte) model.Usage {
	u := NoUsage(model.Each)
	bedrock := false
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "inputTokensDetails":
			if n, ok := jsonspan.ParseInt(detail(c.Skip(), "cached_tokens")); ok {
				u.CacheRead = n
			}
		case "outputTokensDetails":
			if n, ok := jsonspan.ParseInt(detail(c.Skip(), "reasoning_tokens")); ok {
				u.Reasoning = n
			}
		case "cacheReadInputTokens", "cacheWriteInputTokens":
			bedrock = true
			camelFields.Read(&c, &u)
		default:
			camelFields.Read(&c, &u)
		}
	}
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{}
	}
	if !bedrock {
		ExcludeCache(&u)
	}
	return u
}

var camelFields = TableOf(func(u *model.Usage) Fields {
	return Fields{
		Count("inputTokens", &u.Input), Count("promptTokens", &u.Input), Count("outputTokens", &u.Output), Count("completionTokens", &u.Output),
		Count("reasoningTokens", &u.Reasoning), Count("cacheReadInputTokens", &u.CacheRead), Count("cacheWriteInputTokens", &u.CacheWrite),
		Count("cachedInputTokens", &u.CacheRead), Count("cacheReadTokens", &u.CacheRead), Count("cacheWriteTokens", &u.CacheWrite),
	}
})

// detail is a number of a usage object's details: an object, or a list of one, as the Agents SDK
// for JavaScript has it.
func detail(v []byte, name string) []byte {
	if jsonspan.KindOf(v) == jsonspan.Array {
		for one := range jsonspan.List(v) {
			return jsonspan.Get(one, name)
		}
	}
	return jsonspan.Get(v, name)
}

// CacheLife reads the lifetimes of the tokens written to the cache.
func CacheLife(c *jsonspan.Cursor, u *model.Usage) {
	var hour, minutes int64
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "ephemeral_1h_input_tokens":
			ClaudeNumber(c, &hour)
		case "ephemeral_5m_input_tokens":
			ClaudeNumber(c, &minutes)
		default:
			c.Skip()
		}
	}
	u.HourCache = hour > minutes
	if u.CacheWrite < 0 && hour+minutes > 0 { // without a field for the sum
		u.CacheWrite = hour + minutes
	}
}

// ClaudeNumber reads the number at the cursor. Other values, such as null, leave the target
// unchanged.
func ClaudeNumber(c *jsonspan.Cursor, to *int64) {
	if n, ok := c.Int(); ok {
		*to = n
	}
}

// GeminiCLITokens reads the tokens of a response. The input includes cached tokens; the output does
// not include thoughts.
func GeminiCLITokens(v []byte) model.Usage {
	u := geminiCounts{Usage: NoUsage(model.Each)}
	c := jsonspan.New(v)
	geminiCountFields.ReadAll(&c, &u)
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{}
	}
	u.Input = max(0, u.Input-max(u.CacheRead, 0)+u.tool)
	u.Output = max(u.Output, 0) + max(u.Reasoning, 0)
	return u.Usage
}

// geminiCounts is a usage with the tokens of the tools' results.
type geminiCounts struct {
	model.Usage
	tool int64
}

var geminiCountFields = TableOf(func(u *geminiCounts) Fields {
	return Fields{
		Count("input", &u.Input), Count("output", &u.Output), Count("cached", &u.CacheRead), Count("thoughts", &u.Reasoning), Count("tool", &u.tool),
		Count("promptTokenCount", &u.Input), Count("candidatesTokenCount", &u.Output), Count("cachedContentTokenCount", &u.CacheRead),
		Count("thoughtsTokenCount", &u.Reasoning), Count("toolUsePromptTokenCount", &u.tool),
	}
})

// LangchainUsage reads usage_metadata, whose input includes cached tokens.
func LangchainUsage(v []byte) model.Usage {
	u := NoUsage(model.Each)
	c := jsonspan.New(v)
	langchainCounts.ReadAll(&c, &u)
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{}
	}
	ExcludeCache(&u)
	return u
}

var langchainCounts = TableOf(func(u *model.Usage) Fields {
	details := Fields{Count("cache_read", &u.CacheRead), Count("cache_creation", &u.CacheWrite), Count("reasoning", &u.Reasoning)}
	return Fields{Count("input_tokens", &u.Input), Count("output_tokens", &u.Output),
		Within("input_token_details", details...), Within("output_token_details", details...)}
})
