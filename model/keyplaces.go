package model

import "slices"

// KeyPlaces maps keys to their index in a list, and is efficient for few and for many keys.
type KeyPlaces struct {
	keys  []Key       // 0: none
	place map[Key]int // of many keys; nil for few
}

// For speed only: manyKeys is the number of keys from which on a table is used.
const manyKeys = 32

// Clear removes all keys.
func (p *KeyPlaces) Clear() {
	p.keys, p.place = p.keys[:0], nil
}

// Add adds the key of the next place, 0 for none.
func (p *KeyPlaces) Add(k Key) {
	p.keys = append(p.keys, k)
	if p.place != nil && k != 0 {
		if _, ok := p.place[k]; !ok {
			p.place[k] = len(p.keys) - 1
		}
	}
}

// Find returns the first place of a key, -1 if there is none.
func (p *KeyPlaces) Find(k Key) int {
	if len(p.keys) <= manyKeys {
		return slices.Index(p.keys, k)
	}
	if p.place == nil {
		p.place = make(map[Key]int, 2*len(p.keys))
		for i, k := range p.keys {
			if _, ok := p.place[k]; !ok && k != 0 {
				p.place[k] = i
			}
		}
	}
	if i, ok := p.place[k]; ok {
		return i
	}
	return -1
}
