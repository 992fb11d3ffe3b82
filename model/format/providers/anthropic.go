package providers

import (
	"turns/model"
	"turns/model/format/kit"
)

// AnthropicFormat reads the wire format of Anthropic's Messages API: arrays of messages, requests
// with their system prompt, responses, batch files. Tool results are in user messages, those of the
// server's own tools in assistant messages.
func AnthropicFormat() *model.Format {
	return &model.Format{
		Name:    "anthropic",
		Highest: 70,
		Title:   "Anthropic messages",
		Detect:  anthropicDetect,
		Lists:   kit.ChatLists,
		Parse:   kit.ChatParse,
	}
}

func anthropicDetect(s *model.Sample) model.Match {
	e := kit.GatherEvidence(s)
	switch {
	case !e.Enough():
		return model.Match{}
	case e.Anthropic > e.Openai:
		return model.Match{Score: 70, Variant: e.Variant, Reason: e.Where() + " of Anthropic's shape: " + e.Sign}
	case e.Openai+e.OddRole+e.Foreign == 0 && e.Claude != "" && e.StandardPlace():
		return model.Match{Score: 50, Variant: e.Variant, Reason: e.Where() + " with role and content; " + e.Claude}
	}
	return model.Match{}
}
