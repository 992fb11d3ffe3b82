// Package gptme reads conversations of gptme. Its calls stand in the text of the assistant, in
// three ways of writing: calls.go finds them. Begin at Format.
package gptme
