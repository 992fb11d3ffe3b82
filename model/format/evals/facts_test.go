package evals

import (
	"testing"

	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t,
		InspectFormat(), SweAgentFormat(), MiniSWEFormat(), AtifFormat(), TauBenchFormat(),
		VerifiersFormat(),
	)
}
