package providers

import (
	"testing"

	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t, BedrockFormat(), StrandsFormat(), AnthropicFormat())
}
