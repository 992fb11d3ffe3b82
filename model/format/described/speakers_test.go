package described

import (
	"testing"
)

// TestSpeakerOf reads the names that headings, fields and senders use.
func TestSpeakerOf(t *testing.T) {
	for name, want := range map[string]Class{
		"User": User, "human": User, "**You**": User, "사용자 질문": User, "AI 답변": Assistant, "Пользователь": User, "Claude": Assistant,
		"Claude Sonnet 4.5": Assistant, "GPT-4": Assistant, "gpt-4o-mini": Assistant, "llama3.1": Assistant, "🤖 Gemini 2.5 Pro": Assistant, "GitHub Copilot": Assistant,
		"bot_reply": Assistant, "user_message": User, "assistant output": Assistant, "用户": User, "ユーザー": User, "アシスタント": Assistant, "người dùng": User,
		"System": System, "tool": Tool,
		"": NoClass, "Changelog": NoClass, "User interface": NoClass, "Budget": NoClass, "user_id": NoClass, "model name": NoClass, "user agent": NoClass,
		"how the user sees the model": NoClass, "ai_user": NoClass,
	} {
		if got := SpeakerOf(name); got != want {
			t.Errorf("SpeakerOf(%q) is %v, want %v", name, got, want)
		}
	}
}

// TestSpeakerWords looks up each word of the file in the spelling of headings.
func TestSpeakerWords(t *testing.T) {
	for word, class := range theWords().speakers {
		if class == NoClass {
			t.Errorf("%q is of no class", word)
		}
		if got := SpeakerOf("## " + word + ":"); got != class {
			t.Errorf("SpeakerOf(%q) is %v, want %v", word, got, class)
		}
	}
}

// TestSideOf reads the names of fields with questions and answers.
func TestSideOf(t *testing.T) {
	for name, want := range map[string]Class{
		"question": User, "Prompt": User, "user query": NoClass, "answer_text": Assistant, "finalAnswer": Assistant, "回答": Assistant, "ответ": Assistant, "q": User, "a": Assistant,
		"": NoClass, "answered": NoClass, "question_id": NoClass, "prompt_response": NoClass, "input_tokens": NoClass,
	} {
		if got := SideOf(name); got != want {
			t.Errorf("SideOf(%q) is %v, want %v", name, got, want)
		}
	}
	for word, class := range theWords().sides {
		if got := SideOf(word); got != class {
			t.Errorf("SideOf(%q) is %v, want %v", word, got, class)
		}
	}
}
