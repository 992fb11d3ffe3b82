package format

import "turns/model"

// openaiFormat is the wire format of OpenAI's Chat Completions and of the many
// servers and frameworks that speak it: arrays of messages, requests, responses,
// batch files, fine-tuning data, one message or one conversation per line.
func openaiFormat() *model.Format {
	return &model.Format{
		Name:   "openai",
		Deltas: true,
		Title:  "OpenAI chat messages",
		Detect: openaiDetect,
		Lists:  chatLists,
		Parse:  chatParse,
	}
}

func openaiDetect(s *model.Sample) model.Match {
	e := gatherEvidence(s)
	switch {
	case !e.enough():
		return model.Match{}
	case e.openai > 0 && e.openai >= e.anthropic:
		return model.Match{Score: 70, Variant: e.variant, Reason: e.where() + " of OpenAI's shape: " + e.sign}
	case e.openai+e.anthropic+e.oddRole+e.foreign == 0 && e.standardPlace():
		return model.Match{Score: 30, Variant: e.variant, Reason: e.where() + " with role and content and nothing that tells another API"}
	}
	return model.Match{}
}
