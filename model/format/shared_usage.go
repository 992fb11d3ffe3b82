package format

import (
	"turns/model"
	"turns/model/jsonspan"
)

// noUsage is a usage of which nothing was recorded.
func noUsage(scope model.Scope) model.Usage {
	return model.Usage{Scope: scope, Input: -1, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1}
}

// readUsage consumes a usage object of OpenAI (Chat Completions or Responses,
// where the input includes what came from a cache) or Anthropic (where it does
// not) and gives it normalised: which of the two it is, its names tell. The zero
// Usage for anything that is no such object.
func readUsage(c *jsonspan.Cursor) model.Usage { return usageOf(c.Skip()) }

// usageOf is readUsage for a raw value.
func usageOf(v []byte) model.Usage {
	if jsonspan.KindOf(v) != jsonspan.Object || isEmpty(v) {
		return model.Usage{}
	}
	u := noUsage(model.Each)
	w := usageWalk{u: &u, included: -1, written: -1}
	w.walk(v)
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
	return u
}

type usageWalk struct {
	u                 *model.Usage
	included, written int64 // cached tokens that the input includes
}

func (w *usageWalk) walk(v []byte) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "prompt_tokens", "input_tokens":
			readCount(&c, &w.u.Input)
		case "completion_tokens", "output_tokens":
			readCount(&c, &w.u.Output)
		case "cache_read_input_tokens":
			readCount(&c, &w.u.CacheRead)
		case "cache_creation_input_tokens":
			readCount(&c, &w.u.CacheWrite)
		case "cache_creation":
			cacheLife(&c, w.u)
		case "prompt_cache_hit_tokens", "cached_input_tokens":
			readCount(&c, &w.included)
		case "prompt_tokens_details", "input_tokens_details":
			for c.Object(); c.Key(); {
				switch string(c.Name) {
				case "cached_tokens":
					readCount(&c, &w.included)
				case "cache_write_tokens":
					readCount(&c, &w.written)
				default:
					c.Skip()
				}
			}
		case "completion_tokens_details", "output_tokens_details":
			for c.Object(); c.Key(); {
				switch string(c.Name) {
				case "reasoning_tokens", "thinking_tokens":
					readCount(&c, &w.u.Reasoning)
				default:
					c.Skip()
				}
			}
		case "reasoning_tokens", "reasoning_output_tokens":
			readCount(&c, &w.u.Reasoning)
		case "cost", "total_cost", "cost_usd":
			if x, ok := c.Float(); ok {
				w.u.Cost, w.u.HasCost = x, true
			}
		default:
			c.Skip()
		}
	}
}

// readCount consumes a number into n; anything else leaves n as it is.
func readCount(c *jsonspan.Cursor, n *int64) {
	if x, ok := c.Int(); ok && x >= 0 {
		*n = x
	}
}

// excludeCache makes of an input that includes what came from or went to a cache
// one that does not.
func excludeCache(u *model.Usage) {
	if u.Input >= 0 {
		u.Input = max(0, u.Input-max(u.CacheRead, 0)-max(u.CacheWrite, 0))
	}
}

// usageNames are the names that a format has for the numbers of its usage objects;
// "" for those that it does not record.
type usageNames struct{ input, output, cacheRead, cacheWrite, reasoning, cost string }

