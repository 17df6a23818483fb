#!/usr/bin/perl -w
use strict;
use LWP::UserAgent;
use HTTP::Request::Common qw(GET POST PUT DELETE);
use URI;
require '/home/shop/etc/delcampe.pl';
our ($API, $KEY);
my $ua = LWP::UserAgent->new;
my $r = $ua->request(POST "$API/seller", [ apikey => $KEY ]);
my ($token) = $r->content =~ m{<token>(.*?)</token>};
my $uri = URI->new("$API/item/auction/sold");
$uri->query_form(token => $token, numberOfItems => 500);
my $sold = $ua->get($uri)->content;
while ($sold =~ m{<id_item>(\d+)</id_item>}g) {
    my $id = $1;
    my $buyer = $ua->get("$API/item/$id/buyer?token=$token");
    $ua->request(DELETE "$API/item/$id?token=$token") if $buyer->code == 404;
    my $req = HTTP::Request->new('POST' => $API . '/item/' . $id . '/feedback');
    $req->content("feedback=100&comment=ok&token=$token");
    $ua->request($req);
}
