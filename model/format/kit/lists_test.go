package kit

import (
	"strings"
	"testing"

	"turns/model"
)

// TestListsOfDocuments: a document may have its messages at any of these places.
func TestListsOfDocuments(t *testing.T) {
	for n, path := range strings.Fields(`[] messages request.messages body.messages input.messages params.messages conversation conversation.messages
		history chat_history chat chat.messages data.messages thread.messages session.messages transcript transcript.messages dialog dialogue turns
		items data entries log`) {
		m := model.Match{Variant: chatVariant(&model.Sample{Shape: model.Document}, path)}
		if lists := ChatLists(m); len(lists) != 1 || lists[0] != path || int(m.Variant) != ChatFirstList+n {
			t.Errorf("%s: variant %d, lists %q", path, m.Variant, lists)
		}
	}
	if v := chatVariant(&model.Sample{Shape: model.Document}, "elsewhere"); v != ChatWhole || ChatLists(model.Match{Variant: v}) != nil {
		t.Errorf("a list elsewhere: variant %d", v)
	}
	for _, head := range []string{"choices", "response", "result", "model", "system", "messages", "log"} {
		if chatHeads[head] == 0 {
			t.Errorf("%s is not a head of a chat", head)
		}
	}
}
