// Package sdktest decodes what package export writes with the types of the
// providers' own SDKs. It is a module of its own, so that they do not become
// dependencies of the program.
package sdktest
