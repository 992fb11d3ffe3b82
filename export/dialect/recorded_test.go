package dialect

import (
	"bytes"
	"fmt"
	"testing"

	"turns/model"
	"turns/query/provider"
)

// TestMediaBlocks: mediaBlock returns the data, the type and the name of an image, a sound or a
// file in each spelling.
func TestMediaBlocks(t *testing.T) {
	for block, want := range map[string]string{
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}`: "image/png QUJD",
		`{"type":"image","source":{"type":"url","url":"https://x/y.png"}}`:                   "image https://x/y.png",
		`{"type":"document","source":{"type":"file","file_id":"file-1"}}`:                    "file file-1",
		`{"type":"image_url","image_url":{"url":"https://x/y.png"}}`:                         "image https://x/y.png",
		`{"type":"input_image","image_url":"https://x/y.png"}`:                               "image https://x/y.png",
		`{"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}}`:                "audio QUJD",
		`{"type":"file","file":{"file_data":"QUJD","filename":"a.txt"}}`:                     "file QUJD",
		`{"type":"file","file":{"file_id":"file-1"}}`:                                        "file file-1",
		`{"type":"input_file","file_data":"QUJD"}`:                                           "file QUJD",
		`{"type":"input_file","file_url":"https://x/y"}`:                                     "file https://x/y",
		`{"type":"input_file","file_id":"file-1"}`:                                           "file file-1",
		`{"inlineData":{"mimeType":"image/png","data":"QUJD"}}`:                              "image/png QUJD",
		`{"fileData":{"mimeType":"video/mp4","fileUri":"gs://x/y"}}`:                         "video/mp4 gs://x/y",
		`{"type":"file-data","data":{"data":"QUJD"},"mediaType":"text/plain"}`:               "text/plain QUJD",
		`{"type":"file-url","data":{"url":"https://x/y"}}`:                                   "file https://x/y",
		`{"kind":"binary","data":"QUJD","media_type":"image/png"}`:                           "image/png QUJD",
		`{"type":"media","base64":"QUJD","mime_type":"image/png"}`:                           "image/png QUJD",
		`{"type":"audio","blob":"QUJD","mimeType":"audio/wav"}`:                              "audio/wav QUJD",
		`{"type":"image","image":"QUJD"}`:                                                    "image QUJD",
		`{"kind":"video-url","url":"https://x/y"}`:                                           "video https://x/y",
		`{"kind":"document-url","url":"https://x/y"}`:                                        "file https://x/y",
		`{"type":"text","text":"a"}`:                                                         "none",
		`{"url":"https://x"}`:                                                                "none",
		`"image"`:                                                                            "none",
	} {
		got := "none"
		if b := mediaBlock([]byte(block)); b != nil {
			got = b.Name + " " + b.Text
		}
		if got != want {
			t.Errorf("%s is %q, want %q", block, got, want)
		}
	}
	for _, block := range []string{
		`{"type":"file","file_data":"data:text/plain;base64,QUJD","filename":"a.txt"}`,
		`{"type":"file","file":{"file_data":"data:text/plain;base64,QUJD","filename":"a.txt"}}`,
		`{"type":"document","source":{"media_type":"text/plain","data":"QUJD"},"title":"a.txt"}`,
		`{"inlineData":{"mimeType":"text/plain","data":"QUJD","displayName":"a.txt"}}`,
	} {
		b := mediaBlock([]byte(block))
		if b == nil || b.File == nil || b.File.Name != "a.txt" || !sameFile(b) {
			t.Errorf("%s: %+v", block, b)
		}
	}
}

// TestTextBlocks: the text of a block has one of three names.
func TestTextBlocks(t *testing.T) {
	for block, want := range map[string]string{
		`{"type":"text","text":"a"}`: "a", `{"type":"input_text","value":"a"}`: "a", `{"type":"output_text","content":"a"}`: "a",
		`{"type":"text","text":null,"content":"b"}`: "b", `{"type":"text"}`: "none", `{"type":"note","text":"a"}`: "none",
	} {
		got, ok := blockText([]byte(block))
		if !ok {
			got = "none"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", block, got, want)
		}
	}
}

