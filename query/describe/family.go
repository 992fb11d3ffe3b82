package describe

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/query/human"
)

// Family is the kind of a tool.
type Family uint8

// The families of tools.
const (
	NoFamily Family = iota
	FamilyShell
	FamilyRead
	FamilyWrite // write, edit, patch
	FamilySearch
	FamilyWeb
	FamilyAgent
	FamilyTodo
	FamilyQuestion
	FamilyMCP
	FamilyOther
)

var familyNames = [...]string{"", "shell", "read", "write", "search", "web", "agent", "todo", "question", "mcp", "other"}

// String returns the family as one word.
func (f Family) String() string { return model.NameOf(familyNames[:], f, "") }

// families maps the known tools of the agents, in lower case without separators.
var families = makeFamilies(map[Family]string{
	FamilyShell: `bash shell sh zsh exec execcommand runcommand runcommands terminal executebash runshellcommand runterminalcmd
		runterminalcommand runinterminal execute executecommand shellexec shellcommand localshell localshellcall containerexec powershell
		cmd commandexecution bashtool bashexecution developershell executeipythoncell ipython python executepython pythontool unifiedexec
		run writestdin runbash computerbash sendcommand executeshell codeexecution bashcodeexecution runcode bashcommand`,
	FamilyRead: `read readfile readfiles viewfile view cat openfile open readmanyfiles notebookread fsread viewimage readimage
		getfilecontents viewcodeitem readtextfile readmultiplefiles readmediafile viewfileoutline readnotebook`,
	FamilyWrite: `write writefile writetofile createfile create edit editfile editfiles multiedit applypatch strreplace strreplaceeditor
		strreplacebasededittool replace replaceinfile searchreplace editor notebookedit insert applydiff filechange patch updatefile
		deletefile codeaction fswrite inserteditintofile replacestringinfile multireplacestringinfile replacefilecontent
		multireplacefilecontent insertcontent fileedit filewrite editnotebook editnotebookfile texteditor appendfile`,
	FamilySearch: `grep glob ls listdir listdirectory listfiles searchfiles grepsearch filesearch find findbyname codebasesearch
		searchfilecontent searchtext ripgrep rg semanticsearch tree searchcode findfiles search toolsearch listdirectorytree
		searchdirectory viewfolder globtool greptool codesearch`,
	FamilyWeb: `webfetch websearch fetch googlewebsearch searchweb readurlcontent websearchcall websearchexa fetchurl webbrowsergo
		fetchwebpage browsernavigate openpage urlfetch httprequest httpget internetsearch tavilysearch webrun`,
	FamilyAgent: `task agent spawnagent invokesubagent subagent delegate delegatetask newtask dispatchagent agentswarm runsubagent
		collabtoolcall launchagent usesubagents sessionsspawn callsubagent`,
	FamilyTodo: `todowrite todoread updateplan todo todolist writetodos updatetodolist tasktracker managetodolist settodolist
		settodos readtodos plan`,
	FamilyQuestion: `askuserquestion askuser askfollowupquestion requestuserinput askquestion question clarify askquestions
		vscodeaskquestions userinput`,
})

// asking are the tools with which an agent asks its user for approval, in lower case without
// separators.
var asking = map[string]bool{
	"exitplanmode": true, "presentplan": true, "planmoderespond": true, "requestapproval": true, "exitspecmode": true,
	"planexit": true,
}

// NamesFiles reports whether calls of the family's tools may name files that they read or write
// completely.
func NamesFiles(f Family) bool {
	switch f {
	case FamilySearch, FamilyWeb, FamilyAgent, FamilyTodo, FamilyQuestion:
		return false
	}
	return true
}

// AsksHuman reports whether a tool asks a human: a question, or a plan for approval. The time of
// its calls is waiting time.
func AsksHuman(tool string) bool {
	f, word, _ := FamilyOf(tool)
	return f == FamilyQuestion || AsksLeave(tool) || f == FamilyMCP && families[foldName(word)] == FamilyQuestion
}

// AsksLeave reports whether a tool shows its user a plan for approval.
func AsksLeave(tool string) bool { return asking[foldName(tool)] }

