package operator

import (
	"fmt"
	"testing"

	"sellerd/v1"
)

func TestAdviceComesAfterAQuestionAsASentence(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{v1.ErrNoAccount, "there is no such account: `sellerd accounts list` shows the ids"},
		{fmt.Errorf("%w. Is it 5001?", v1.ErrNoAccount), "there is no such account. Is it 5001? `sellerd accounts list` shows the ids"},
	} {
		if got := advise(test.err).Error(); got != test.want {
			t.Errorf("%q instead of %q", got, test.want)
		}
	}
}