// TestMessagesWithContent: a recorded message of the model has a text, a call or another answer.
func TestMessagesWithContent(t *testing.T) {
	for m, want := range map[string]bool{
		`{"content":""}`: true, `{"content":null}`: false, `{"name":"n"}`: false, `{"content":null,"tool_calls":[{}]}`: true, `{"function_call":{}}`: true,
		`{"refusal":"no"}`: true, `{"audio":{"id":"x"}}`: true,
	} {
		if got := hasContent([]byte(m)); got != want {
			t.Errorf("%s has content: %v", m, got)
		}
	}
}

// TestRecordedBlocks lists the places of the blocks in a record.
func TestRecordedBlocks(t *testing.T) {
	for record, want := range map[string]int{
		`{"content":[{"a":1},{"b":2},3]}`: 2, `{"parts":[{"a":1}]}`: 1, `{"message":{"content":[{"a":1}]}}`: 1, `{"message":{"parts":[{"a":1}]}}`: 1,
		`{"data":{"content":[{"a":1}]}}`: 1, `{"kwargs":{"content":[{"a":1}]}}`: 1, `{"other":{"content":[{"a":1}]}}`: 0, `{"content":"words"}`: 0,
		`{"content":"words","tool_calls":[{"a":1},{"b":2}]}`: 2, `{"content":"words","message":{"content":[{"a":1}]}}`: 1,
		`{"type":"reasoning","content":[{"a":1},{"b":2}]}`: 1, `{"type":"function_call","content":[]}`: 1, `{"type":"function_call_output"}`: 1,
		`{"type":"custom_tool_call"}`: 1, `{"type":"custom_tool_call_output"}`: 1, `{"type":"compaction"}`: 1, `{"type":"message"}`: 0,
	} {
		if got := len(recordedBlocks([]byte(record), nil)); got != want {
			t.Errorf("%s: %d blocks, want %d", record, got, want)
		}
		m := &model.Message{Records: []model.RecordText{{Data: []byte(" " + record)}, {Data: []byte("no JSON")}}}
		if got := len(recordedBlocks(nil, m)); got != want {
			t.Errorf("%s: %d blocks in the records, want %d", record, got, want)
		}
	}
	items := `[{"type":"reasoning"},{"type":"custom_tool_call"},{"type":"message"}]`
	for record, want := range map[string]int{
		`{"input":` + items + `}`: 2, `{"output":` + items + `}`: 2, `{"items":` + items + `}`: 2, `{"response":{"output":` + items + `}}`: 2, `{"list":` + items + `}`: 0,
	} {
		if got := ownItems([]byte(record)); len(got) != want || want > 0 && !bytes.Contains(got[1], []byte("custom")) {
			t.Errorf("%s: %q", record, got)
		}
	}
}

// TestKindsOfBlocks lists the kinds of recorded blocks in the spellings of all providers.
func TestKindsOfBlocks(t *testing.T) {
	kinds := map[model.BlockKind][]string{
		model.ToolCall: {`{"functionCall":{}}`, `{"type":"function"}`, `{"type":"custom"}`, `{"type":"dynamic-tool"}`, `{"type":"tool-f","toolCallId":"c"}`,
			`{"type":"tool_use"}`, `{"type":"server_tool_use"}`, `{"type":"tool-call"}`, `{"type":"function_call"}`, `{"type":"custom_tool_call"}`},
		model.ToolResult: {`{"functionResponse":{}}`, `{"type":"tool_result"}`, `{"type":"web_search_tool_result"}`, `{"type":"tool-result"}`,
			`{"part_kind":"tool-return"}`, `{"type":"function_call_output"}`, `{"part_kind":"retry-prompt"}`},
		model.Media: {`{"inlineData":{}}`, `{"fileData":{}}`, `{"type":"image"}`, `{"type":"document"}`, `{"type":"file"}`, `{"type":"image_url"}`,
			`{"type":"input_image"}`, `{"type":"input_audio"}`, `{"type":"input_file"}`, `{"type":"audio"}`},
		model.Reasoning:  {`{"thought":true,"text":"a"}`, `{"type":"thinking"}`, `{"type":"redacted_thinking"}`, `{"type":"reasoning"}`},
		model.Words:      {`{"text":"a"}`, `{"type":"text"}`, `{"type":"input_text"}`, `{"type":"output_text"}`, `{"part_kind":"user-prompt"}`, `{"thought":false}`},
		model.OtherBlock: {`{"type":"container_upload"}`, `{"type":"tool-f"}`, `{"type":"source-url"}`},
	}
	for want, blocks := range kinds {
		for _, block := range blocks {
			if got, _ := kindOf([]byte(block)); got != want {
				t.Errorf("%s is of kind %v, want %v", block, got, want)
			}
		}
	}
}

