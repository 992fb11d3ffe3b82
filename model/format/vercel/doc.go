// Package vercel reads the messages of Vercel's AI SDK: what models see (ModelFormat) and what
// screens show (UIFormat), alone, in a chat, or as rows of a table.
package vercel
