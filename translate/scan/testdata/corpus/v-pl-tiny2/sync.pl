#!/usr/bin/env perl
use v5.20;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use HTTP::Tiny;
use JSON::PP;

use constant {
    BASE  => 'https://rest.delcampe.net/rest',
    LIMIT => 100,
};

my $http = HTTP::Tiny->new(agent => 'sync/1.0');
my $token;

sub call ($verb, $path, $form = undef) {
    my $url = BASE . $path . ($token ? "?token=$token" : '');
    my $res = $form ? $http->post_form($url, $form) : $http->request($verb, $url);
    die "$verb /item: $res->{status}" unless $res->{success};
    return $res->{content};
}

($token) = call('POST', '/seller', { apikey => $ENV{KEY} }) =~ /<token>(.*?)</;
for my $id (@ARGV) {
    say call('GET', "/item/$id");
    $http->delete(BASE . "/item/$id?token=$token&reason=NotAvailableItem");
}
say call(GET => '/category');
my $wp = 'https://wp.example.com/wp-json';
$http->get("$wp/rest/item/4");
