package format

import (
	"turns/model"
	"turns/model/format/kit"
)

// genericScore is the score of records with a speaker and text: a format that recognises the records
// scores higher.
const genericScore = 10

// genericFormat returns the fallback for any records with a speaker: role and content, speaker and
// text, from and value, author and message, type human and ai, in a list at any usual path of a
// document.
func genericFormat() *model.Format {
	return &model.Format{
		Name:    "generic",
		Highest: 70,
		Title:   "Anything with roles and content",
		Detect:  genericDetect,
		Lists:   kit.ChatLists,
		Parse:   kit.ChatParse,
	}
}

func genericDetect(s *model.Sample) model.Match {
	e := kit.GatherEvidence(s)
	if e.Messages == 0 || e.Others > e.Messages {
		return model.Match{}
	}
	messages := 0
	for _, m := range e.List {
		if kit.HasContent(m) {
			messages++
		}
	}
	if messages*2 < len(e.List) {
		return model.Match{}
	}
	return model.Match{Score: genericScore, Variant: e.Variant, Reason: e.Where() + " with a speaker and text, of no format that is known"}
}
