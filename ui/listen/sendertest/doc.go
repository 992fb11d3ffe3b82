// Package sendertest is a module of its own, so that the OpenTelemetry SDK stays out of the program:
// its tests send spans with the SDK for Go to what turns listen serves, and read what was kept.
//
//	cd ui/listen/sendertest && go test ./...
package sendertest
