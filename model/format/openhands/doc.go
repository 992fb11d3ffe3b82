// Package openhands reads the transcripts of OpenHands.
package openhands
