package transcripts

import (
	"testing"

	"turns/model/modeltest"
)

func TestMain(m *testing.M) {
	modeltest.CollectLess()
	m.Run()
}
