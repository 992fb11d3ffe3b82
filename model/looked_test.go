package model_test

import (
	"testing"

	"turns/model"
)

// TestLooksBackSoFar: the searches for the last requests and the longest pause of a session cover a
// limited number of messages from its end.
func TestLooksBackSoFar(t *testing.T) {
	// talk returns a prompt, the message first, and others with one second in between.
	talk := func(first model.Message, others int) *model.Snapshot {
		messages := []model.Message{says(model.User, "go"), first}
		messages[0].Time, messages[1].Time = 1_000, 90_000
		for i := range others {
			m := says(model.Assistant, "ok")
			m.Time = 91_000 + int64(i)*1_000
			messages = append(messages, m)
		}
		return model.FromMessages(messages)
	}
	asked := says(model.Assistant, "hi")
	asked.Usage = &model.Usage{Input: 1, Output: 1, CacheRead: 7, CacheWrite: -1, Reasoning: -1}
	for others, want := range map[int]int64{1999: 7, 2000: 0} {
		if got := talk(asked, others).LastAsked()[0].Read; got != want {
			t.Errorf("%d messages after the last request: it read %d tokens from the cache", others, got)
		}
	}
	for others, want := range map[int]int64{510: 89_000, 511: 1_000} {
		if got := talk(says(model.Assistant, "hi"), others).Ending(0, 0).Pace; got != want {
			t.Errorf("%d messages after the longest pause: %d ms", others, got)
		}
	}
}
