package claude

import (
	"testing"

	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t,
		CodeFormat(), StreamFormat(), ManagedAgentsFormat(), ChatFormat(),
	)
}
