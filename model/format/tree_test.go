package format

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/chats"
)

// TestTreesInAnyOrder: a chat with its messages in an object is read parents first, whatever its
// order, even if the messages do not name their children.
func TestTreesInAnyOrder(t *testing.T) {
	children := map[string]string{"a": "b c", "c": "d", "d": "e"}
	parents := map[string]string{"b": "a", "c": "a", "d": "c", "e": "d"}
	for _, order := range []string{"abcde", "edcba", "dbeca"} {
		for _, named := range []bool{true, false} {
			var nodes []string
			for id := range strings.SplitSeq(order, "") {
				var below []string
				if named {
					for child := range strings.FieldsSeq(children[id]) {
						below = append(below, fmt.Sprintf("%q", child))
					}
				}
				nodes = append(nodes, fmt.Sprintf(`%q:{"id":%[1]q,"parentId":%q,"childrenIds":[%s],"role":"user","content":%[1]q}`, id, parents[id], strings.Join(below, ",")))
			}
			chat := `{"id":"w","chat":{"models":["m"],"history":{"messages":{` + strings.Join(nodes, ",") + `},"currentId":"e"}}}`
			var fs model.Facts
			if err := chats.OpenWebUIFormat().Parse(model.Record{Data: []byte(chat)}, &fs); err != nil {
				t.Fatal(err)
			}
			said, seen, far := "", map[model.Key]bool{0: true}, false
			for i := range fs.Len() {
				if f := fs.At(i); f.Op == model.Say {
					said += f.Blocks[0].Text.String()
					far = far || !seen[f.Parent]
					seen[f.Key] = true
				}
			}
			if far || len(said) != 5 || named && said != "abcde" {
				t.Errorf("recorded as %s, children named %v: said as %s", order, named, said)
			}
		}
	}
	ring := `{"id":"w","chat":{"models":["m"],"history":{"messages":{"a":{"parentId":"b","role":"user","content":"a"},"b":{"parentId":"a","role":"user","content":"b"}}}}}`
	var fs model.Facts
	if err := chats.OpenWebUIFormat().Parse(model.Record{Data: []byte(ring)}, &fs); err != nil || fs.Len() < 3 {
		t.Errorf("of a ring %d facts, %v", fs.Len(), err)
	}
}
