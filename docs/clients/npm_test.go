//go:build npm

package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newFolder is a folder with packages of npm, and with files of this folder.
func newFolder(t *testing.T, packages []string, files ...string) string {
	t.Helper()
	folder := t.TempDir()
	install := exec.CommandContext(t.Context(), "npm", append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund"}, packages...)...)
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, folder, filepath.Base(name), string(text))
	}
	return folder
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mistakes must not compile: tsc complains of a line that is expected to be wrong and is not.
const mistakes = `
import { Client, SellerdError, verifyWebhook } from './sellerd.mjs';

export async function right(): Promise<string> {
  const seller = new Client({ key: 'dk_test_1', deadline: 5 });
  await seller.get('/v1/items', { status: ['open'], has_bids: false, ends_from: new Date(), after: null });
  for await (const { events, cursor } of seller.events({ after: 'latest', query: { type: 'item.*' } })) if (events.length) return cursor;
  return '';
}

export async function wrong(seller: Client, error: SellerdError): Promise<void> {
  // @ts-expect-error there is no such option
  new Client({ apiKey: 'dk_test_1' });
  // @ts-expect-error seconds are a number
  new Client({ deadline: '5' });
  // @ts-expect-error a filter is no object
  await seller.get('/v1/items', { status: { open: true } });
  // @ts-expect-error the second parameter of post is the body, the third has the options
  await seller.post('/v1/items', {}, { idempotency_key: 'shelf-7' });
  // @ts-expect-error the feed has pages
  for await (const event of seller.events()) event.id;
  await verifyWebhook('whsec_', { 'Webhook-Id': ['evt_1'], cookie: undefined }, new ArrayBuffer(1));
  await verifyWebhook('whsec_', new Headers(), Buffer.from(''));
  await verifyWebhook('whsec_', ['Webhook-Id', 'evt_1'], '');
  await verifyWebhook('whsec_', new Map([['Webhook-Id', 'evt_1']]), '');
  // @ts-expect-error a parsed body is no longer what was signed
  await verifyWebhook('whsec_', {}, JSON.parse('{}') as { id: string });
  // @ts-expect-error without the headers nothing is verified
  await verifyWebhook('whsec_', 'body');
  // @ts-expect-error a field may be absent
  error.errors.map(({ field }) => field.length);
}
`

