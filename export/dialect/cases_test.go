package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
)

// aCase is a transcript that an export once wrote wrongly. The export and its notes must contain
// each text of want, and must not contain those after "!".
type aCase struct {
	name, reads, in, to string
	opts                export.Options
	want                []string
}

const (
	dot    = "iVBORw0KGgo="
	geminW = `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"%[1]s","args":{"c":"x"}},"thoughtSignature":"SIGG"},` +
		`{"functionCall":{"name":"%[1]s","args":{"c":"y"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"%[1]s","response":{"t":1}}},{"functionResponse":{"name":"%[1]s","response":{"t":2}}}]}]}`
	pictureResult = `{"messages":[{"role":"user","content":"look"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + dot + `"}}]}]},` +
		`{"role":"assistant","content":"a dot"}]}`
	instructed = `[{"parts":[{"content":"hi","part_kind":"user-prompt"}],"instructions":"Be brief.","kind":"request"},{"parts":[{"content":"ho","part_kind":"text"}],"kind":"response"},` +
		`{"parts":[{"content":"on","part_kind":"user-prompt"}],"instructions":"Be brief.","kind":"request"}]`
	signedUI = `[{"id":"u1","role":"user","parts":[{"type":"text","text":"hi"},{"type":"file","mediaType":"image/png","filename":"a.png","url":"data:image/png;base64,` + dot + `"}]},` +
		`{"id":"a1","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"think","state":"done","providerMetadata":{"anthropic":{"signature":"SIG=="}}},` +
		`{"type":"tool-getW","toolCallId":"c1","state":"output-available","input":{"c":"x"},"output":{"t":1},"callProviderMetadata":{"google":{"thoughtSignature":"GSIG"}}},` +
		`{"type":"dynamic-tool","toolName":"mcp_x","toolCallId":"c2","state":"output-error","input":{"q":1},"errorText":"boom"},{"type":"step-start"},` +
		`{"type":"source-url","sourceId":"s1","url":"https://x.y","title":"X"},{"type":"data-weather","id":"d1","data":{"t":3}},{"type":"text","text":"done","state":"done"}]}]`
	late = `[{"role":"user","content":"q"},{"role":"assistant","content":"I call","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"assistant","content":"The answer"},{"role":"tool","tool_call_id":"c1","content":"R"}]`
	withTools = `{"model":"gpt-4o","temperature":0.2,"max_tokens":77,"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}}],` +
		`"tool_choice":"required","messages":[{"role":"system","content":"sys"},{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"p1","type":"function","function":{"name":"f","arguments":"{\"a\":\"b\"}"}}]},` +
		`{"role":"tool","tool_call_id":"p1","content":"1"},{"role":"assistant","content":"done"}]}`
	custom = `{"model":"gpt-5","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},` +
		`{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"*** Begin"},{"type":"custom_tool_call_output","call_id":"c1","output":"ok"},{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"gBBB"}]}`
	places  = `{"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"demo/1.jpg"}},{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0xLjQK"}}]}]}`
	shapes1 = `[{"role":"user","content":[{"type":"text","value":"hello"}]},{"role":"assistant","content":"","tool_calls":null},{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","content":[]},{"role":"user","content":"half \ud83d of it"}]`
	twoRules = `[{"role":"system","content":"sys"},{"role":"user","content":"x"},{"role":"system","content":"late rule"},{"role":"assistant","content":"y"}]`
	unsigned = `{"model":"kimi-k2","messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"none of theirs"},{"type":"text","text":"y"}]}]}`
)

