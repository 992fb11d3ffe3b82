package agents

import (
	"testing"

	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t,
		CrushFormat(), GooseFormat(), HermesFormat(), ZedFormat(), AiderFormat(), KimiFormat(),
		GrokFormat(),
	)
}
