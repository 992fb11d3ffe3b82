package dialect

import (
	"strings"
	"testing"
)

// recorded lists objects with every field of a shape, by provider and shape. Each fits its shape.
var recorded = map[string]map[string]string{
	"openai": {
		"system":           `{"role":"system","content":[{"type":"text","text":"a"}],"name":"n"}`,
		"developer":        `{"role":"developer","content":"a","name":"n"}`,
		"user":             `{"role":"user","content":[{"type":"text","text":"a"}],"name":"n"}`,
		"assistant":        `{"role":"assistant","content":[{"type":"refusal","refusal":"no"}],"name":"n","refusal":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],"function_call":{"name":"f","arguments":""},"audio":{"id":"x"},"weight":1}`,
		"tool":             `{"role":"tool","content":[{"type":"text","text":"a"}],"tool_call_id":"c"}`,
		"text/text":        `{"type":"text","text":"a"}`,
		"said/text":        `{"type":"text","text":"a"}`,
		"said/refusal":     `{"type":"refusal","refusal":"a"}`,
		"part/text":        `{"type":"text","text":"a"}`,
		"part/image_url":   `{"type":"image_url","image_url":{"url":"https://x/y.png"}}`,
		"part/input_audio": `{"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}}`,
		"part/file":        `{"type":"file","file":{"file_id":"f"}}`,
		"image":            `{"url":"data:image/png;base64,QUJD","detail":"low"}`,
		"sound":            `{"data":"QUJD","format":"wav"}`,
		"file":             `{"file_data":"data:text/plain;base64,QUJD","file_id":"f","filename":"a.txt"}`,
		"declaration":      `{"type":"function","function":{"name":"f"}}`,
		"declared":         `{"name":"f","description":null,"parameters":{},"strict":true}`,
		"id":               `{"id":"x"}`,
		"call/function":    `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}`,
		"call/custom":      `{"id":"c","type":"custom","custom":{"name":"f","input":"x"}}`,
		"function":         `{"name":"f","arguments":"{}"}`,
		"custom":           `{"name":"f","input":"x"}`,
	},
	"openai-responses": {
		"reasoning":            `{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"a"}],"content":[],"encrypted_content":"x","status":"completed"}`,
		"summary/summary_text": `{"type":"summary_text","text":"a"}`,
	},
	"anthropic": {
		"text":                                   `{"type":"text","text":"a","citations":[` + pageCitation + `],"cache_control":{}}`,
		"citation/char_location":                 `{"type":"char_location","cited_text":"a","document_index":0,"document_title":null,"start_char_index":0,"end_char_index":1,"file_id":"f"}`,
		"citation/page_location":                 pageCitation,
		"citation/content_block_location":        `{"type":"content_block_location","cited_text":"a","document_index":0,"document_title":"t","start_block_index":0,"end_block_index":1,"file_id":null}`,
		"citation/web_search_result_location":    `{"type":"web_search_result_location","cited_text":"a","encrypted_index":"x","title":null,"url":"https://x"}`,
		"citation/search_result_location":        `{"type":"search_result_location","cited_text":"a","search_result_index":0,"source":"s","title":"t","start_block_index":0,"end_block_index":1}`,
		"image":                                  `{"type":"image","source":{"type":"url","url":"https://x/y.png"},"cache_control":{}}`,
		"image/base64":                           `{"type":"base64","media_type":"image/png","data":"QUJD"}`,
		"image/url":                              `{"type":"url","url":"https://x/y.png"}`,
		"image/file":                             `{"type":"file","file_id":"f"}`,
		"document":                               `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"},"title":null,"context":"c","citations":{},"cache_control":{}}`,
		"document/base64":                        `{"type":"base64","media_type":"application/pdf","data":"QUJD"}`,
		"document/text":                          `{"type":"text","media_type":"text/plain","data":"a"}`,
		"document/url":                           `{"type":"url","url":"https://x/y.pdf"}`,
		"document/file":                          `{"type":"file","file_id":"f"}`,
		"document/content":                       `{"type":"content","content":[{"type":"text","text":"a"}]}`,
		"search_result":                          `{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"a"}],"citations":{},"cache_control":{}}`,
		"thinking":                               `{"type":"thinking","thinking":"","signature":"x"}`,
		"redacted_thinking":                      `{"type":"redacted_thinking","data":"x"}`,
		"tool_use":                               `{"type":"tool_use","id":"c","name":"f","input":{},"cache_control":{},"caller":{}}`,
		"tool_result":                            `{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"a"}],"is_error":true,"cache_control":{}}`,
		"result/text":                            `{"type":"text","text":"a","citations":null,"cache_control":{}}`,
		"result/image":                           `{"type":"image","source":{"type":"file","file_id":"f"},"cache_control":{}}`,
		"result/document":                        `{"type":"document","source":{"type":"file","file_id":"f"},"title":"t","context":null,"citations":{},"cache_control":{}}`,
		"result/search_result":                   `{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"a"}],"citations":{},"cache_control":{}}`,
		"server_tool_use":                        `{"type":"server_tool_use","id":"c","name":"f","input":{},"cache_control":{},"caller":{}}`,
		"mcp_tool_use":                           `{"type":"mcp_tool_use","id":"c","name":"f","input":{},"server_name":"s","cache_control":{}}`,
		"mcp_tool_result":                        `{"type":"mcp_tool_result","tool_use_id":"c","content":[],"is_error":false,"cache_control":{}}`,
		"container_upload":                       `{"type":"container_upload","file_id":"f","cache_control":{}}`,
		"web_search_tool_result":                 `{"type":"web_search_tool_result","tool_use_id":"c","content":[]}`,
		"web_fetch_tool_result":                  `{"type":"web_fetch_tool_result","tool_use_id":"c","content":{}}`,
		"code_execution_tool_result":             `{"type":"code_execution_tool_result","tool_use_id":"c","content":{}}`,
		"bash_code_execution_tool_result":        `{"type":"bash_code_execution_tool_result","tool_use_id":"c","content":{}}`,
		"text_editor_code_execution_tool_result": `{"type":"text_editor_code_execution_tool_result","tool_use_id":"c","content":{}}`,
		"tool_search_tool_result":                `{"type":"tool_search_tool_result","tool_use_id":"c","content":{}}`,
	},
	"gemini": {
		"":         `{"text":"a","thought":true,"thoughtSignature":"x","functionCall":{"name":"f"},"functionResponse":{"name":"f","response":{}},"inlineData":{"mimeType":"image/png","data":"QUJD"},"fileData":{"fileUri":"https://x/y"},"videoMetadata":{},"executableCode":{},"codeExecutionResult":{}}`,
		"call":     `{"id":"c","name":"f","args":{}}`,
		"response": `{"id":"c","name":"f","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"QUJD"}}],"willContinue":false,"scheduling":"s"}`,
		"part":     `{"inlineData":{"mimeType":"image/png","data":"QUJD"},"fileData":{"fileUri":"https://x/y"}}`,
		"data":     `{"mimeType":"image/png","data":"QUJD","displayName":"d"}`,
		"place":    `{"mimeType":"image/png","fileUri":"https://x/y","displayName":"d"}`,
	},
	"pydantic-ai": {
		"thinking":     `{"content":"a","id":null,"signature":"x","provider_name":"p","provider_details":{},"part_kind":"thinking"}`,
		"text":         `{"content":"a","id":"i","provider_name":null,"provider_details":null,"part_kind":"text"}`,
		"tool-call":    `{"tool_name":"f","args":{},"tool_call_id":"c","id":null,"provider_name":"p","provider_details":{},"part_kind":"tool-call"}`,
		"retry-prompt": `{"content":[],"tool_name":"f","tool_call_id":"c","timestamp":"t","part_kind":"retry-prompt"}`,
		"tool-return":  `{"tool_name":"f","content":1,"tool_call_id":"c","tool_kind":null,"metadata":1,"timestamp":"t","outcome":"success","part_kind":"tool-return"}`,
		"user-prompt":  `{"content":[{"url":"https://x/y","kind":"image-url"}],"timestamp":"t","part_kind":"user-prompt"}`,
		"media":        `{"url":"https://x/y","kind":"image-url","media_type":"image/png","identifier":null,"force_download":false,"vendor_metadata":null}`,
	},
	"vercel": {
		"text":              `{"type":"text","text":"a","providerOptions":{}}`,
		"reasoning":         `{"type":"reasoning","text":"a","providerOptions":{}}`,
		"file":              `{"type":"file","data":"QUJD","filename":"f","mediaType":"text/plain","providerOptions":{}}`,
		"image":             `{"type":"image","image":"https://x/y.png","mediaType":"image/png","providerOptions":{}}`,
		"tool-call":         `{"type":"tool-call","toolCallId":"c","toolName":"f","input":{},"providerOptions":{},"providerExecuted":true}`,
		"tool-result":       `{"type":"tool-result","toolCallId":"c","toolName":"f","output":{"type":"text","value":"a"},"providerOptions":{}}`,
		"output/text":       `{"type":"text","value":"a","providerOptions":{}}`,
		"output/json":       `{"type":"json","value":1,"providerOptions":{}}`,
		"output/error-text": `{"type":"error-text","value":"a","providerOptions":{}}`,
		"output/error-json": `{"type":"error-json","value":1,"providerOptions":{}}`,
		"output/content":    `{"type":"content","value":[{"type":"text","text":"a"}]}`,
		"content/text":      `{"type":"text","text":"a","providerOptions":{}}`,
	},
	"vercel-ui": {
		"text":            `{"type":"text","text":"a","state":"done","providerMetadata":{}}`,
		"reasoning":       `{"type":"reasoning","id":"r","text":"a","state":"done","providerMetadata":{}}`,
		"file":            `{"type":"file","mediaType":"image/png","filename":"f","url":"https://x/y","providerMetadata":{}}`,
		"source-url":      `{"type":"source-url","sourceId":"s","url":"https://x","title":"t","providerMetadata":{}}`,
		"source-document": `{"type":"source-document","sourceId":"s","mediaType":"text/plain","title":"t","filename":"f","providerMetadata":{}}`,
		"approval":        `{"id":"a","approved":true,"reason":"r","isAutomatic":false,"signature":"s"}`,
		"data-*":          `{"type":"data-x","id":"i","data":1}`,
		"tool-*":          `{"type":"tool-f","toolCallId":"c","state":"input-available","input":{}}`,
		"dynamic-tool":    `{"type":"dynamic-tool","toolName":"f","toolCallId":"c","state":"input-available","input":{}}`,
	},
}

