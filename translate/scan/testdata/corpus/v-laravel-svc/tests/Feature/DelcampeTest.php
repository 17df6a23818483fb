<?php
use Illuminate\Support\Facades\Http;
it('closes', function () {
    Http::fake(['rest.delcampe.net/rest/item/*' => Http::response('<Notification/>')]);
    $this->delete('/item/12')->assertOk();
    Http::assertSent(fn ($r) => $r->url() === 'https://rest.delcampe.net/rest/item/12' && $r->method() === 'DELETE');
});
