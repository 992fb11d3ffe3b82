// Package lanes arranges a session over time: a lane for each agent with the time of the model, of
// tools, of waiting for a person, and idle time; the calls that the end waited for; and the fill of
// the context.
package lanes
