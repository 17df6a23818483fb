#!/usr/bin/perl
use strict;
use warnings;
use HTTP::Tiny;
use XML::Simple;

# talks to delcampe, see DELETE /item/ID in the manual
my $BASE = $ENV{DELCAMPE} || 'https://rest.delcampe.net';
my $http = HTTP::Tiny->new(timeout => 20, agent => 'market.pl/1.2');

my %ep = (
    time   => '/server/time',
    seller => '/seller',
    fields => '/item/fields/auction',
);

sub call {
    my ($method, $path, %form) = @_;
    my $res = $http->request($method, $BASE . $path, {
        content => $http->www_form_urlencode(\%form),
        headers => { 'Content-Type' => 'application/x-www-form-urlencoded' },
    });
    die "$method $path: $res->{status}\n" unless $res->{success};
    return XMLin($res->{content});
}

my $token = call('POST', $ep{seller}, apikey => shift @ARGV)->{Notification_Data}{body}{token};
print call(GET => $ep{time})->{Notification_Data}{body}, "\n";
my $fields = call('GET', "$ep{fields}?token=$token");
for my $ref (@ARGV) {
    my $item = call('GET', "/item/reference/$ref?token=$token");
    call(DELETE => "/item/$item->{id_item}?token=$token", reason => 'LostOrBrokenItem');
    print "closed /item/$item->{id_item}\n";
}
=head1 NAME

market.pl - GET /item/fixedprice/sold and others

=cut
