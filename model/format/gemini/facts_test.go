package gemini

import (
	"testing"

	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t,
		CLIFormat(), StreamFormat(), AntigravityFormat(), QwenCodeFormat(), APIFormat(),
	)
}
