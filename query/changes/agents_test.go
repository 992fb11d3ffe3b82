package changes

import (
	"strings"
	"testing"
)

// wholeChains are transcripts of six agents: each reads a file of two lines, changes the second,
// and writes a new file.
var wholeChains = []struct{ agent, transcript string }{
	{"Claude Code", `{"type":"user","uuid":"1","sessionId":"s","cwd":"/w","timestamp":"2026-11-23T10:00:00Z","message":{"role":"user","content":"q"}}
{"type":"assistant","uuid":"2","sessionId":"s","cwd":"/w","timestamp":"2026-11-23T10:00:01Z","message":{"role":"assistant","id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/w/a.txt","old_string":"y","new_string":"z"}}]}}
{"type":"user","uuid":"3","sessionId":"s","cwd":"/w","timestamp":"2026-11-23T10:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"updated"}]},"toolUseResult":{"filePath":"/w/a.txt","oldString":"y","newString":"z","originalFile":"x\ny\n","structuredPatch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":2,"lines":[" x","-y","+z"]}]}}
{"type":"assistant","uuid":"4","sessionId":"s","cwd":"/w","timestamp":"2026-11-23T10:00:03Z","message":{"role":"assistant","id":"m2","content":[{"type":"tool_use","id":"t2","name":"Write","input":{"file_path":"/w/b.txt","content":"new\n"}}]}}
{"type":"user","uuid":"5","sessionId":"s","cwd":"/w","timestamp":"2026-11-23T10:00:04Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"File created successfully at: /w/b.txt"}]},"toolUseResult":{"type":"create","filePath":"/w/b.txt","content":"new\n","structuredPatch":[],"originalFile":null}}
`},
	{"Codex", `{"timestamp":"2026-05-04T13:20:00Z","type":"session_meta","payload":{"id":"s","timestamp":"2026-05-04T13:20:00Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.128.0"}}
{"timestamp":"2026-05-04T13:20:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]}}
{"timestamp":"2026-05-04T13:20:02Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cat a.txt\",\"workdir\":\"/w\"}","call_id":"c1"}}
{"timestamp":"2026-05-04T13:20:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nx\ny\n"}}
{"timestamp":"2026-05-04T13:20:04Z","type":"response_item","payload":{"type":"custom_tool_call","status":"completed","call_id":"c2","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.txt\n@@\n x\n-y\n+z\n*** End Patch"}}
{"timestamp":"2026-05-04T13:20:05Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":"Success. Updated the following files:\nM a.txt\n"}}
{"timestamp":"2026-05-04T13:20:06Z","type":"response_item","payload":{"type":"custom_tool_call","status":"completed","call_id":"c3","name":"apply_patch","input":"*** Begin Patch\n*** Add File: b.txt\n+new\n*** End Patch"}}
{"timestamp":"2026-05-04T13:20:07Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c3","output":"Success. Updated the following files:\nA b.txt\n"}}
`},
	{"Gemini CLI", `{"sessionId":"s-1","projectHash":"abc","startTime":"2026-05-01T10:00:00.000Z","lastUpdated":"2026-05-01T10:00:00.000Z","kind":"main"}
{"id":"u1","timestamp":"2026-05-01T10:00:05Z","type":"user","content":[{"text":"q"}]}
{"id":"g1","timestamp":"2026-05-01T10:00:07Z","type":"gemini","content":"","model":"gemini-3-pro","toolCalls":[{"id":"c1","name":"replace","args":{"file_path":"/w/a.txt","old_string":"y","new_string":"z"},"status":"success","result":[{"functionResponse":{"id":"c1","name":"replace","response":{"output":"Successfully modified file: /w/a.txt"}}}],"resultDisplay":{"fileName":"a.txt","filePath":"/w/a.txt","originalContent":"x\ny\n","newContent":"x\nz\n","fileDiff":""}},{"id":"c2","name":"write_file","args":{"file_path":"/w/b.txt","content":"new\n"},"status":"success","result":[{"functionResponse":{"id":"c2","name":"write_file","response":{"output":"Successfully created and wrote to new file: /w/b.txt."}}}],"resultDisplay":{"fileName":"b.txt","filePath":"/w/b.txt","originalContent":"","newContent":"new\n","fileDiff":""}}]}
`},
	{"OpenCode", `{"info":{"id":"ses_1","title":"t","directory":"/w","version":"1.1.0","time":{"created":1751000000000,"updated":1751000009000}},"messages":[
{"info":{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1751000000000}},"parts":[{"id":"prt_1","messageID":"msg_1","sessionID":"ses_1","type":"text","text":"q"}]},
{"info":{"id":"msg_2","sessionID":"ses_1","role":"assistant","parentID":"msg_1","modelID":"m","providerID":"p","path":{"cwd":"/w","root":"/w"},"time":{"created":1751000001000,"completed":1751000002000}},"parts":[
{"id":"prt_2","messageID":"msg_2","sessionID":"ses_1","type":"tool","tool":"edit","callID":"c1","state":{"status":"completed","input":{"filePath":"/w/a.txt","oldString":"y","newString":"z"},"output":"Edit applied successfully.","metadata":{"filediff":{"file":"/w/a.txt","before":"x\ny\n","after":"x\nz\n","additions":1,"deletions":1}},"time":{"start":1751000001100,"end":1751000001200}}},
{"id":"prt_3","messageID":"msg_2","sessionID":"ses_1","type":"tool","tool":"write","callID":"c2","state":{"status":"completed","input":{"filePath":"/w/b.txt","content":"new\n"},"output":"Wrote file successfully.","metadata":{"filepath":"/w/b.txt","exists":false},"time":{"start":1751000001300,"end":1751000001400}}}]}]}
`},
	{"Copilot CLI", `{"type":"session.start","data":{"sessionId":"s","version":1,"producer":"copilot-agent","copilotVersion":"1.0.78","context":{"cwd":"/w"}},"id":"e1","timestamp":"2026-08-05T17:02:01Z","parentId":null}
{"type":"user.message","data":{"content":"q"},"id":"e2","timestamp":"2026-08-05T17:02:02Z","parentId":"e1"}
{"type":"assistant.message","data":{"messageId":"m1","content":"","toolRequests":[{"toolCallId":"c1","name":"view","arguments":{"path":"/w/a.txt"},"type":"function"}]},"id":"e3","timestamp":"2026-08-05T17:02:03Z","parentId":"e2"}
{"type":"tool.execution_complete","data":{"toolCallId":"c1","success":true,"result":{"content":"1. x\n2. y","detailedContent":"\ndiff --git a/w/a.txt b/w/a.txt\n"}},"id":"e4","timestamp":"2026-08-05T17:02:04Z","parentId":"e3"}
{"type":"assistant.message","data":{"messageId":"m2","content":"","toolRequests":[{"toolCallId":"c2","name":"edit","arguments":{"path":"/w/a.txt","old_str":"y","new_str":"z"},"type":"function"}]},"id":"e5","timestamp":"2026-08-05T17:02:05Z","parentId":"e4"}
{"type":"tool.execution_complete","data":{"toolCallId":"c2","success":true,"result":{"content":"File /w/a.txt updated with changes."}},"id":"e6","timestamp":"2026-08-05T17:02:06Z","parentId":"e5"}
{"type":"assistant.message","data":{"messageId":"m3","content":"","toolRequests":[{"toolCallId":"c3","name":"create","arguments":{"path":"/w/b.txt","file_text":"new\n"},"type":"function"}]},"id":"e7","timestamp":"2026-08-05T17:02:07Z","parentId":"e6"}
{"type":"tool.execution_complete","data":{"toolCallId":"c3","success":true,"result":{"content":"Created file /w/b.txt with 4 characters"}},"id":"e8","timestamp":"2026-08-05T17:02:08Z","parentId":"e7"}
`},
	{"Cline", `[{"role":"user","content":[{"type":"text","text":"<task>\nq\n</task>"},{"type":"text","text":"<environment_details>\nnoon\n</environment_details>"}],"ts":1751000000000},
{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read_file","input":{"path":"/w/a.txt"}}],"ts":1751000001000},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"[read_file for '/w/a.txt'] Result:\n1 | x\n2 | y\n\n(File has 2 lines total.)"}]}],"ts":1751000002000},
{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"replace_in_file","input":{"path":"/w/a.txt","diff":"------- SEARCH\ny\n=======\nz\n+++++++ REPLACE"}}],"ts":1751000003000},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"[replace_in_file for '/w/a.txt'] Result:\nThe content was successfully saved to /w/a.txt.\n\n<final_file_content path=\"/w/a.txt\">\nx\nz\n\n</final_file_content>"}]}],"ts":1751000004000},
{"role":"assistant","content":[{"type":"tool_use","id":"t3","name":"write_to_file","input":{"path":"/w/b.txt","content":"new\n"}}],"ts":1751000005000},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t3","content":[{"type":"text","text":"[write_to_file for '/w/b.txt'] Result:\nThe content was successfully saved to /w/b.txt.\n\n<final_file_content path=\"/w/b.txt\">\nnew\n\n</final_file_content>"}]}],"ts":1751000006000}]
`},
}

// TestAgentsGiveWholeChains rebuilds the files of the six agents byte for byte.
func TestAgentsGiveWholeChains(t *testing.T) {
	for _, agent := range wholeChains {
		h := opened(t, agent.transcript)
		got := map[string][]string{}
		for _, f := range h.Files {
			name := f.key[strings.LastIndexByte(f.key, '/')+1:]
			for i := range f.Versions {
				v := &f.Versions[i]
				text, absent, err := h.Content(t.Context(), f, i)
				switch {
				case v.State != Exact:
					text = v.State.String()
				case absent || v.Op == Start && err != nil:
					text = "-"
				case err != nil:
					text = err.Error()
				}
				got[name] = append(got[name], text)
			}
		}
		if a, b := strings.Join(got["a.txt"], "|"), strings.Join(got["b.txt"], "|"); a != "x\ny\n|x\nz\n" || b != "-|new\n" {
			t.Errorf("%s, as %s: a.txt %q, b.txt %q", agent.agent, h.Snap.Format(), a, b)
		}
	}
}
