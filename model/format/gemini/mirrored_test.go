package gemini

import "testing"

// TestMirrored reads chunks of AI Studio whose parts repeat their text.
func TestMirrored(t *testing.T) {
	for _, test := range []struct{ text, parts, once, others string }{
		{`"The sea."`, `[{"text":"The "},{"text":"sea."}]`, `"The sea."`, ``},
		{`"The sea."`, `[{"text":""},{"text":"The sea.","thought":true}]`, `"The sea."`, ``},
		{`"The sea."`, `[{"text":"The sea."},{"executableCode":{"code":"1"}}]`, ``, `[{"text":"The sea."},{"executableCode":{"code":"1"}}]`},
		{`"The sea."`, `[{"text":"Another."}]`, `"The sea."`, `[{"text":"Another."}]`},
		{`""`, `[{"text":""}]`, `""`, `[{"text":""}]`},
		{`"The sea."`, ``, `"The sea."`, ``},
		{``, `[{"text":"The sea."}]`, ``, `[{"text":"The sea."}]`},
	} {
		var text, parts []byte
		if test.text != "" {
			text = []byte(test.text)
		}
		if test.parts != "" {
			parts = []byte(test.parts)
		}
		if once, others := geminiAPIMirrored(text, parts); string(once) != test.once || string(others) != test.others {
			t.Errorf("text %s with parts %s is read as text %q and parts %q, want %q and %q", test.text, test.parts, once, others, test.once, test.others)
		}
	}
}
