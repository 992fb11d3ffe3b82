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
		"content.part": Text, "agent_thought_chunk": Reasoning, "run_command": Tool,
		"user_joined": NoClass, "retry-prompt": NoClass, "user.tool_confirmation": NoClass, "llm.tools_snapshot": NoClass, "session.started": NoClass,
	} {
		if got := ClassOf(recorded); got != want {
			t.Errorf("%q is %v, want %v", recorded, got, want)
		}
	}
}