const pageCitation = `{"type":"page_location","cited_text":"a","document_index":0,"document_title":"t","start_page_number":1,"end_page_number":2,"file_id":"f"}`

// TestRecordedObjectsFit: a recorded object fits the shape of its provider, so that it is copied;
// an object with a field unknown to the provider does not.
func TestRecordedObjectsFit(t *testing.T) {
	for _, s := range specs() {
		if s.blocks == nil || s.Name == "openai-finetune" { // uses the shapes of openai
			continue
		}
		own := compile(s.blocks)
		for name, example := range recorded[s.Name] {
			if !own.fits(name, []byte(example)) {
				t.Errorf("%s: %q does not fit %s", s.Name, name, example)
			}
			foreign := strings.TrimSuffix(example, "}") + `,"from_elsewhere":1}`
			if own.fits(name, []byte(foreign)) {
				t.Errorf("%s: %q takes a foreign field", s.Name, name)
			}
		}
		for name := range s.blocks {
			if recorded[s.Name][name] == "" {
				t.Errorf("%s: no example of %q", s.Name, name)
			}
		}
	}
}

// TestShapesRefuse: an object without a required field, or with a value of another kind, does not
// fit.
func TestShapesRefuse(t *testing.T) {
	own := compile(map[string]string{"x": "a:s! b:S c:n|0 d:{u,v} e:*n f:d g:u", "y-*": "type i:j!"})
	for text, want := range map[string]bool{
		`{"a":""}`: true, `{}`: false, `{"b":"x"}`: false, `{"a":1}`: false, `{"a":"","b":""}`: false, `{"a":"","b":"x"}`: true,
		`{"a":"","c":1}`: true, `{"a":"","c":null}`: true, `{"a":"","c":"1"}`: false, `{"a":"","d":"u"}`: true, `{"a":"","d":"v"}`: true,
		`{"a":"","d":"w"}`: false, `{"a":"","d":"u,v"}`: false, `{"a":"","e":[1,2]}`: true, `{"a":"","e":[]}`: false, `{"a":"","e":[1,"2"]}`: false,
		`{"a":"","e":1}`: false, `{"a":"","f":"QUJD"}`: true, `{"a":"","f":"data:text/plain;base64,QUJD"}`: false, `{"a":"","f":"https://x"}`: false,
		`{"a":"","g":"https://x"}`: true, `{"a":"","g":"data:text/plain;base64,QUJD"}`: true, `{"a":"","g":"QUJD"}`: false, `[1]`: false, `{"a":""`: false,
	} {
		if got := own.fits("x", []byte(text)); got != want {
			t.Errorf("%s fits: %v", text, got)
		}
	}
	if !own.fits("y-z", []byte(`{"type":"y-z","i":null}`)) || own.fits("z", []byte(`{}`)) || own.fits("y-z", []byte(`{"type":"y-z"}`)) {
		t.Error("shapes by the beginning of a type")
	}
}
