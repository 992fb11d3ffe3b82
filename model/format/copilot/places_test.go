package copilot

import (
	"slices"
	"testing"
)

// TestPlacesOfVSCode: turns searches for the chats of each editor, on each system and on a server.
func TestPlacesOfVSCode(t *testing.T) {
	var users []string
	for _, editor := range []string{"Code", "Code - Insiders", "VSCodium"} {
		for _, system := range []string{"~/.config/", "~/Library/Application Support/", "~/AppData/Roaming/"} {
			users = append(users, system+editor+"/User")
		}
	}
	for _, user := range append(users, "~/.vscode-server/data/User", "~/.vscode-server-insiders/data/User") {
		for _, folder := range []string{"/workspaceStorage/*/chatSessions/*.json*", "/globalStorage/emptyWindowChatSessions/*.json*",
			"/workspaceStorage/*/GitHub.copilot-chat/transcripts/*.jsonl", "/globalStorage/github.copilot-chat/transcripts/*.jsonl"} {
			if !slices.Contains(VSCodeFormat().Where, user+folder) {
				t.Errorf("nothing looks for %s", user+folder)
			}
		}
	}
}
