// Turns is a terminal viewer for the transcripts of AI agents. See package
// turns/ui/cli for its commands.
package main

import (
	"os"

	"turns/ui/cli"
)

func main() { os.Exit(cli.Main()) }
