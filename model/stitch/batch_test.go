package stitch

import (
	"reflect"
	"testing"
)

// TestBatchesHaveNoPointers holds that the garbage collector skips facts and blocks: a file has
// hundreds of thousands of them, copied once each.
func TestBatchesHaveNoPointers(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[gist](), reflect.TypeFor[gistBlock]()} {
		for i := range of.NumField() {
			switch f := of.Field(i); f.Type.Kind() {
			case reflect.Slice, reflect.Pointer, reflect.Map, reflect.String, reflect.Interface, reflect.Func, reflect.Chan:
				t.Errorf("%s.%s is a %s", of.Name(), f.Name, f.Type)
			}
		}
	}
}
