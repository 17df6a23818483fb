package main

type importCmd struct{}

func (importCmd) Run() error { return nil }
