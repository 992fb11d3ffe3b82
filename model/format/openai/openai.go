package openai

import (
	"turns/model"
	"turns/model/format/kit"
)

// Format reads the wire format of OpenAI's Chat Completions, which many servers and frameworks use:
// arrays of messages, requests, responses, batch files, fine-tuning data, one message or one
// conversation per line.
func Format() *model.Format {
	return &model.Format{
		Name:    "openai",
		Highest: 70,
		Deltas:  true,
		Title:   "OpenAI chat messages",
		Detect:  openaiDetect,
		Lists:   kit.ChatLists,
		Parse:   kit.ChatParse,
	}
}

func openaiDetect(s *model.Sample) model.Match {
	e := kit.GatherEvidence(s)
	switch {
	case kit.HasReadBack(e.List):
		return model.Match{Score: 80, Variant: e.Variant, Reason: e.Where() + " of a JSON export of turns"}
	case !e.Enough() && (e.Anthropic > 0 || !kit.OnlyAPIFields(s)):
		return model.Match{}
	case e.Openai > 0 && e.Openai >= e.Anthropic:
		return model.Match{Score: 70, Variant: e.Variant, Reason: e.Where() + " of OpenAI's shape: " + e.Sign}
	case e.Openai+e.Anthropic+e.OddRole+e.Foreign == 0 && e.StandardPlace():
		return model.Match{Score: 30, Variant: e.Variant, Reason: e.Where() + " with role and content and nothing that tells another API"}
	case e.Openai+e.Anthropic == 0 && e.StandardPlace() && kit.OnlyAPIFields(s):
		return model.Match{Score: 30, Variant: e.Variant, Reason: e.Where() + " with the fields of OpenAI's messages only"}
	}
	return model.Match{}
}
