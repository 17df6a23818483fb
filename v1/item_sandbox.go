package v1

import (
	"context"
	"net/url"
	"sellerd/v1/refusal"
	"strings"
)

// This file has the images of test items whose outcome is known.

// SandboxImageHost is the host of the images with a fixed outcome. The name can never exist (RFC 6761). For test data it is
// not looked up: publication knows the outcome of each image. In live mode it is a host that cannot be reached.
const SandboxImageHost = "outcome.test"

// SandboxImage is an image address that decides how a publication in test mode ends.
type SandboxImage struct {
	URL      string
	Image    FetchedImage // the result of fetching it
	Rejected Code         // the code with which its submission is rejected whatever the other images are, empty for none
}

// SandboxImages are the documented addresses, in the order of docs/sandbox-images.md. Any other address of the host is
// unreachable.
var SandboxImages = []SandboxImage{
	{"https://outcome.test/ready.jpg", FetchedImage{Width: 1600, Height: 1200, ContentType: "image/jpeg"}, ""},
	{"https://outcome.test/image_unreachable.jpg", FetchedImage{ErrorCode: ImageUnreachable}, ""},
	{"https://outcome.test/image_too_large.jpg", FetchedImage{ErrorCode: ImageTooLarge}, ""},
	{"https://outcome.test/image_format_unsupported.jpg", FetchedImage{ErrorCode: ImageFormatUnsupported}, ""},
	{"https://outcome.test/publication_timeout.jpg", FetchedImage{ErrorCode: ImageUnreachable}, PublicationTimeout},
	{"https://outcome.test/store_limit_reached.jpg", FetchedImage{ErrorCode: ImageUnreachable}, StoreLimitReached},
	{"https://outcome.test/category_not_selectable.jpg", FetchedImage{ErrorCode: ImageUnreachable}, CategoryNotSelectable},
}

// sandboxImage finds the outcome of an owner's image address; it is false for live data and for other hosts. The query is
// ignored, so an item can have several images with the same outcome.
func sandboxImage(owner Owner, address string) (SandboxImage, bool) {
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
	return SandboxImage{URL: address, Image: FetchedImage{ErrorCode: ImageUnreachable}}, true
}

// sandboxRejection is the error with which a submission with these images is rejected, nil if the images are treated as
// usual.
func sandboxRejection(owner Owner, images []ImageInput) Errors {
	for _, wanted := range images {
		if image, ok := sandboxImage(owner, wanted.URL); ok && image.Rejected != "" {
			return refusal.New(image.Rejected)
		}
	}
	return nil
}

// fetchImagesOf fetches an owner's images, except those with a fixed outcome.
func (s *Items) fetchImagesOf(ctx context.Context, owner Owner, urls []string) []FetchedImage {
	images := make([]FetchedImage, len(urls))
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
	for i, image := range s.config.Images.FetchAll(ctx, elsewhere) {
		images[places[i]] = image
	}
	return images
}
