package v1

import (
	"context"
	"net/url"
	"strings"

	"sellerd/v1/refusal"
)

// SandboxImageHost is where the images with a fixed fate are said to be. The name can never exist (RFC 6761), and for
// test data nobody looks it up: publication knows what each of its images is. In live mode it is a host like any other
// that cannot be reached.
const SandboxImageHost = "outcome.test"

// SandboxImage is an image address that decides how a publication in test mode ends.
type SandboxImage struct {
	URL      string
	Image    FetchedImage // what fetching it gives
	Rejected Code         // why its submission is rejected whatever the other images are, empty when it is not
}

// SandboxImages are the documented addresses, in the order of docs/sandbox.md. Any other address of the host is
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

// sandboxImage finds what an owner's image address decides; false for live data and for addresses elsewhere. What
// follows the path does not count, so an item can have many of the same fate.
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

// sandboxRejection is why a submission with these images is rejected, nil when its images decide in the usual way.
func sandboxRejection(owner Owner, images []ImageInput) Errors {
	for _, wanted := range images {
		if image, ok := sandboxImage(owner, wanted.URL); ok && image.Rejected != "" {
			return refusal.New(image.Rejected)
		}
	}
	return nil
}

// fetchImagesOf looks at an owner's images. Those with a fixed fate need no look.
func (s *Service) fetchImagesOf(ctx context.Context, owner Owner, urls []string) []FetchedImage {
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
	for i, image := range s.Images.FetchAll(ctx, elsewhere) {
		images[places[i]] = image
	}
	return images
}
