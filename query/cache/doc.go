// Package cache finds the requests to a model that missed the prompt cache, and the causes.
package cache
