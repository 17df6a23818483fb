<?php
final class ItemsTest extends TestCase
{
    public function testShow(): void
    {
        $this->requests->expects($this->once())->method('createRequest')->with('GET', 'https://rest.delcampe.net/rest/item/12?token=t');
        (new Items($this->client, $this->requests, $this->streams, 't'))->show(12);
    }
}
