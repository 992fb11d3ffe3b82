// Package agentsmithy reads the dialogs of AgentSmithy: what its history endpoint answers, of all
// four generations, and its journal, a database (db.go). Begin at Format.
package agentsmithy
