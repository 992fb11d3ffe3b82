package describe

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

func TestFileEdits(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"Read", `{"file_path":"/w/a","offset":3,"limit":2}`, "read /w/a 3-4"},
		{"read_file", `{"path":"a","start_line":2,"end_line":9}`, "read a 2-9"},
		{"view", `{"path":"a"}`, "read a 0-0"},
		{"str_replace_editor", `{"command":"view","path":"a","view_range":[3,9]}`, "read a 3-9"},
		{"str_replace_editor", `{"command":"view","path":"a","view_range":[3,-1]}`, "read a 3-0"},
		{"Edit", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}`, `replace a "x" "y" all`},
		{"MultiEdit", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"p","new_string":"q"}]}`, `replace a "x" "y"; replace a "p" "q"`},
		{"multi_replace_string_in_file", `{"replacements":[{"filePath":"a","oldString":"x","newString":"y"},{"filePath":"b","oldString":"p","newString":"q"}]}`,
			`replace a "x" "y"; replace b "p" "q"`},
		{"Write", `{"file_path":"a","content":"x\n"}`, `write a "x\n"`},
		{"Write", `{"file_path":"a","content":"\"x\""}`, `write a "\"x\""`},
		{"write_to_file", `{"TargetFile":"\"a\"","CodeContent":"\"x\\ny\""}`, `write a "x\ny"`},
		{"append_file", `{"path":"a","content":"x"}`, `append a "x"`},
		{"str_replace_editor", `{"command":"insert","path":"a","insert_line":3,"new_str":"x"}`, `insert a 3 "x"`},
		{"str_replace_editor", `{"command":"undo_edit","path":"a"}`, "touch a"},
		{"delete_file", `{"target_file":"a"}`, "delete a"},
		{"replace_in_file", `{"path":"a","diff":"------- SEARCH\nx\n=======\ny\n+++++++ REPLACE"}`, "patch a [-x +y]"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: n\n+x\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: d\n*** End Patch"}`,
			"patch n [+x] new; patch a [-x +y]; move a b; delete d"},
		{"shell", `{"command":["bash","-lc","cat > x <<'EOF'\none\nEOF"],"workdir":"/w"}`, `write /w/x "one\n"`},
		{"Bash", `{"command":"cat >> x <<'EOF'\none\nEOF"}`, `append x "one\n"`},
		{"Bash", `{"command":"cd d && mv a.go b.go; cp b.go e/; rm -f c.go"}`, "move d/a.go d/b.go; copy d/b.go d/e/b.go; delete d/c.go"},
		{"Bash", `{"command":"rm -rf build"}`, "delete build within"},
		{"Bash", `{"command":"gofmt -l . && gofmt -w a.go && git checkout -- src/ && git commit -m x"}`, "touch a.go; touch src/ within"},
		{"Bash", `{"command":"prettier --write 'src/**/*.ts'"}`, "touch src/**/*.ts within"},
		{"Bash", `{"command":"sed -i s/a/b/ c.go"}`, "touch c.go"},
		{"Bash", `{"command":"cat a.go"}`, "read a.go 0-0"},
		{"Bash", `{"command":"sed -n '3,9p' a.go"}`, "read a.go 3-9"},
		{"Bash", `{"command":"nl -ba a.go | sed -n '3,9p'"}`, "read a.go 0-0 part"},
		{"Bash", `{"command":"cat a.go | head -3"}`, ""},
		{"Bash", `{"command":"go test ./..."}`, ""},
		{"Grep", `{"pattern":"x","path":"a"}`, ""},
		{"str_replace_editor", `{"command":"view","path":"a"}`, "read a 0-0"},
		{"Edit", `{"file_path":"a","old_string":"x","new_string":""}`, `replace a "x" ""`},
		{"replace", `{"file_path":"a","old_string":"x","new_string":"y","expected_replacements":1}`, `replace a "x" "y"`},
		{"replace", `{"file_path":"a","old_string":"x","new_string":"y","expected_replacements":2}`, `replace a "x" "y" all`},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch"}`, "move a b"},
		{"shell", `{"command":["apply_patch","*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"]}`, "patch a [-x +y]"},
		{"shell", `{"command":"rm b.go C:/x.go","workdir":"/w"}`, "delete /w/b.go; delete C:/x.go"},
		{"Bash", `{"command":"cat > x <<'EOF'\nrm y.go\nEOF"}`, `write x "rm y.go\n"`},
		{"Bash", `{"command":"cat > x <<E\n1\nE\nsed -i s/a/b/ c.go"}`, `write x "1\n"; touch c.go`},
		{"Bash", `{"command":"cat <<X | tee -a log\none\nX"}`, `append log "one\n"`},
		{"Bash", `{"command":"cat <<X | tee --append log\none\nX"}`, `append log "one\n"`},
		{"Bash", `{"command":"cat <<X |& tee log\none\nX"}`, `write log "one\n"`},
		{"Bash", `{"command":"cat <<X && tee log\none\nX"}`, ""},
		{"Bash", `{"command":"npx; git; sudo"}`, ""},
		{"Bash", `{"command":"sed -i -e"}`, ""},
		{"Bash", `{"command":"perl -pi -e"}`, ""},
		{"Bash", `{"command":"mv lib src; cp a.go e"}`, "move lib src; copy a.go e/a.go"},
		{"Bash", `{"command":"sed -n '0,9p' a.go"}`, ""},
		{"Bash", `{"command":"; cat a.go;"}`, "read a.go 0-0"},
		{"Bash", `{"command":"rm a.go \\\n b.go \\"}`, "delete a.go; delete b.go"},
		{"Bash", `{"command":"rm \"a\\\"b.go\" \"c\\"}`, `delete a"b.go`},
	} {
		var got []string
		for _, e := range FileEdits(&model.Content{Kind: model.ToolCall, Name: c.tool, Text: c.args}) {
			got = append(got, editWords(&e))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.tool, c.args, s, c.want)
		}
	}
}

func editWords(e *FileEdit) string {
	s := e.Kind.String() + " " + e.Path
	switch e.Kind {
	case EditRead:
		s += fmt.Sprintf(" %d-%d", e.First, e.Last)
	case EditReplace:
		s += fmt.Sprintf(" %q %q", e.Old, e.New)
	case EditWrite, EditAppend:
		s += fmt.Sprintf(" %q", e.New)
	case EditInsert:
		s += fmt.Sprintf(" %d %q", e.Line, e.New)
	case EditPatch:
		for _, h := range e.Hunks {
			s += fmt.Sprint(" ", h.Lines)
		}
	case EditMove, EditCopy:
		s += " " + e.To
	}
	for word, is := range map[string]bool{" all": e.All, " new": e.Adds, " within": e.Within, " part": e.Part} {
		if is {
			s += word
		}
	}
	return s
}
