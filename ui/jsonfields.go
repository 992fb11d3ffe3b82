package ui

import (
	"bytes"
	"encoding/json"

	"turns/model"
)

// jsonFields are the members of a JSON object in their order, strings without quotes.
func jsonFields(s string) []model.KeyValue {
	dec := json.NewDecoder(bytes.NewReader([]byte(s)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []model.KeyValue
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return out
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return out
		}
		value := string(raw)
		var text string
		if json.Unmarshal(raw, &text) == nil {
			value = text
		}
		key, _ := name.(string)
		out = append(out, model.KeyValue{Name: key, Value: value})
	}
	return out
}