// TestSignatures lists the signatures by which a provider recognizes a block, at all the places
// where formats record them.
func TestSignatures(t *testing.T) {
	for block, want := range map[string]provider.Signature{
		`{"type":"thinking","signature":"s"}`:                                                            {Maker: "anthropic", Text: "s"},
		`{"type":"redacted_thinking","data":"d"}`:                                                        {Maker: "anthropic", Hidden: "d"},
		`{"type":"reasoning","id":"i","summary":[],"encrypted_content":"e"}`:                             {Maker: "openai", ID: "i", Hidden: "e"},
		`{"type":"reasoning","id":"i"}`:                                                                  {},
		`{"text":"a","thoughtSignature":"s"}`:                                                            {Maker: "google", Text: "s"},
		`{"text":"a","thought_signature":"s"}`:                                                           {Maker: "google", Text: "s"},
		`{"part_kind":"thinking","provider_name":"anthropic","signature":"s"}`:                           {Maker: "anthropic", Text: "s"},
		`{"part_kind":"thinking","provider_name":"openai","id":"i","signature":"s"}`:                     {Maker: "openai", ID: "i", Hidden: "s"},
		`{"part_kind":"thinking","provider_name":"bedrock","id":"redacted_thinking","signature":"s"}`:    {Maker: "anthropic", ID: "redacted_thinking", Hidden: "s"},
		`{"part_kind":"text","provider_name":"google-gla","provider_details":{"thought_signature":"s"}}`: {Maker: "google", Text: "s"},
		`{"part_kind":"text","provider_name":"openai","id":"i"}`:                                         {},
		`{"type":"text","providerOptions":{"nobody":{"signature":"s"}}}`:                                 {},
		`{"type":"x","extra_content":{"google":{"thought_signature":"s"}}}`:                              {Maker: "google", Text: "s"},
		`{"type":"x","callProviderMetadata":{"openai":{"itemId":"i"}}}`:                                  {Maker: "openai", ID: "i"},
		`{"type":"x","providerMetadata":{"openai":{"itemId":"i","reasoningEncryptedContent":"e"}}}`:      {Maker: "openai", ID: "i", Hidden: "e"},
		`{"type":"x","providerOptions":{"anthropic":{"redactedData":"d"}}}`:                              {Maker: "anthropic", Hidden: "d"},
	} {
		if got := signatureOf([]byte(block)); got != want {
			t.Errorf("%s: %+v, want %+v", block, got, want)
		}
	}
	for name, maker := range map[string]string{
		"anthropic": "anthropic", "bedrock": "anthropic", "google": "google", "google-gla": "google", "google-vertex": "google", "vertex": "google",
		"googleVertex": "google", "openai": "openai", "azure": "openai", "mistral": "",
	} {
		if got := signatureOf(fmt.Appendf(nil, `{"type":"x","providerOptions":{%q:{"signature":"s"}}}`, name)); got.Maker != maker {
			t.Errorf("%s signs as %q, want %q", name, got.Maker, maker)
		}
	}
	for name, kept := range map[string]bool{"": true, "Claude-4": true, "gpt-5": false} {
		b := provider.WireBlock{Raw: []byte(`{"type":"thinking","signature":"s"}`)}
		if sign(&b, name); (b.Sign.Maker != "") != kept {
			t.Errorf("the signature of %q: %+v", name, b.Sign)
		}
	}
}
