package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/query/describe"
	"turns/query/human"
	"turns/ui"
)

// liveFor is how long after its last write a transcript that has not ended counts
// as being written.
const liveFor = 5 * time.Minute

// copiedAfter is how much later than its last record a transcript is written only
// where it is copied or restored. Some records name no zone, which is less.
const copiedAfter = 26 * time.Hour

// isLive reports whether a transcript is being written.
func isLive(s *load.Summary, now time.Time) bool {
	written := time.UnixMilli(s.Written)
	return !s.Ended && s.Sessions == 1 && now.Sub(written) < liveFor && (s.Last == 0 || written.Sub(time.UnixMilli(s.Last)) < copiedAfter)
}

func sessionInfo(s *load.Summary) ui.SessionInfo {
	when := s.Last
	if when == 0 {
		when = s.Written
	}
	info := ui.SessionInfo{
		Path: s.Path, Agent: agentName(s.Agent), Title: s.Title, When: time.UnixMilli(when),
		Messages: max(s.Messages, s.Estimate), Errors: s.Errors, Tokens: s.Tokens, Outcome: s.Outcome,
		Scored: s.Scored, Score: s.Score, Passed: s.Passed, Judged: s.Judged, Partial: s.Partial,
		Live: isLive(s, time.Now()),
	}
	info.Resume, info.NoResume = resume(s)
	if info.Live && s.Since != 0 {
		info.Since = time.UnixMilli(s.Since)
	}
	if s.Project != "" {
		info.Project = filepath.Base(s.Project)
	}
	switch {
	case s.Sessions > 1 && info.Title == "":
		info.Title = human.Count(s.Sessions) + " conversations in " + filepath.Base(s.Path)
	case s.Sessions > 1:
		info.Title += ", " + human.Count(s.Sessions) + " conversations"
	case info.Title == "":
		info.Title = filepath.Base(s.Path)
	}
	if s.Started != 0 {
		info.Took = time.Duration(s.Last-s.Started) * time.Millisecond
	}
	info.End = howItEnded(s, info.Live)
	return info
}

// howItEnded is the last column of the list: the state of what is alive, else the
// format's own end.
func howItEnded(s *load.Summary, live bool) string {
	switch {
	case live && s.Running != "":
		_, word, _ := describe.FamilyOf(s.Running)
		return model.CleanLine(word) + " running"
	case live && s.Open:
		return "model"
	case live:
		return "waits for you"
	case s.Scored && s.Outcome == model.Success:
		return fmt.Sprintf("✓ score %.3g", s.Score)
	case s.Scored && s.Outcome.Failed():
		return fmt.Sprintf("✗ score %.3g", s.Score)
	case !s.Ended && s.Open && s.Sessions == 1 && s.Calls == 0:
		return "◌ no answer"
	case !s.Ended && s.Open && s.Sessions == 1:
		return "◌ no result"
	case s.Ended && (s.Outcome == model.Stopped || s.Outcome == model.Cancelled):
		return "■ " + model.CleanLine(s.Reason)
	case s.Open:
		return ""
	}
	return ending(s)
}

// agentName is the title of a format without what it says of the kind of file.
func agentName(title string) string {
	words := strings.Fields(strings.TrimPrefix(title, "GitHub "))
	for i, w := range words {
		if i == 0 {
			continue
		}
		switch strings.TrimSuffix(w, ",") {
		case "session", "sessions", "rollout", "transcript", "trajectory", "thread", "threads", "events", "messages", "history", "conversation", "conversations",
			"export", "results", "items", "runs", "spans", "contents", "evaluation", "training", "stream-json", "--json", "--mode", "task", "or", "and":
			words = words[:i]
		default:
			if !strings.HasPrefix(w, "(") { // what it was called before
				continue
			}
			words = words[:i]
		}
		break
	}
	return strings.TrimSuffix(strings.Join(words, " "), ",")
}
