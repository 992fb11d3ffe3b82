// Package sdktest decodes the output of package export with the types of the providers' own SDKs.
// It is a separate module, so that they do not become dependencies of the program.
package sdktest