func makeFamilies(names map[Family]string) map[string]Family {
	m := make(map[string]Family)
	for f, list := range names {
		for name := range strings.FieldsSeq(list) {
			m[name] = f
		}
	}
	return m
}

// FamilyOf returns the family of a tool by its recorded name, the word for it, and the server of an
// MCP tool.
func FamilyOf(tool string) (f Family, word, server string) {
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		if server, name, ok := strings.Cut(rest, "__"); ok && name != "" {
			return FamilyMCP, name, server
		}
	}
	if f, ok := families[foldName(tool)]; ok {
		return f, wordOf(tool), ""
	}
	for _, sep := range [...]string{"___", "__", "::", "."} { // server___tool and similar
		if server, name, ok := strings.Cut(tool, sep); ok && server != "" && name != "" {
			if f, ok := families[foldName(name)]; ok && (server == "functions" || server == "default_api" || server == "developer") {
				return f, wordOf(name), ""
			}
			return FamilyMCP, name, server
		}
	}
	return FamilyOther, wordOf(tool), ""
}

// ToolWord returns the word for a tool by its recorded name, in one line of at most 60 columns.
func ToolWord(tool string) string {
	_, word, _ := FamilyOf(tool)
	return human.OneLine(word, 60)
}

func wordOf(tool string) string {
	if tool == "AskUserQuestion" {
		return "AskUser"
	}
	return cmp.Or(tool, "tool")
}

// foldName returns a name in lower case without separators.
func foldName(s string) string {
	if len(s) > 64 {
		return ""
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			b = append(b, c+'a'-'A')
		case c != '_' && c != '-' && c != ' ' && c != '.':
			b = append(b, c)
		}
	}
	return string(b)
}

// The argument names that tools use for the subject of a line.
var (
	argsPath    = []string{"file_path", "path", "filepath", "filePath", "absolute_path", "AbsolutePath", "absolutePath", "target_file", "TargetFile", "filename", "file", "notebook_path", "uri", "file_name", "dir_path"}
	argsCommand = []string{"command", "cmd", "commands", "CommandLine", "script", "code", "chars", "action", "keystrokes"}
	argsOld     = []string{"old_string", "old_str", "oldText", "old_text", "oldString", "search", "TargetContent"}
	argsNew     = []string{"new_string", "new_str", "newText", "new_text", "newString", "replace", "ReplacementContent", "new_source"}
	argsContent = []string{"content", "file_text", "contents", "CodeContent", "text", "data"}
	argsPatch   = []string{"patch", "diff", "input", "patchText", "changes"}
	argsPattern = []string{"pattern", "query", "regex", "Query", "glob", "glob_pattern", "name_pattern", "Pattern", "search_term", "q"}
	argsFolder  = []string{"path", "dir_path", "directory", "target_directory", "SearchPath", "SearchDirectory", "DirectoryPath", "folder", "dir", "include_directories", "relative_workspace_path"}
	argsTask    = []string{"description", "task", "title", "TaskName", "message", "prompt", "Prompt", "instructions"}
	argsKind    = []string{"subagent_type", "agent_type", "agent", "agentName", "agent_name", "type", "mode"}
	argsTodo    = []string{"todos", "plan", "items", "tasks", "todoList", "task_list", "todo_list"}
)

// familyByShape guesses the family of an unknown tool from its arguments.
func familyByShape(a *CallArgs) Family {
	has := func(names ...string) bool { return a.Raw(names...) != "" }
	path := has("file_path", "path", "filepath", "filePath", "absolute_path", "target_file", "filename")
	switch {
	case has("todos"):
		return FamilyTodo
	case has("questions"):
		return FamilyQuestion
	case has("subagent_type"):
		return FamilyAgent
	case has("command", "cmd") && !path:
		return FamilyShell
	case path && (has("old_string", "new_string", "old_str", "new_str", "content", "file_text", "diff", "patch")):
		return FamilyWrite
	case has("pattern", "regex"):
		return FamilySearch
	case has("url"):
		return FamilyWeb
	}
	return FamilyOther
}
