package v1

import (
	"fmt"

	"sellerd/v1/sunset"
)

// This file is what this package has of /rest. It goes with /rest, see docs/developer/architecture-sunset.md.

// Rest is the room of what only /rest needs.
type Rest = sunset.Rest

// RestConfig is what the room is made of.
type RestConfig struct {
	// LegacyCalls are the operations that follow the calls of /rest, by the calls' ids; empty for none.
	LegacyCalls map[string]LegacySuccessor
}

// withRest adds the room to a service that has all others.
func withRest(s *Service, c RestConfig) (_ *Service, err error) {
	if s.Rest, err = sunset.New(s.Accounts, s.Webhooks, c.LegacyCalls); err != nil {
		return nil, fmt.Errorf("v1: %w", err)
	}
	return s, nil
}

// The endpoints of the room: of sellers, and of the operator.
var (
	restOperations = sunset.Operations
	restOperator   = sunset.Operator
)

// The room's names.
type (
	AnnouncedDrill  = sunset.AnnouncedDrill
	LegacyCall      = sunset.LegacyCall
	LegacyLeft      = sunset.LegacyLeft
	LegacyLeftCall  = sunset.LegacyLeftCall
	LegacySeller    = sunset.LegacySeller
	LegacySuccessor = sunset.LegacySuccessor
	LegacyUsage     = sunset.LegacyUsage
	RunningDrills   = sunset.Running
	Window          = sunset.Window
)

const (
	LegacyActive    = sunset.LegacyActive
	LegacyDone      = sunset.LegacyDone
	LegacySilent    = sunset.LegacySilent
	LegacySunset    = sunset.LegacySunset
	LegacyUsageDays = sunset.LegacyUsageDays
	MaxLegacyDrills = sunset.MaxLegacyDrills
	MaxWindow       = sunset.MaxWindow
	MaxWindowStart  = sunset.MaxWindowStart
)

var (
	CreateLegacyDrill          = sunset.CreateLegacyDrill
	DeleteLegacyDrill          = sunset.DeleteLegacyDrill
	GetLegacyDrill             = sunset.GetLegacyDrill
	LegacyKeyID                = sunset.LegacyKeyID
	OperatorBrowseLegacyDrills = sunset.OperatorBrowseLegacyDrills
	OperatorCreateLegacyDrill  = sunset.OperatorCreateLegacyDrill
	OperatorDeleteLegacyDrill  = sunset.OperatorDeleteLegacyDrill
	OperatorGetLegacyDrill     = sunset.OperatorGetLegacyDrill
	OperatorImportLegacyKey    = sunset.OperatorImportLegacyKey
	OperatorLegacyUsage        = sunset.OperatorLegacyUsage
	StandingSales              = sunset.StandingSaleStates
)
