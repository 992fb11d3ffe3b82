package claude

import (
	"testing"

	"turns/model/format/formattest"
)

// TestPlacesOfManagedAgents finds the events in each part of a document that may have them.
func TestPlacesOfManagedAgents(t *testing.T) {
	formattest.Places(t, ManagedAgentsFormat(), `[{"type":"agent.message","id":"e1"}]`, "[]", "data", "events")
}

// TestRecordsOfManagedAgents recognises the format by single events, each with another of its marks.
func TestRecordsOfManagedAgents(t *testing.T) {
	formattest.Records(t, ManagedAgentsFormat(), 90,
		`{"type":"agent.message","id":"e1"}`,
		`{"type":"user.message","content":[]}`,
		`{"type":"session.status_idle","id":"e1"}`,
		`{"type":"span.model_request_end","id":"e1"}`,
	)
}
