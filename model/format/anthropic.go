package format

import "turns/model"

// anthropicFormat is the wire format of Anthropic's Messages API: arrays of
// messages, requests with their system prompt, responses, batch files. Results of
// tools stand in user messages, those of the server's own tools in the
// assistant's.
func anthropicFormat() *model.Format {
	return &model.Format{
		Name:   "anthropic",
		Title:  "Anthropic messages",
		Detect: anthropicDetect,
		Lists:  chatLists,
		Parse:  chatParse,
	}
}

func anthropicDetect(s *model.Sample) model.Match {
	e := gatherEvidence(s)
	switch {
	case !e.enough():
		return model.Match{}
	case e.anthropic > e.openai:
		return model.Match{Score: 70, Variant: e.variant, Reason: e.where() + " of Anthropic's shape: " + e.sign}
	case e.openai+e.oddRole+e.foreign == 0 && e.claude != "" && e.standardPlace():
		return model.Match{Score: 50, Variant: e.variant, Reason: e.where() + " with role and content; " + e.claude}
	}
	return model.Match{}
}
