package prose

import (
	"bytes"
	"regexp"
	"strings"

	"turns/model"
	"turns/model/format/described"
)

// template is a chat template: the marks in the text input of a language model. The first group
// of begin is the speaker; end matches the end of a message.
type template struct {
	begin, end func() *regexp.Regexp
}

// templates are those of common models. Sources: the chat templates of their tokenizers.
var templates = []template{
	{lazy(`<\|im_start\|>\s*(\w+)[^\n<]*\n?`), lazy(`<\|im_end\|>`)},                                                                // ChatML, Qwen
	{lazy(`<\|start_header_id\|>\s*(\w+)\s*<\|end_header_id\|>`), lazy(`<\|eo[tm]_id\|>|<\|end_of_text\|>`)},                        // Llama 3
	{lazy(`<start_of_turn>(\w+)`), lazy(`<end_of_turn>`)},                                                                           // Gemma
	{lazy(`<\|start\|>(\w+)(?:<\|channel\|>\w+)?(?:<\|constrain\|>\w+)?<\|message\|>`), lazy(`<\|(?:end|return|call)\|>`)},          // Harmony
	{lazy(`<\|START_OF_TURN_TOKEN\|><\|(USER|CHATBOT|SYSTEM)_TOKEN\|>`), lazy(`<\|END_OF_TURN_TOKEN\|>`)},                           // Command R
	{lazy(`<[|｜](user|User|assistant|Assistant|system|System|observation)[|｜]>`), lazy(`<\|end\|>|</s>|<[|｜]end▁of▁sentence[|｜]>`)}, // Phi, Zephyr, GLM, DeepSeek
	{lazy(`(?:<s>\s*)?(\[/?INST\])`), lazy(`</?s>`)},                                                                                // Llama 2, Mistral
}

// lookForTemplates finds the input or output of a model in a chat template.
func lookForTemplates(text []byte) *layout {
	for _, t := range templates {
		users, assistants := 0, 0
		for _, m := range t.begin().FindAllSubmatch(text, maxSampled) {
			switch t.role(m[1]) {
			case model.User:
				users++
			case model.Assistant:
				assistants++
			}
		}
		if users > 0 && assistants > 0 {
			return &layout{"the text that a model is sent", true, t.cut, t.appendTo}
		}
	}
	return nil
}

// role returns the role in a mark.
func (t template) role(name []byte) model.Role {
	switch string(name) {
	case "[INST]":
		return model.User
	case "[/INST]":
		return model.Assistant
	}
	return described.SpeakerOf(strings.ToLower(string(name))).Role()
}

// cut cuts before the next mark.
func (t template) cut(text []byte, eof bool) ([]byte, int) {
	all := t.begin().FindAllIndex(text, 2)
	if len(all) > 0 && all[0][0] == 0 {
		all = all[1:]
	}
	if len(all) > 0 {
		return text[:all[0][0]], all[0][0]
	}
	if eof {
		return text, len(text)
	}
	return nil, 0
}

// appendTo appends a message without its marks.
func (t template) appendTo(dst, piece []byte) []byte {
	m := t.begin().FindSubmatchIndex(piece)
	if m == nil || m[0] != 0 {
		return dst
	}
	role := t.role(piece[m[2]:m[3]])
	if role == model.NoRole {
		return dst
	}
	return appendParts(dst, who{role: role}, bytes.TrimSpace(t.end().ReplaceAll(piece[m[1]:], nil)), nil)
}

// Dialogue returns the messages in a text with several speakers as JSON: "Human:
// …\n\nAssistant: …", or the input of a model in a chat template. It returns nil for other
// texts.
func Dialogue(text []byte) [][]byte {
	text = bytes.TrimSpace(text)
	l := lookForTemplates(text)
	if l == nil {
		l = lookForSections(text)
	}
	if l == nil {
		l = loneSpeaker(text)
	}
	if l == nil {
		return nil
	}
	var list [][]byte
	for len(text) > 0 {
		piece, n := l.cut(text, true)
		if v := l.appendTo(nil, piece); len(v) > 0 {
			list = append(list, v)
		}
		text = text[n:]
	}
	return list
}

// loneSpeaker returns the layout of a text that begins with its speaker.
func loneSpeaker(text []byte) *layout {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	for _, h := range headings {
		for _, sides := range [...]bool{false, true} {
			s := sections{heading: h, sides: sides}
			if w, n := s.speaker(line); w.role != model.NoRole && n < len(text) && !h.whole {
				return &layout{h.name, true, s.cut, s.appendTo}
			}
		}
	}
	return nil
}
