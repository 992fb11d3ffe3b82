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
		{"Bash", `{"command":"sed -i s/a/b/ c.go"}`, "[]"},
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

// A file that a here document writes is a diff of that file; what stands around it stays a command.
func TestHereDocumentsAreFiles(t *testing.T) {
	for _, c := range []struct{ cmd, want string }{
		{"mkdir x && cat > x/a.go <<'EOF'\npackage x\n\nEOF\ngo vet ./x\n", "[{2  bash mkdir x && cat > x/a.go <<'EOF'} {3 x/a.go  +package x\n+\n} {2  bash go vet ./x}]"},
		{"tee -a log <<X\none\nX", "[]"},
		{"cat <<EOF >a\n1\nEOF\ncat <<EOF >b\n2\nEOF", "[{2  bash cat <<EOF >a} {3 a  +1\n} {2  bash cat <<EOF >b} {3 b  +2\n}]"},
		{"cat > a <<EOF\nnever ends", "[]"}, {"cat <<< word > a", "[]"}, {"psql <<EOF\nselect 1\nEOF", "[]"}, {"cat > /dev/null <<E\nx\nE", "[]"},
	} {
		if got := fmt.Sprint(hereFiles(c.cmd)); got != c.want {
			t.Errorf("%q is %q, want %q", c.cmd, got, c.want)
		}
	}
}