var cases = []aCase{
	{"parallel calls of one tool", "gemini", fmt.Sprintf(geminW, "get_w"), "gemini", export.Options{}, []string{`{"t":1}`, `{"t":2}`, `"thoughtSignature":"SIGG"`}},
	{"a name with a space", "gemini", fmt.Sprintf(geminW, "get w"), "gemini", export.Options{}, []string{`"functionCall":{"name":"get_w"`, `"functionResponse":{"name":"get_w"`, `{"t":2}`, `"thoughtSignature":"SIGG"`, `!get w`}},
	{"an image as result", "anthropic", pictureResult, "openai", export.Options{}, []string{`"tool_call_id":"t1","content":""},{"role":"user","content":[{"type":"text","text":"(from the result of t1)"},{"type":"image_url"`}},
	{"an image beside the text of a result", "anthropic", strings.Replace(pictureResult, `[{"type":"image"`, `[{"type":"text","text":"see"},{"type":"image"`, 1), "openai", export.Options{},
		[]string{`"tool_call_id":"t1","content":"see"},{"role":"user","content":[{"type":"text","text":"(from the result of t1)"},{"type":"image_url"`}},
	{"an image as result", "anthropic", pictureResult, "openai-responses", export.Options{}, []string{`"output":[{"type":"input_image"`, `!base64\"`}},
	{"an image as result", "anthropic", pictureResult, "langchain", export.Options{}, []string{`"content":[{"type":"image","base64":"` + dot}},
	{"an image as result", "anthropic", pictureResult, "pydantic-ai", export.Options{}, []string{`"content":[{"data":"` + dot + `","media_type":"image/png","kind":"binary"}]`}},
	{"an image as result", "anthropic", pictureResult, "gemini", export.Options{}, []string{`"response":{"output":""}}},{"inlineData"`}},
	{"an image as result", "anthropic", pictureResult, "vercel", export.Options{}, []string{`{"type":"file","data":{"type":"data","data":"` + dot + `"},"mediaType":"image/png"}`}},
	{"an image as result", "anthropic", pictureResult, "vercel", export.Options{SDK: 6}, []string{`{"type":"file-data","data":"` + dot + `","mediaType":"image/png"}`}},
	{"an image as result", "anthropic", pictureResult, "vercel", export.Options{SDK: 5}, []string{`{"type":"media","data":"` + dot + `","mediaType":"image/png"}`}},
	{"a picture at an address", "openai", `[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"https://x.y/a.WEBP"}}]},{"role":"assistant","content":"a cat"}]`, "atif", export.Options{},
		[]string{`"message":[{"type":"text","text":"see"},{"type":"image","source":{"media_type":"image/webp","path":"https://x.y/a.WEBP"}}]`}},
	{"instructions", "pydantic-ai", instructed, "openai", export.Options{}, []string{`[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}`, `"ho"},{"role":"user","content":"on"}`}},
	{"instructions", "pydantic-ai", instructed, "anthropic", export.Options{}, []string{`"system":"Be brief."`}},
	{"instructions", "pydantic-ai", instructed, "pydantic-ai", export.Options{}, []string{`"instructions":"Be brief.","kind":"request"}]`, `!system-prompt`}},
	{"signatures", "vercel-ui", signedUI, "vercel", export.Options{}, []string{`"providerOptions":{"anthropic":{"signature":"SIG=="}}`, `"providerOptions":{"google":{"thoughtSignature":"GSIG"}}`, `"filename":"a.png"`}},
	{"signatures", "vercel-ui", signedUI, "vercel-ui", export.Options{}, []string{`"providerMetadata":{"anthropic":{"signature":"SIG=="}}`, `"callProviderMetadata":{"google":{"thoughtSignature":"GSIG"}}`, `"filename":"a.png"`, `{"type":"source-url","sourceId":"s1"`, `{"type":"data-weather"`, `"type":"tool-getW"`, `"type":"dynamic-tool"`}},
	{"signatures", "vercel-ui", signedUI, "pydantic-ai", export.Options{}, []string{`"signature":"SIG==","provider_name":"anthropic"`, `"provider_details":{"thought_signature":"GSIG"}`}},
	{"signatures", "vercel-ui", signedUI, "gemini", export.Options{}, []string{`"thoughtSignature":"GSIG"`}},
	{"what was said after results", "vercel-ui", signedUI, "vercel-functions", export.Options{}, []string{`"content":"boom"},{"role":"assistant","content":"done"`}},
	{"what was said after results", "vercel-ui", signedUI, "atif", export.Options{}, []string{`"content":"boom"}]}},{"step_id":3,"source":"agent"`, `"message":"done"`}},
	{"signatures", "vercel-ui", signedUI, "anthropic", export.Options{}, []string{`{"type":"thinking","thinking":"think","signature":"SIG=="}`}},
	{"another model's thinking", "anthropic", unsigned, "anthropic", export.Options{}, []string{`!thinking`, `1 block of reasoning was left out`}},
	{"a result behind the answer", "openai", late, "openai", export.Options{}, []string{`"content":"R"},{"role":"assistant","content":"The answer"}`}},
	{"a result behind the answer", "openai", late, "anthropic", export.Options{}, []string{`"tool_result","tool_use_id":"c1","content":"R"}]},{"role":"assistant","content":"The answer"}`}},
	{"what was asked for", "openai", withTools, "openai", export.Options{}, []string{`"temperature":0.2,"max_tokens":77`, `"tools":[{"type":"function"`, `"tool_choice":"required"`, `!declared`}},
	{"what was asked for", "openai", withTools, "anthropic", export.Options{Model: "claude-x"}, []string{`"model":"claude-x","max_tokens":77,"system"`, `temperature was left out`, `"tools":[{"name":"f","description":"d","input_schema":{"type":"object"`, `"tool_choice":{"type":"any"}`}},
	{"what was asked for", "openai", withTools, "gemini", export.Options{}, []string{`"generationConfig":{"temperature":0.2,"maxOutputTokens":77}`, `"functionDeclarations":[{"name":"f"`, `"mode":"ANY"`, `skip_thought_signature_validator`}},
	{"what was asked for", "openai", withTools, "openai-responses", export.Options{}, []string{`"max_output_tokens":77`, `"tools":[{"type":"function","name":"f"`, `"tool_choice":"required"`}},
	{"no tools", "openai", withTools, "openai", export.Options{NoTools: true}, []string{`!"tools"`, `!tool_choice`}},
	{"until the user", "openai", withTools, "anthropic", export.Options{UntilUser: true}, []string{`!done`, `"tool_result","tool_use_id":"p1","content":"1"}]}]`, `1 message behind the last prompt or result left out`}},
	{"until the user", "openai", withTools, "vercel-ui", export.Options{UntilUser: true}, []string{`!"text":"done"`, `"output":"1"`}},
	{"a trailing answer", "openai", withTools, "anthropic", export.Options{}, []string{`Claude 4.6 and later refuse; --until-user`}},
	{"another prompt", "openai", withTools, "openai", export.Options{System: new("other")}, []string{`{"role":"system","content":"other"},{"role":"user"`, `!"sys"`}},
	{"another prompt", "openai", twoRules, "openai", export.Options{System: new("other")}, []string{`[{"role":"system","content":"other"},{"role":"user","content":"x"},{"role":"system","content":"late rule"},{"role":"assistant"`, `!"sys"`}},
	{"another prompt", "openai", twoRules, "anthropic", export.Options{System: new("other")}, []string{`"system":"other"`, `late rule`, `!"sys"`}},
	{"another prompt", "openai", twoRules, "openai", export.Options{System: new("")}, []string{`"messages":[{"role":"user","content":"x"},{"role":"system","content":"late rule"}`, `!"sys"`}},
	{"input that is a text", "openai-responses", custom, "openai-responses", export.Options{}, []string{`{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"*** Begin"}`, `"custom_tool_call_output"`, `"rs_1"`, `!rs_2`, `{"type":"custom","name":"apply_patch"}`}},
	{"input that is a text", "openai-responses", custom, "openai", export.Options{}, []string{`{"id":"c1","type":"custom","custom":{"name":"apply_patch","input":"*** Begin"}}`}},
	{"input that is a text", "openai-responses", custom, "anthropic", export.Options{}, []string{`"input":{"input":"*** Begin"}`, `!raw_arguments`}},
	{"what is no place", "openai", places, "openai", export.Options{}, []string{`(image demo/1.jpg was here; it is not included)`, `"filename":"file.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjQK"`, `!image_url`}},
	{"what is no place", "openai", places, "langchain", export.Options{}, []string{`(image demo/1.jpg was here; it is not included)`, `"base64":"JVBERi0xLjQK"`}},
	{"shapes of others", "openai", shapes1, "openai", export.Options{}, []string{`{"role":"user","content":"hello"}`, `!index`, `!null,"tool_calls":null`, `!\ud83d`, `!"content":[]`}},
	{"an example ends with the model", "openai", late[:len(late)-1] + `,{"role":"user","content":"and?"}]`, "openai-finetune", export.Options{}, []string{`!and?`, `1 message behind the last answer left out`}},
	{"an example ends with the model", "openai", late[:len(late)-1] + `,{"role":"user","content":"and?"}]`, "sharegpt", export.Options{}, []string{`!and?`}},
	{"one function at a time", "openai", late, "vercel-functions", export.Options{}, []string{`{"role":"assistant","content":"I call","function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"R"}`}},
	{"messages and calls", "openai", late, "agentsmithy", export.Options{}, []string{`"tool_calls":[{"id":"c1","name":"f","args":{}}]`, `{"type":"tool","content":"R","index":2,"tool_call_id":"c1","name":"f"}`, `"total_messages":4,"total_reasoning":0,"total_tool_calls":1,"first_idx":0,"last_idx":3`, `"message_index":1`}},
}

func TestExportCases(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name+"/"+tt.to, func(t *testing.T) {
			got, report := written(t, tt.to, exporttest.Everything(exporttest.FromBytes(t, tt.in, tt.reads)), tt.opts)
			got += strings.Join(report.Notes, "\n")
			for _, want := range tt.want {
				if not, ok := strings.CutPrefix(want, "!"); ok == strings.Contains(got, strings.TrimPrefix(not, "!")) {
					t.Errorf("%s in %s", want, got)
				}
			}
		})
	}
}
