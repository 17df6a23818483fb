package v1

import (
	"sellerd/v1/accounts"
	"sellerd/v1/core"
	"sellerd/v1/hooks"
	"sellerd/v1/items"
	"sellerd/v1/privacy"
	"sellerd/v1/trade"
)

// This file has the names of the rooms that belong to this package's public face.

// Of the room core.
type (
	Call              = core.Call
	Caller            = core.Caller
	Clock             = core.Clock
	EventCause        = core.EventCause
	EventResource     = core.EventResource
	IdempotencyKeyUse = core.IdempotencyKeyUse
	KeyInfo           = core.KeyInfo
	Meta              = core.Meta
	Op[I, O any]      = core.Op[I, O]
	Operation         = core.Operation
	OperatorActor     = core.Actor
	OperatorDoor      = core.OperatorDoor
	Request           = core.Request
	Owner             = core.Owner
	Store             = core.Store
	StoreLimitState   = core.StoreLimitState
	SystemClock       = core.SystemClock
	Trace             = core.Trace
)

const (
	AccountStatusActive    = core.AccountStatusActive
	AccountStatusSuspended = core.AccountStatusSuspended
	BodyLimit              = core.BodyLimit
	BodyTime               = core.BodyTime
	CallbackRelease        = core.CallbackRelease
	ConditionalRelease     = core.ConditionalRelease
	DefaultNewItemsPerDay  = core.DefaultNewItemsPerDay
	DefaultOpenItems       = core.DefaultOpenItems
	DefaultRateLimit       = core.DefaultRateLimit
	DescriptionLinkRelease = core.DescriptionLinkRelease
	LanguageRelease        = core.LanguageRelease
	FirstRelease           = core.FirstRelease
	HeadLimit              = core.HeadLimit
	IdempotencyRetention   = core.IdempotencyRetention
	MaxItemLimit           = core.MaxItemLimit
	MaxWebhooks            = core.MaxWebhooks
	OperatorPath           = core.OperatorPath
	QuotaRelease           = core.QuotaRelease
	Release                = core.Release
	ViaRest                = core.ViaRest
)

var (
	Allow             = core.Allow
	AppendData        = core.AppendData
	AppendErrors      = core.AppendErrors
	BodyEnds          = core.BodyEnds
	ErrNoAccount      = core.ErrNoAccount
	ErrNoKey          = core.ErrNoKey
	Languages         = core.Languages
	NewIdempotencyKey = core.NewIdempotencyKey
	NormalURL         = core.NormalURL
	NotYet            = core.NotYet
	OwnerOf           = core.OwnerOf
	Releases          = core.Releases
	SentInClear       = core.SentInClear
	TraceFrom         = core.TraceFrom
	WithTrace         = core.WithTrace
)

// Of the room items.
type (
	BatchAnswer      = items.BatchAnswer
	BatchSummary     = items.BatchSummary
	BrowseItemsInput = items.BrowseItemsInput
	CloseItemInput   = items.CloseItemInput
	Closing          = items.Closing
	Image            = items.Image
	ImageInput       = items.ImageInput
	Item             = items.Item
	ItemInput        = items.ItemInput
	ItemOptions      = items.ItemOptions
	ItemRef          = items.ItemRef
	ItemURL          = items.ItemURL
	Submission       = items.Submission
	SubmissionRef    = items.SubmissionRef
	SubmitBatchInput = items.SubmitBatchInput
)

const (
	BillAwaitingPayment   = items.BillAwaitingPayment
	BillIsCancelled       = items.BillIsCancelled
	BillSent              = items.BillSent
	BillToInvoice         = items.BillToInvoice
	BillToSend            = items.BillToSend
	CancellationNone      = items.CancellationNone
	CancellationRefused   = items.CancellationRefused
	CancellationRequested = items.CancellationRequested
	DefaultPageSize       = items.DefaultPageSize
	ItemClosed            = items.ItemClosed
	ItemOpen              = items.ItemOpen
	ItemSold              = items.ItemSold
	ItemUnsold            = items.ItemUnsold
	MaxBatch              = items.MaxBatch
	MaxPageSize           = items.MaxPageSize
	PublishDeadline       = items.PublishDeadline
	SaleActive            = items.SaleActive
	SaleTypeAuction       = items.SaleTypeAuction
	SaleTypeFixedPrice    = items.SaleTypeFixedPrice
	SubmissionProcessing  = items.SubmissionProcessing
	SubmissionPublished   = items.SubmissionPublished
	SubmissionRejected    = items.SubmissionRejected
)

var (
	BrowseItems   = items.BrowseItems
	CloseItem     = items.CloseItem
	GetBatch      = items.GetBatch
	GetItem       = items.GetItem
	GetSubmission = items.GetSubmission
	RestartItem   = items.RestartItem
	SandboxImages = items.SandboxImages
	SubmitBatch   = items.SubmitBatch
	SubmitItem    = items.SubmitItem
	UpdateItem    = items.UpdateItem
)