// read gives the numbers as they are recorded: none of them are taken apart. It is
// the zero Usage where neither input, output nor cost is told.
func (n *usageNames) read(v []byte, scope model.Scope) model.Usage {
	u := noUsage(scope)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "":
			c.Skip()
		case n.input:
			readCount(&c, &u.Input)
		case n.output:
			readCount(&c, &u.Output)
		case n.cacheRead:
			readCount(&c, &u.CacheRead)
		case n.cacheWrite:
			readCount(&c, &u.CacheWrite)
		case n.reasoning:
			readCount(&c, &u.Reasoning)
		case n.cost:
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

// anyUsage is a usage object in any of the spellings of the frameworks: what
// usageOf knows, and the names of Gemini, Bedrock, Vercel and LangChain.
func anyUsage(v []byte) model.Usage {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return model.Usage{}
	}
	switch {
	case hasKey(v, "promptTokenCount") || hasKey(v, "candidatesTokenCount"):
		return geminiCLITokens(v)
	case hasKey(v, "inputTokens") || hasKey(v, "outputTokens") || hasKey(v, "promptTokens"):
		return camelUsage(v)
	case hasKey(v, "input_token_details") || hasKey(v, "output_token_details"):
		return langchainUsage(v)
	}
	return usageOf(v)
}

// camelUsage reads usage with names in camel case. What Bedrock calls
// inputTokens excludes the cache; that of the AI SDK includes it.
func camelUsage(v []byte) model.Usage {
	u := noUsage(model.Each)
	bedrock := false
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "inputTokens", "promptTokens":
			readCount(&c, &u.Input)
		case "outputTokens", "completionTokens":
			readCount(&c, &u.Output)
		case "reasoningTokens":
			readCount(&c, &u.Reasoning)
		case "cacheReadInputTokens":
			bedrock = true
			readCount(&c, &u.CacheRead)
		case "cacheWriteInputTokens":
			bedrock = true
			readCount(&c, &u.CacheWrite)
		case "cachedInputTokens", "cacheReadTokens":
			readCount(&c, &u.CacheRead)
		case "cacheWriteTokens":
			readCount(&c, &u.CacheWrite)
		default:
			c.Skip()
		}
	}
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{}
	}
	if !bedrock {
		excludeCache(&u)
	}
	return u
}

// cacheLife reads for how long tokens were written to the cache.
func cacheLife(c *jsonspan.Cursor, u *model.Usage) {
	var hour, minutes int64
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "ephemeral_1h_input_tokens":
			claudeNumber(c, &hour)
		case "ephemeral_5m_input_tokens":
			claudeNumber(c, &minutes)
		default:
			c.Skip()
		}
	}
	u.HourCache = hour > minutes
}

func claudeNumber(c *jsonspan.Cursor, to *int64) {
	if n, ok := c.Int(); ok {
		*to = n
	}
}

// geminiCLITokens reads the tokens of a response: what came from the cache is part
// of the input, the thoughts are not part of the output.
func geminiCLITokens(v []byte) model.Usage {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return model.Usage{}
	}
	u := noUsage(model.Each)
	var tool int64
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "input", "promptTokenCount":
			readCount(&c, &u.Input)
		case "output", "candidatesTokenCount":
			readCount(&c, &u.Output)
		case "cached", "cachedContentTokenCount":
			readCount(&c, &u.CacheRead)
		case "thoughts", "thoughtsTokenCount":
			readCount(&c, &u.Reasoning)
		case "tool", "toolUsePromptTokenCount":
			readCount(&c, &tool)
		default:
			c.Skip()
		}
	}
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{}
	}
	u.Input = max(0, u.Input-max(u.CacheRead, 0)+tool)
	u.Output = max(u.Output, 0) + max(u.Reasoning, 0)
	return u
}

// langchainUsage reads usage_metadata, whose input includes what the cache had.
func langchainUsage(v []byte) model.Usage {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return model.Usage{}
	}
	u := noUsage(model.Each)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "input_tokens":
			readCount(&c, &u.Input)
		case "output_tokens":
			readCount(&c, &u.Output)
		case "input_token_details", "output_token_details":
			for c.Object(); c.Key(); {
				switch string(c.Name) {
				case "cache_read":
					readCount(&c, &u.CacheRead)
				case "cache_creation":
					readCount(&c, &u.CacheWrite)
				case "reasoning":
					readCount(&c, &u.Reasoning)
				default:
					c.Skip()
				}
			}
		default:
			c.Skip()
		}
	}
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{}
	}
	excludeCache(&u)
	return u
}
