#!/usr/bin/perl
use strict;
use warnings;
use LWP::UserAgent;
use HTTP::Request::Common qw(GET POST PUT DELETE);

=pod

Calls GET /item/auction/sold on https://rest.delcampe.net/item/auction/sold

=cut

my $base = 'http://rest.delcampe.net';
my $ua = LWP::UserAgent->new(timeout => 20);

sub login {
    my ($key) = @_;
    my $res = $ua->post("$base/seller", { apikey => $key });
    return $res->content;
}

sub item {
    my $id = shift;
    return $ua->get($base . '/item/' . $id)->content;
}

sub close_item {
    my ($id, $reason) = @_;
    my $req = HTTP::Request->new(DELETE => "$base/item/$id");
    $req->content("reason=$reason");
    return $ua->request($req);
}

sub update_item {
    my ($id, %fields) = @_;
    my $req = PUT "$base/item/$id", Content => [%fields];
    return $ua->request($req);
}

sub buyer {
    my ($id) = @_;
    my $url = sprintf('%s/item/%s/buyer', $base, $id);
    print "GET /item/$id/buyer\n";
    my $request = HTTP::Request->new('GET', $url);
    return $ua->request($request)->decoded_content;
}

for my $state (qw(opened sold)) {
    $ua->get("$base/item/auction/$state");
}
die "cannot DELETE /item/7" unless $ua;