// Of the room trade.
type (
	Address               = trade.Address
	Bid                   = trade.Bid
	BidInput              = trade.BidInput
	Bill                  = trade.Bill
	BillPaymentInput      = trade.BillPaymentInput
	BrowseBillsInput      = trade.BrowseBillsInput
	BrowseSalesInput      = trade.BrowseSalesInput
	Buyer                 = trade.Buyer
	BuyerInput            = trade.BuyerInput
	Cancellation          = trade.Cancellation
	CancellationInput     = trade.CancellationInput
	CancellationStep      = trade.CancellationStep
	Deleted[T any]        = trade.Deleted[T]
	Invoice               = trade.Invoice
	InvoiceInput          = trade.InvoiceInput
	MarkBillSentInput     = trade.MarkBillSentInput
	Payment               = trade.Payment
	Purchase              = trade.Purchase
	PurchaseInput         = trade.PurchaseInput
	RateBuyerInput        = trade.RateBuyerInput
	Rating                = trade.Rating
	RatingInput           = trade.RatingInput
	RatingSum             = trade.RatingSum
	Sale                  = trade.Sale
	SaleWithRating        = trade.SaleWithRating
	Shipment              = trade.Shipment
	SimulatedCancellation = trade.SimulatedCancellation
	SoldItem              = trade.SoldItem
)

const (
	MaxTrackings  = trade.MaxTrackings
	RatingRated   = trade.RatingRated
	RatingUnrated = trade.RatingUnrated
)

var (
	BrowseBills          = trade.BrowseBills
	BrowseSales          = trade.BrowseSales
	MarkBillSent         = trade.MarkBillSent
	OperatorBid          = trade.OperatorBid
	OperatorCancellation = trade.OperatorCancellation
	OperatorEnd          = trade.OperatorEnd
	OperatorInvoice      = trade.OperatorInvoice
	OperatorPayment      = trade.OperatorPayment
	OperatorPurchase     = trade.OperatorPurchase
	RateBuyer            = trade.RateBuyer
	ResetSandbox         = trade.ResetSandbox
	SandboxBuyerInput    = trade.SandboxBuyerInput
	SimulateEnd          = trade.SimulateEnd
)

// Of the room hooks.
type (
	Delivery      = hooks.Delivery
	DeliveryError = hooks.DeliveryError
	Event         = hooks.Event
	EventData     = hooks.EventData
	EventType     = hooks.EventType
	Webhook       = hooks.Webhook
	WebhookInput  = hooks.WebhookInput
)

const (
	FormatLegacyXML = hooks.FormatLegacyXML
)

var (
	BrowseWebhooks = hooks.BrowseWebhooks
	CreateWebhook  = hooks.CreateWebhook
	DeleteWebhook  = hooks.DeleteWebhook
	EventPatterns  = hooks.EventPatterns
	EventTypes     = hooks.EventTypes

	OperatorSetWebhookStatus = hooks.OperatorSetWebhookStatus

	SampleEvent   = hooks.SampleEvent
	TestWebhook   = hooks.TestWebhook
	UpdateWebhook = hooks.UpdateWebhook
)

// Of the room accounts.
type (
	Account            = accounts.Account
	AccountKey         = accounts.AccountKey
	AccountNames       = accounts.AccountNames
	AuditedChange      = accounts.AuditedChange
	AuditFilter        = accounts.AuditFilter
	FailingWebhook     = accounts.FailingWebhook
	LimitSettings      = accounts.LimitSettings
	AccountOverview    = accounts.AccountOverview
	Category           = accounts.Category
	CategoryStep       = accounts.CategoryStep
	Limits             = accounts.Limits
	ModeOverview       = accounts.ModeOverview
	NewAccount         = accounts.NewAccount
	NewKey             = accounts.NewKey
	OperatorAccount    = accounts.OperatorAccount
	OperatorBacklog    = accounts.OperatorBacklog
	WaitingSubmission  = accounts.WaitingSubmission
	WaitingSubmissions = accounts.WaitingSubmissions
)

// MaxLiveKeys is accounts.MaxLiveKeys.
const MaxLiveKeys = accounts.MaxLiveKeys

var (
	BrowseCategories       = accounts.BrowseCategories
	BrowseShippingModels   = accounts.BrowseShippingModels
	ErrExpiry              = accounts.ErrExpiry
	ErrKeyName             = accounts.ErrKeyName
	ErrClosed              = accounts.ErrClosed
	ErrNicknameTaken       = accounts.ErrNicknameTaken
	ErrOverlap             = accounts.ErrOverlap
	ErrTooManyKeys         = accounts.ErrTooManyKeys
	GetAccount             = accounts.GetAccount
	GetLimits              = accounts.GetLimits
	OperatorBrowseAudit    = accounts.OperatorBrowseAudit
	OperatorBrowseAccounts = accounts.OperatorBrowseAccounts
	OperatorCreateAccount  = accounts.OperatorCreateAccount
	OperatorCreateKey      = accounts.OperatorCreateKey
	OperatorRevokeKey      = accounts.OperatorRevokeKey
	OperatorUpdateAccount  = accounts.OperatorUpdateAccount
)

// Of the room privacy.
type (
	ExportedAccount = privacy.ExportedAccount
)

var (
	ErrBuyerNeeded = privacy.ErrBuyerNeeded
	ErrNoBuyer     = privacy.ErrNoBuyer
	ErrNotClosed   = privacy.ErrNotClosed
	ErrNotErased   = privacy.ErrNotErased
)
