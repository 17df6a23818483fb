package main

import (
	"math"
	"testing"
)

func TestTheLawIsFoundAgain(t *testing.T) {
	for name, want := range map[string]law{
		"linear":           {rate: 700},
		"one queue":        {rate: 700, contention: 0.2},
		"pairs cost":       {rate: 700, coherence: 0.05},
		"a queue and more": {rate: 70_000, contention: 0.1, coherence: 0.01},
	} {
		var all []scaled
		for n := 1; n <= mostProcesses; n++ {
			all = append(all, scaled{n, outcome{rate: want.at(float64(n))}})
		}
		got := fitLaw(all)
		if math.Abs(got.rate-want.rate) > 1e-6*want.rate || math.Abs(got.contention-want.contention) > 1e-6 || math.Abs(got.coherence-want.coherence) > 1e-6 {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestNoiseMakesNoCoefficientNegative(t *testing.T) {
	all := []scaled{{1, outcome{rate: 100}}, {2, outcome{rate: 207}}, {3, outcome{rate: 305}}, {4, outcome{rate: 412}}} // better than linear
	got := fitLaw(all)
	if got.contention != 0 || got.coherence != 0 || got.rate < 100 || got.rate > 103 || got.peak() != "linear" {
		t.Errorf("got %+v, %s", got, got.peak())
	}
}
