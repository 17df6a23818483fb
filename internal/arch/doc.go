// Package arch holds no code, only tests of how the rest hangs together: which package may import which, who may read
// the machine's clock, and that ent's generated code is what its generator would write today.
package arch
