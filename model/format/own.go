package format

import (
	"turns/model"
	"turns/model/format/described"
	"turns/model/format/envelope"
	"turns/model/format/kit"
)

// Own compiles a user's description of a format; file is its name in errors.
func Own(file string, text []byte) (*model.Format, error) {
	d, err := described.Read(file, text)
	if err != nil {
		return nil, err
	}
	return described.Compile(d, helpers)
}

// Checked is like [Own], for a format that counts the matches of its rules; only one parser may run
// at a time.
func Checked(file string, text []byte) (*model.Format, *described.Tally, error) {
	d, err := described.Read(file, text)
	if err != nil {
		return nil, nil, err
	}
	return described.Counting(d, helpers)
}

// DetectAmong is Detect with the user's own formats first, because their authors know best.
func DetectAmong(own []*model.Format, s *model.Sample) (*model.Format, model.Match) {
	if len(own) == 0 {
		return Detect(s)
	}
	first := func(s *model.Sample) (*model.Format, model.Match) { return asked(own, s, nil, model.Match{}) }
	if f, m := first(s); f != nil {
		return f, m
	}
	if f, m := (envelope.Finder{Detect: first, Moment: kit.MomentOf}).Find(s); f != nil {
		return f, m
	}
	return Detect(s)
}
