package session

import (
	"context"
	"fmt"
	"slices"

	"turns/model"
	"turns/query/human"
)

// JudgeFile explains how the sessions of a snapshot ended: why, for one with messages; for several,
// how many passed or how the last one ended. It ignores an envelope around a single session.
func JudgeFile(ctx context.Context, s *model.Snapshot, live bool) (Judgement, error) {
	if s.Several() {
		var about model.Summary
		about.Conversations(s, 0)
		return judgeSeveral(&about), nil
	}
	only := slices.IndexFunc(s.Sessions(), func(se model.Session) bool { return se.Count > 0 })
	return Judge(ctx, s, max(only, 0), live)
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
