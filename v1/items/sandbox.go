package items

import (
	"context"
	"net/url"
	"strings"

	"sellerd/v1/core"
	"sellerd/v1/outbound"
	"sellerd/v1/refusal"
)

// This file has the images of test items whose outcome is known.

// SandboxImageHost is the host of the images with a fixed outcome. The name can never exist (RFC 6761). For test data it is
// not looked up: publication knows the outcome of each image. In live mode it is a host that cannot be reached.
const SandboxImageHost = "outcome.test"

// SandboxImage is an image address that decides how a publication in test mode ends.
type SandboxImage struct {
	URL      string
	Image    outbound.FetchedImage // the result of fetching it
	Rejected refusal.Code          // the code with which its submission is rejected whatever the other images are, empty for none
}

// SandboxImages are the documented addresses, in the order of docs/seller/sandbox-images.md. Any other address of the host is
// unreachable.
var SandboxImages = []SandboxImage{
	{"https://outcome.test/ready.jpg", outbound.FetchedImage{Width: 1600, Height: 1200, ContentType: "image/jpeg"}, ""},
	{"https://outcome.test/image_unreachable.jpg", outbound.FetchedImage{ErrorCode: refusal.ImageUnreachable}, ""},
	{"https://outcome.test/image_too_large.jpg", outbound.FetchedImage{ErrorCode: refusal.ImageTooLarge}, ""},
	{"https://outcome.test/image_format_unsupported.jpg", outbound.FetchedImage{ErrorCode: refusal.ImageFormatUnsupported}, ""},
	{"https://outcome.test/publication_timeout.jpg", outbound.FetchedImage{ErrorCode: refusal.ImageUnreachable}, refusal.PublicationTimeout},
	{"https://outcome.test/store_limit_reached.jpg", outbound.FetchedImage{ErrorCode: refusal.ImageUnreachable}, refusal.StoreLimitReached},
	{
		"https://outcome.test/category_not_selectable.jpg",
		outbound.FetchedImage{ErrorCode: refusal.ImageUnreachable},
		refusal.CategoryNotSelectable,
	},
}

// sandboxImage finds the outcome of an owner's image address; it is false for live data and for other hosts. The query is
// ignored, so an item can have several images with the same outcome.
func sandboxImage(owner core.Owner, address string) (SandboxImage, bool) {
	if !owner.Test() {
		return SandboxImage{}, false
	}
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), SandboxImageHost) {
		return SandboxImage{}, false
	}
	for _, image := range SandboxImages {
		if image.URL == "https://"+SandboxImageHost+u.Path {
			return image, true
		}
	}
	return SandboxImage{URL: address, Image: outbound.FetchedImage{ErrorCode: refusal.ImageUnreachable}}, true
}

// sandboxRejection is the error with which a submission with these images is rejected, nil if the images are treated as
// usual.
func sandboxRejection(owner core.Owner, urls []string) refusal.Errors {
	for _, address := range urls {
		if image, ok := sandboxImage(owner, address); ok && image.Rejected != "" {
			return refusal.New(image.Rejected)
		}
	}
	return nil
}

// fetchImagesOf fetches an owner's images, except those with a fixed outcome.
func (s *Items) fetchImagesOf(ctx context.Context, owner core.Owner, urls []string) []outbound.FetchedImage {
	images := make([]outbound.FetchedImage, len(urls))
	var elsewhere []string
	var places []int
	for i, address := range urls {
		if image, ok := sandboxImage(owner, address); ok {
			images[i] = image.Image
			continue
		}
		elsewhere, places = append(elsewhere, address), append(places, i)
	}
	if len(elsewhere) == 0 {
		return images
	}
	for i, image := range s.Config.Images.FetchAll(ctx, elsewhere) {
		images[places[i]] = image
	}
	return images
}
