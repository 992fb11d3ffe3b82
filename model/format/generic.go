package format

import "turns/model"

// genericFormat is the fallback for anything that has somebody speaking: role and
// content, speaker and text, from and value, author and message, type human and
// ai, in a list wherever documents keep one.
func genericFormat() *model.Format {
	return &model.Format{
		Name:   "generic",
		Title:  "Anything with roles and content",
		Detect: genericDetect,
		Lists:  chatLists,
		Parse:  chatParse,
	}
}

func genericDetect(s *model.Sample) model.Match {
	e := gatherEvidence(s)
	if e.messages == 0 || e.others > e.messages {
		return model.Match{}
	}
	said := 0
	for _, m := range e.list {
		if genericSays(m) {
			said++
		}
	}
	if said*2 < len(e.list) {
		return model.Match{}
	}
	return model.Match{Score: 10, Variant: e.variant, Reason: e.where() + " with a speaker and text, of no format that is known"}
}