// TestNPMTypes lets TypeScript check the client by its JSDoc, its driver, and a program that uses both well and badly. It needs the
// network, so it stands behind a build tag: make npm
func TestNPMTypes(t *testing.T) {
	folder := newFolder(t, []string{"typescript@5.9.3", "@types/node@20.19.43"}, "sellerd.mjs", "testdata/driver.mjs")
	write(t, folder, "mistakes.mts", mistakes)
	tsc := exec.CommandContext(t.Context(), filepath.Join("node_modules", ".bin", "tsc"), "--noEmit", "--strict", "--noUncheckedIndexedAccess",
		"--allowJs", "--checkJs", "--target", "es2022", "--lib", "es2022,dom,dom.iterable,dom.asynciterable", "--module", "nodenext", "--types", "node",
		"--skipLibCheck", "sellerd.mjs", "driver.mjs", "mistakes.mts")
	tsc.Dir = folder
	if out, err := tsc.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// oldPHP has the oldest PHP that the client promises to work with run a program. It has no network: the program's own curl answers.
const oldPHP = `
import { getPHPLoaderModule } from '@php-wasm/node-7-4';
import { loadPHPRuntime, PHP } from '@php-wasm/universal';
import { readFileSync } from 'node:fs';

const php = new PHP(await loadPHPRuntime(await getPHPLoaderModule()));
php.writeFile('/Sellerd.php', readFileSync('Sellerd.php'));
php.writeFile('/try.php', readFileSync('try.php'));
const { text, errors, exitCode } = await php.run({ scriptPath: '/try.php' });
console.log(text + errors + exitCode);
process.exit(0);
`

const tryPHP = `<?php

namespace Sellerd;

error_reporting(-1);
ini_set('display_errors', '1');
set_error_handler(static function (int $level, string $message): bool { throw new \ErrorException($message); });

$answers = [];

/** Stands for the one of the extension, and takes the answers in turn. */
function curl_exec($curl)
{
    global $answers, $status;
    [$status, $body] = array_shift($answers);
    return $body;
}

function curl_getinfo($curl, int $what)
{
    global $status;
    return $status;
}

require '/Sellerd.php';

echo PHP_MAJOR_VERSION, '.', PHP_MINOR_VERSION, "\n";
$seller = new Client('dk_test_1', 'http://localhost', ['deadline' => 20]);

$answers = [[0, false], [503, 'Later'], [202, '{"data":{"id":"sub_1"}}'], [200, '{"data":{"status":"published","item_id":"7"}}']];
$submission = $seller->post('/v1/items', ['title' => 'A']);
echo $seller->waitForSubmission($submission['id'])['item_id'], "\n";

$answers = [[200, '{"data":{"results":[{"id":"1"}],"next_cursor":"c"}}'], [200, '{"data":{"results":[{"id":"2"}],"next_cursor":null}}']];
foreach ($seller->walk('/v1/items', ['status' => ['open', 'sold'], 'has_bids' => true, 'ends_from' => new \DateTimeImmutable()]) as $item) {
    echo $item['id'], "\n";
}

$answers = [[200, '{"data":{"results":[{"id":"evt_1"}],"next_cursor":"c","has_more":false}}']];
foreach ($seller->events(null, false) as $page) {
    echo $page->cursor, ' ', $page->events[0]['id'], "\n";
}

$answers = [[422, '{"errors":[{"code":"too_short","message":"Too short.","field":"title"}]}']];
try {
    $seller->patch('/v1/items/1', ['title' => ''], '"7"');
} catch (ApiError $e) {
    echo $e->getMessage(), ' ', json_encode($e->fields()), "\n";
}

foreach (['http://127.0.0.1:80', 'http://example.com'] as $address) {
    try {
        new Client('dk_test_1', $address);
        echo "taken\n";
    } catch (\InvalidArgumentException $e) {
        echo "refused\n";
    }
}

$now = (string) time();
foreach (['secret', 'another'] as $secret) {
    $signature = 'v1,' . base64_encode(hash_hmac('sha256', "evt_1.$now.{}", 'secret', true));
    try {
        verifyWebhook('whsec_' . base64_encode($secret), ['Webhook-Id' => 'evt_1', 'Webhook-Timestamp' => $now, 'Webhook-Signature' => "v1,x $signature"], '{}');
        echo "verified\n";
    } catch (InvalidSignature $e) {
        echo $e->getMessage(), "\n";
    }
}
`

// TestNPMOldPHP lets PHP 7.4 run the client. Debian has newer ones only, which run the other tests. It needs the network, so it stands
// behind a build tag: make npm
func TestNPMOldPHP(t *testing.T) {
	folder := newFolder(t, []string{"@php-wasm/node-7-4@3.1.54", "@php-wasm/universal@3.1.54"}, "Sellerd.php")
	write(t, folder, "run.mjs", oldPHP)
	write(t, folder, "try.php", tryPHP)
	php := exec.CommandContext(t.Context(), "node", "run.mjs")
	php.Dir, php.Stderr = folder, t.Output()
	out, err := php.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "7.4\n7\n1\n2\nc evt_1\ntoo_short: Too short. (field title) {\"title\":\"Too short.\"}\ntaken\nrefused\nverified\nno signature matches: check that the secret is this webhook's, and that the body is what arrived, byte for byte\n0"
	if diff := cmp.Diff(want, strings.TrimSpace(string(out))); diff != "" {
		t.Error(diff)
	}
}
