package take

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model/modeltest"
	"turns/ui/config"
)

// attacks are values that would run code if a shell read them, or act as options of a program.
// {M} is a file that must not appear.
var attacks = []string{
	`'; touch {M}; '`, `"; touch {M}; "`, `$(touch {M})`, "`touch {M}`", `${IFS}$(touch${IFS}{M})`, "a\ntouch {M}\n", "a\r\ntouch {M}\r\n",
	`; touch {M}`, `& touch {M} &`, `| touch {M}`, `&& touch {M}`, `> {M}`, `>{M}`, "\x00; touch {M}", "a\x00b", `-rf`, `--output={M}`, `-o{M}`, `--`, `-`,
	`%PATH%`, `%COMSPEC% /c touch {M}`, `!!`, `^&touch {M}`, `*`, `/*`, `~`, `~root`, `$HOME`, `${HOME}`, `$0`, `$1`, `$@`, `$$`, `$((1+1))`, `a=b`, `[a-z]`, `?`,
	`\`, `\\`, `\'`, `\"`, `\$(touch {M})`, `a\`, "a\\\n", `'`, `"`, "`", `'"'"'$(touch {M})'"'"'`, `{text}`, `{path}`, `"$TURNS_PATH"`, `{"a":{text}}`,
	"\u202e$(touch {M})", "\u2019; touch {M}", "\uff1b touch {M}", "\u200b", "日本語", "\xff\xfe$(touch {M})", "\x1b]0;x\x07", "\x1b[2J", " ", "  a  b  ", "\t", "",
	"#", "# a", "!touch {M}", "<(touch {M})", "<<E\ntouch {M}\nE", "E\ntouch {M}\n", "x[$(touch {M})]", "a;touch\t{M}", "()\n{ :; }; touch {M}", "() { :;}; touch {M}",
	strings.Repeat("$(touch {M})", 5000),
}

// TestNoValueRuns passes each attack as each value to each form of a command, in a real shell.
// The value arrives unchanged, except for NUL, and no part of it runs.
func TestNoValueRuns(t *testing.T) {
	modeltest.Program(t, "sh")
	forms := map[string]string{
		"script":          `run = 'printf %s {V}'`,
		"script variable": `run = 'printf %s "$TURNS_NAME"'`,
		"assignment":      `run = 'x={V}; printf %s "$x"'`,
		"substitution":    `run = 'x=$(printf %s {V}.); printf %s "${x%.}"'`,
		"beside letters":  `run = 'x=a{V}b; x=${x#a}; printf %s "${x%b}"'`,
		"case":            `run = 'case {V} in *) printf %s {V};; esac'`,
		"list":            `run = ["printf", "%s", "{V}"]`,
		"option":          `run = ["sh", "-c", "printf %s \"${1#--x=}\"", "_", "--x={V}"]`,
		"parameter":       `run = ["sh", "-c", "printf %s \"$1\"", "_", "{V}"]`,
		"through env":     `run = ["env", "printf", "%s", "{V}"]`,
	}
	through := 0
	for name, run := range forms {
		for _, value := range config.CommandValues() {
			c := configured(t, strings.NewReplacer("{V}", "{"+value+"}", "TURNS_NAME", config.ValueVariable(value)).Replace(run))
			for i, attack := range attacks {
				if value != "text" && value != "file" && i%7 != len(name)%7 { // sampled
					continue
				}
				marker := filepath.Join(t.TempDir(), "m")
				attack = strings.ReplaceAll(attack, "{M}", marker)
				if len(attack) > maxValue {
					attack = attack[:maxValue/100*100]
				}
				want := strings.ReplaceAll(attack, "\x00", "")
				cmd, err := ownProcess(t.Context(), c, map[string]string{value: want}, nil)
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &out, t.TempDir()
				err = cmd.Run()
				if name == "substitution" {
					want = strings.ReplaceAll(want, "\x00", "")
				}
				if out.String() != want || err != nil {
					through++
					t.Errorf("%s of %s: %.80q arrives as %.80q, %v", name, value, attack, out.String(), err)
				}
				if left, _ := os.ReadDir(cmd.Dir); len(left) > 0 {
					through++
					t.Errorf("%s of %s: %.80q made a file", name, value, attack)
				}
				if _, err := os.Stat(marker); err == nil {
					through++
					t.Errorf("%s of %s: %.80q ran", name, value, attack)
				}
			}
		}
	}
	t.Logf("%d forms, %d attacks, %d through", len(forms), len(attacks), through)
}

// configured returns the command of a configuration with a run line.
func configured(t *testing.T, run string) *config.OwnCommand {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("[[command]]\nname = \"own\"\n"+run+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set := config.Load(path, config.Known{})
	if len(set.Problems) > 0 {
		t.Fatal(run, set.Problems)
	}
	return &set.Commands[0]
}

// TestTextIsOnStandardInput: a command reads a text of any length from there. Only a short text is
// also a variable, and a variable of the caller's environment never replaces it.
func TestTextIsOnStandardInput(t *testing.T) {
	modeltest.Program(t, "sh")
	c := configured(t, `run = 'wc -c; printf %s "${TURNS_TEXT-unset}" | wc -c'`)
	for text, want := range map[string]string{"": "0 0", "abc": "3 3", strings.Repeat("x", 3<<20): "3145728 5"} {
		cmd, err := ownProcess(t.Context(), c, map[string]string{"text": text}, append(os.Environ(), "TURNS_TEXT=stale"))
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.Output()
		if got := strings.Join(strings.Fields(string(out)), " "); got != want || err != nil {
			t.Errorf("of %d bytes: %s %v, want %s", len(text), got, err, want)
		}
	}
	if why := missing(c, map[string]string{"text": strings.Repeat("x", 3<<20)}); !strings.Contains(why, "3.1 MB is too long for an argument") {
		t.Errorf("a long text as a variable: %q", why)
	}
}

// TestOutputIsBounded: the buffer contains the beginning, and counts the other bytes.
func TestOutputIsBounded(t *testing.T) {
	var b bounded
	for range 3 {
		if n, err := b.Write(make([]byte, maxOwnOutput/2+1)); n != maxOwnOutput/2+1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if b.Len() != maxOwnOutput || b.lost != maxOwnOutput/2+3 {
		t.Errorf("%d stored, %d lost", b.Len(), b.lost)
	}
}

// TestPlaced: a program finds the file from any folder, and never reads it as an option.
func TestPlaced(t *testing.T) {
	for _, tt := range []struct{ file, folder, want string }{
		{"/a/b.go", "/x", "/a/b.go"}, {"b.go", "/x", "/x/b.go"}, {"-b.go", "", "./-b.go"}, {"~/b.go", "/x", "/home/u/b.go"}, {"-rf", "-x", "./-rf"},
	} {
		if got := filepath.ToSlash(placed(tt.file, tt.folder, "/home/u")); got != tt.want {
			t.Errorf("%s in %s: %s, want %s", tt.file, tt.folder, got, tt.want)
		}
	}
}
