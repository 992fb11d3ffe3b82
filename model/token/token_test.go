package token

import (
	"strings"
	"testing"

	"turns/model/modeltest"
)

func TestParseEncoding(t *testing.T) {
	for _, k := range []struct {
		in   string
		want Encoding
	}{{"o200k", O200k}, {"o200k_base", O200k}, {"cl100k", Cl100k}, {"cl100k_base", Cl100k}, {"p50k", P50k}, {"r50k_base", R50k}} {
		got, err := ParseEncoding(k.in)
		if err != nil || got != k.want {
			t.Errorf("ParseEncoding(%q) = %v, %v, want %v", k.in, got, err, k.want)
		}
		if again, err := ParseEncoding(got.String()); err != nil || again != got {
			t.Errorf("ParseEncoding(%q) = %v, %v, want %v", got.String(), again, err, got)
		}
	}
	for _, in := range []string{"", "gpt2", "O200K", "o200k_"} {
		_, err := ParseEncoding(in)
		if err == nil {
			t.Errorf("ParseEncoding(%q) has no error", in)
			continue
		}
		for _, part := range append(Names(), `"`+in+`"`) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("ParseEncoding(%q): error %q does not hold %q", in, err, part)
			}
		}
	}
}

func TestForModel(t *testing.T) {
	for _, k := range []struct {
		model string
		want  Encoding
	}{
		{"", O200k},
		{"claude-opus-4-1", O200k},
		{"gpt-4o", O200k},
		{"gpt-4o-mini-2024-07-18", O200k},
		{"gpt-4.1-nano", O200k},
		{"gpt-4.5-preview", O200k},
		{"gpt-5-codex", O200k},
		{"o1", O200k},
		{"o3-mini", O200k},
		{"chatgpt-4o-latest", O200k},
		{"gpt-4", Cl100k},
		{"GPT-4", Cl100k},
		{"gpt-4-32k-0314", Cl100k},
		{"gpt-4-turbo", Cl100k},
		{"openai/gpt-4-turbo", Cl100k},
		{"ft:gpt-4:org::id", Cl100k},
		{"gpt-3.5-turbo-0125", Cl100k},
		{"ft:gpt-3.5-turbo-0613:org:name:id", Cl100k},
		{"gpt-35-turbo", Cl100k},
		{"text-embedding-ada-002", Cl100k},
		{"text-embedding-3-large", Cl100k},
		{"davinci-002", Cl100k},
		{"text-davinci-003", P50k},
		{"code-davinci-edit-001", P50k},
		{"ft:davinci-002:org", Cl100k},
		{"davinci:ft-org", R50k},
		{"text-ada-001", R50k},
		{"gpt2", R50k},
		{"openai-community/gpt2", R50k},
	} {
		if got := ForModel(k.model); got != k.want {
			t.Errorf("ForModel(%q) = %v, want %v", k.model, got, k.want)
		}
	}
}

// For the older encodings, turns cuts texts for tiktoken-go at places that do not change the ids,
// except in very long words, whose count is approximate.
func TestOlderEncodings(t *testing.T) {
	modeltest.Long(t, "it counts by a slow library")
	text := string(agentText(60<<10)) + " a  b \n\n c\t\td 日本語 👨\u200d👩 don't 12345 " + strings.Repeat("word ", 5000) + strings.Repeat("\n", 900) + "end"
	for _, e := range []Encoding{P50k, R50k} {
		compare(t, New(e), text)
		long := strings.Repeat("ab", 100_000)
		if n, want := New(e).Count([]byte(long)), len(tiktokens[e]().EncodeOrdinary(long[:1000]))*200; n < want*9/10 || n > want*11/10 {
			t.Errorf("%s: a word of 200,000 bytes has %d tokens, about %d expected", e, n, want)
		}
	}
	if p, r := New(P50k).Count([]byte("if x:\n        return")), New(R50k).Count([]byte("if x:\n        return")); p >= r {
		t.Errorf("p50k, which knows indentation, has %d tokens where r50k has %d", p, r)
	}
}
