// Package agentsmithy reads the transcripts of AgentSmithy: dialogs and its database.
package agentsmithy
