package described

import "testing"

func TestClassOf(t *testing.T) {
	for recorded, want := range map[string]Class{
		"user": User, "HumanMessage": User, "user-prompt": User, "session/prompt": User, "turn.prompt": User, "USER_INPUT": User,
		"AgentMessage": Assistant, "AIMessage": Assistant, "AIMessageChunk": Assistant, "PLANNER_RESPONSE": Assistant, "model-structured-response": Assistant, "weather_agent": Assistant, "agent_message_chunk": Assistant,
		"ObservationEvent": Result, "ActionEvent": Call, "SystemPromptEvent": System, "PushEvent": NoClass, "Coding Assistant": NoClass,
		"system-prompt": System, "SystemMessage": System,
		"tool_use": Call, "toolInvocationSerialized": Call, "command_execution": Call, "ToolCallRequestEvent": Call,
		"function.call.output": Result, "tool-return": Result,
		"user_input_text_content": User, "user_input_text_content_part": NoClass,
		"content.part": Text, "agent_thought_chunk": Reasoning, "run_command": Tool, "web_search_call": Call, "tool-get_weather": Call, "model_call": NoClass,
		"user_joined": NoClass, "retry-prompt": NoClass, "user.tool_confirmation": NoClass, "llm.tools_snapshot": NoClass, "session.started": NoClass,
	} {
		if got := ClassOf(recorded); got != want {
			t.Errorf("%q is %v, want %v", recorded, got, want)
		}
	}
}

func TestToolOfKind(t *testing.T) {
	for kind, want := range map[string]string{
		"web_search_call": "web_search", "tool-get_weather": "get_weather", "tool-result": "tool-result", "function_call": "function_call",
		"tool-output-error": "tool-output-error", "mcp_call": "mcp_call", "command_execution": "command_execution", "tool_call": "tool_call",
	} {
		if got := ToolOfKind(kind); got != want {
			t.Errorf("%q names the tool %q, want %q", kind, got, want)
		}
	}
}
