// Package operator has the commands with which an operator looks after sellers: their accounts, keys and shipping models, and who still
// uses the old interface. They work on the database beside a running server, whose next request sees their effect.
package operator
