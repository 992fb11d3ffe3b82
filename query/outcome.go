package query

import (
	"encoding/json"

	"turns/model"
	"turns/query/human"
)

// RunOutcome is the recorded end of a session.
type RunOutcome struct {
	State  model.RunState   `json:"state"`
	Reason human.TextOrNull `json:"reason"`
	Score  *float64         `json:"score"`
}

// GobEncode distinguishes a score of 0 from no score; gob by itself would write neither.
func (o RunOutcome) GobEncode() ([]byte, error) { return json.Marshal(o) }

// GobDecode reads an outcome that GobEncode wrote.
func (o *RunOutcome) GobDecode(data []byte) error { return json.Unmarshal(data, o) }

// Outcome returns how a session of the snapshot ended.
func Outcome(s *model.Snapshot, session int) RunOutcome {
	return outcomeFrom(s.Ending(session, 0))
}

func outcomeFrom(e model.Ending) RunOutcome {
	out := RunOutcome{State: e.State, Reason: human.TextOrNull(e.Reason)}
	if e.Scored {
		out.Score = &e.Score
	}
	return out
}

// OutcomeOf returns how the selected sessions ended: the end of a single one, or several joined
// by [model.JoinEndings]. ends has those of all sessions; OutcomeOf overwrites it.
func OutcomeOf(ends []model.Ending, sessions []bool) RunOutcome {
	selected := ends[:0]
	for i, in := range sessions {
		if in {
			selected = append(selected, ends[i])
		}
	}
	return outcomeFrom(model.JoinEndings(selected))
}
