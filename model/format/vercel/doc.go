// Package vercel reads the messages of Vercel's AI SDK: those for models (ModelFormat) and those
// for screens (UIFormat), as a list, in a chat, or as rows of a table.
package vercel
