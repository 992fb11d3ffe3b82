package kit

import (
	"encoding/base64"
	"encoding/json"
	"testing"
)

// TestResponseOf joins the streams of three providers, as recordings of HTTP have them.
func TestResponseOf(t *testing.T) {
	anthropic := "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":9}}}\n\n" +
		"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"I \"}}\n" +
		"data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"ls\",\"input\":{}}}\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"dir\\\":\"}}\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"look.\"}}\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\\\".\\\"}\"}}\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"text\":\"of no part\"}}\n" +
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":12}}\n"
	joined := `{"content":[{"text":"I look.","type":"text"},{"id":"t","input":{"dir":"."},"name":"ls","type":"tool_use"}],"model":"m","role":"assistant",` +
		`"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":12}}`
	for name, c := range map[string]struct{ body, want string }{
		"Anthropic": {anthropic, joined},
		"base64":    {base64.StdEncoding.EncodeToString([]byte(anthropic)), joined},
		"a call that was cut off": {"data: {\"type\":\"message_start\",\"message\":{}}\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\"}}\n" +
			"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"partial_json\":\"{\\\"a\"}}\n", `{"content":[{"input":"{\"a","type":"tool_use"}]}`},
		"OpenAI": {": ping\n\ndata: {\"id\":\"c\",\"model\":\"g\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Two\"},\"finish_reason\":null},{\"index\":1,\"delta\":{\"content\":\"Three\"}}],\"usage\":null}\n" +
			"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\".\",\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"function\":{\"name\":\"ls\",\"arguments\":\"{\"}}]}}]}\n" +
			"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n" +
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3}}\ndata: [DONE]\n",
			`{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"content":"Two.","role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"ls"},` +
				`"id":"t","type":"function"}]}}],"finish_reason":"tool_calls","id":"c","model":"g","usage":{"prompt_tokens":3}}`},
		"the Responses API": {"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"output\":[]}}\n\n" +
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"output\":[{\"type\":\"message\"}]}}\n", `{"id":"r","output":[{"type":"message"}]}`},
		"Gemini": {"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hm\",\"thought\":true}]}}]}\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Li\"}]}}]}\n" +
			"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"ma\"},{\"functionCall\":{\"name\":\"f\"}}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"totalTokenCount\":5}}\n",
			`{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},{"text":"Lima"},{"functionCall":{"name":"f"}}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":5}}`},
		"Gemini's list": {` [{"candidates":[{"content":{"parts":[{"text":"Li"}]}}]},{"candidates":[{"content":{"parts":[{"text":"ma"}]},"finishReason":"STOP"}]}]`,
			`{"candidates":[{"content":{"parts":[{"text":"Lima"}],"role":"model"},"finishReason":"STOP"}]}`},
		"a list of others":   {`[{"price":1}]`, ""},
		"JSON in a string":   {` {"id":1}`, `{"id":1}`},
		"JSON that is cut":   {`{"id":1`, ""},
		"a plain text":       {"Hello", ""},
		"base64 of no model": {base64.StdEncoding.EncodeToString([]byte("plain words")), ""},
		"a stream of others": {"data: {\"price\":1}\n", ""},
		"nothing":            {"", ""},
	} {
		body, err := json.Marshal(c.body)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(ResponseOf(body)); got != c.want {
			t.Errorf("%s: the response is\n%s\nwant\n%s", name, got, c.want)
		}
	}
	if got := ResponseOf([]byte(`{"data":1}`)); got != nil {
		t.Errorf("the response in an object is %s, want nil", got)
	}
}

// FuzzResponseOf: no body makes it fail, and every response is JSON.
func FuzzResponseOf(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"tool_calls\":[null,{\"index\":-1}]}}]}\n")
	f.Add("data: {\"type\":\"message_start\",\"message\":null}\ndata: {\"type\":\"message_delta\"}\ndata: {\"candidates\":[1]}")
	f.Fuzz(func(t *testing.T, body string) {
		v, err := json.Marshal(body)
		if err != nil {
			t.Skip("no JSON string")
		}
		if got := ResponseOf(v); got != nil && !json.Valid(got) {
			t.Errorf("%q is no JSON", got)
		}
	})
}
