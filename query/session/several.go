package session

import (
	"context"
	"fmt"

	"turns/model"
	"turns/query/human"
)

// JudgeFile explains how the sessions of a snapshot ended: why, for one with messages; for several,
// how many passed or how the last one ended. It ignores an envelope around a single session.
func JudgeFile(ctx context.Context, s *model.Snapshot, live bool) (Judgement, error) {
	only, several := -1, 0
	for i := range s.Sessions() {
		if s.Sessions()[i].Count > 0 {
			only, several = i, several+1
		}
	}
	var about model.Summary
	about.Conversations(s, 0)
	if several <= 1 && about.Sessions <= 1 {
		return Judge(ctx, s, max(only, 0), live)
	}
	return judgeSeveral(&about), nil
}

// judgeSeveral describes how the sessions of a file ended.
func judgeSeveral(about *model.Summary) Judgement {
	v := Judgement{State: about.State, At: model.NoID, Call: noCall, Index: -1, Several: about.Sessions}
	if about.Judged > 0 {
		v.State = model.RunUnknown
		v.Cause = fmt.Sprintf("%s of %s passed, mean score %.3g", human.Count(about.Passed), human.Count(about.Judged), about.Score)
		if n := about.Sessions - about.Judged; n > 0 {
			v.Cause += ", " + human.Count(n) + " without a score"
		}
	} else {
		v.Cause = human.Plural(about.Sessions, "session") + ": " + about.Reason
	}
	v.Why = v.Cause
	return v
}
