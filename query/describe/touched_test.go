package describe

import (
	"fmt"
	"testing"

	"turns/model"
)

func TestTouched(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"Read", `{"file_path":"/w/a.go","offset":3}`, "[{/w/a.go false 0 0}]"},
		{"read_many_files", `{"paths":["a.go","b.go"]}`, "[{a.go false 0 0} {b.go false 0 0}]"},
		{"Edit", `{"file_path":"a.go","old_string":"x\ny","new_string":"x\nz\nq"}`, "[{a.go true 2 1}]"},
		{"Write", `{"file_path":"a.go","content":"x\ny\n"}`, "[{a.go true 2 0}]"},
		{"str_replace_editor", `{"command":"view","path":"a.go"}`, "[{a.go false 0 0}]"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** Add File: b.go\n+z\n*** End Patch"}`, "[{a.go true 1 1} {b.go true 1 0}]"},
		{"Grep", `{"pattern":"x","path":"a.go"}`, "[]"},
		{"Bash", `{"command":"go test ./..."}`, "[]"},
		{"Bash", `{"command":"cat a.go | head -3; sed -n '1,9p' b.go"}`, "[{a.go false 0 0} {b.go false 0 0}]"},
		{"shell", `{"command":["bash","-lc","nl -ba x.ts | sed -n '1,9p'"],"workdir":"/w/src"}`, "[{/w/src/x.ts false 0 0}]"},
		{"Bash", `{"command":"cat $FILE *.go"}`, "[]"},
		{"Bash", `{"command":"sed -i s/a/b/ c.go"}`, "[{c.go true 0 0}]"},
		{"Bash", `{"command":"cd w && sed -i.bak -E -e '1d; 2d' -e \"s|x|y|\" conf.ini /etc/b; sed s/a/b/ d.go"}`, "[{w/conf.ini true 0 0} {/etc/b true 0 0}]"},
		{"Bash", `{"command":"for f in *.go; do sed -i 's/a/b/' \"$f\"; done"}`, "[]"},
		{"Bash", `{"command":"sudo perl -0pi -e 's/a;b/c/' x.pl 2>&1 | tail -3 # sed -i s/a/b/ no.go"}`, "[{x.pl true 0 0}]"},
		{"Bash", `{"command":"echo 'a > b' >> notes.md && echo hi 2>/dev/null > /dev/stderr"}`, "[{notes.md true 0 0}]"},
		{"Bash", `{"command":"git apply - <<'EOF'\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-o\n+n\n--- /dev/null\n+++ b/y.go\n@@ -0,0 +1 @@\n+y\nEOF"}`, "[{x.go true 1 1} {y.go true 1 0}]"},
		{"Bash", `{"command":"cat <<'E' | patch -p1 | tail -1\n--- a/x.sql\n+++ b/x.sql\n@@ -1 +1 @@\n--- o\n+++ n\nE"}`, "[{x.sql true 1 1}]"},
		{"Bash", `{"command":"python3 - <<'PY'\nfrom pathlib import Path\np = Path('a.py')\np.write_text(p.read_text())\nopen(\"b.txt\", 'w').write(open('c.txt').read())\nPY"}`,
			"[{a.py true 0 0} {b.txt true 0 0}]"},
		{"Bash", `{"command":"cd lib && cat a.go"}`, "[{lib/a.go false 0 0}]"},
		{"Bash", `{"command":"cat > a.txt <<'EOF'\none\ntwo\nEOF\necho done"}`, "[{a.txt true 2 0}]"},
		{"Bash", `{"command":"git commit -F - <<'EOF'\none\nEOF"}`, "[]"},
		{"Bash", `{"command":"cat <<EOF | sh > log\necho hi\nEOF"}`, "[]"},
		{"mystery", `{"x":1}`, "[]"},
	} {
		if got := fmt.Sprint(Touched(&model.Content{Kind: model.ToolCall, Name: c.tool, Text: c.args})); got != c.want {
			t.Errorf("%s %s touches %s, want %s", c.tool, c.args, got, c.want)
		}
	}
}

// TestHereDocumentsAreFiles: a here document that writes a file is a diff; the rest is a command.
func TestHereDocumentsAreFiles(t *testing.T) {
	for _, c := range []struct{ cmd, want string }{
		{"mkdir x && cat > x/a.go <<'EOF'\npackage x\n\nEOF\ngo vet ./x\n", "[{2  bash mkdir x && cat > x/a.go <<'EOF'} {3 x/a.go  +package x\n+\n} {2  bash go vet ./x}]"},
		{"tee -a log <<X\none\nX", "[{2  bash tee -a log <<X} {3 log  +one\n}]"},
		{"cat <<X | sudo tee -a log > /dev/null\none\nX", "[{2  bash cat <<X | sudo tee -a log > /dev/null} {3 log  +one\n}]"},
		{"cat <<X | sort | tee log\none\nX", "[]"},
		{"sed -i 's/a/b/' x.go y.go", "[{2  bash sed -i 's/a/b/' x.go y.go} {5   edits: x.go, y.go   by: s/a/b/}]"},
		{"python - <<'P'\nprint(1)\nP", "[{2  bash python - <<'P'} {2  python print(1)\n}]"},
		{"psql <<Q\ncat > a <<EOF\nQ\ncat > b <<EOF\n1\nEOF", "[{2  bash psql <<Q\ncat > a <<EOF\nQ\ncat > b <<EOF} {3 b  +1\n}]"},
		{"cat <<EOF >a\n1\nEOF\ncat <<EOF >b\n2\nEOF", "[{2  bash cat <<EOF >a} {3 a  +1\n} {2  bash cat <<EOF >b} {3 b  +2\n}]"},
		{"echo a > b", "[]"}, {"sed -i s/a/b/ $f", "[]"},
		{"psql <<Q\nselect 1\ncat > a <<EOF\nQ\ncat > b <<EOF\n1\nEOF", "[{2  bash psql <<Q\nselect 1\ncat > a <<EOF\nQ\ncat > b <<EOF} {3 b  +1\n}]"},
		{"echo 1<<Q\ncat > b <<EOF\n1\nEOF", "[{2  bash echo 1<<Q\ncat > b <<EOF} {3 b  +1\n}]"},
		{"cat > a <<EOF\nnever ends", "[]"}, {"cat <<< word > a", "[]"}, {"psql <<EOF\nselect 1\nEOF", "[]"}, {"cat > /dev/null <<E\nx\nE", "[]"},
	} {
		if got := fmt.Sprint(shellParts(c.cmd)); got != c.want {
			t.Errorf("%q is %q, want %q", c.cmd, got, c.want)
		}
	}
}
