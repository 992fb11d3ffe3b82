package transcripts

import (
	"context"
	"strings"
	"time"

	"turns/export/fork"
	"turns/model"
)

// Fork plans a new session with the messages up to position at. path is the transcript, into
// the file to write, "" for the folder of the agent.
func Fork(ctx context.Context, snap *model.Snapshot, path string, at int, into string) (*fork.Plan, error) {
	file, _ := PartOf(path)
	if into == "" {
		file = absolute(file)
	}
	return fork.New(ctx, snap, fork.Options{Path: file, At: at, Into: into, Now: time.Now()})
}

// ForkCommand returns the command that continues a fork in its agent, "" if the agent looks for
// its sessions elsewhere.
func ForkCommand(p *fork.Plan) string {
	s := model.Summary{Format: p.Format, Session: p.ID, Path: p.Path, Project: p.Folder, Sessions: 1}
	command, err := resumeCommand(&s)
	switch {
	case err != nil:
		return ""
	case p.Import != "":
		word, err := model.ShellWord(absolute(p.Path))
		if err != nil {
			return ""
		}
		return strings.Replace(p.Import, "FILE", word, 1) + " && " + command
	case p.Stored || strings.Contains(command, p.Path): // some agents open files
		return command
	}
	return ""
}
