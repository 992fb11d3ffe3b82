package export

// providerFormats are those that a provider or a framework accepts as a request
// body or a history, each in a file of its own. They take whole messages, decoded
// and with the results at their calls: newWalker over query.NewView(selection,
// nil) gives them one by one. A call without an id gets the one that callID makes,
// as in json; object (shape.go) writes JSON piece by piece.
func providerFormats() []Format {
	return nil
}
