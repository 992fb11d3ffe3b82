package chats

import (
	"testing"

	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t,
		NikitaFormat(), TablesFormat(), ChatGPTFormat(), OpenWebUIFormat(), LibreChatFormat(), ShareGPTFormat(),
	)
}
