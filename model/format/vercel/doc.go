// Package vercel reads the transcripts of the Vercel AI SDK: model messages and UI messages.
package vercel
