package model

import "slices"

// KeyPlaces are the places of things in a list by their keys, of few and of many.
type KeyPlaces struct {
	keys  []Key       // 0: none
	place map[Key]int // of many keys
}

// manyKeys is from how many keys on they are found by a table.
const manyKeys = 32

// Clear forgets all.
func (p *KeyPlaces) Clear() {
	p.keys, p.place = p.keys[:0], nil
}

// Add is the key of the next place, 0 for none.
func (p *KeyPlaces) Add(k Key) {
	p.keys = append(p.keys, k)
	if p.place != nil && k != 0 {
		if _, ok := p.place[k]; !ok {
			p.place[k] = len(p.keys) - 1
		}
	}
}

// Find is the first place of a key, -1 for none.
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
