#!/usr/bin/perl -w
use strict;
use warnings;
use WWW::Mechanize;
use XML::Simple;
use Getopt::Long;

my %opt = (base => 'https://rest.delcampe.net', days => 7);
GetOptions(\%opt, 'base=s', 'days=i', 'key=s') or die "usage: $0 --key KEY, reads /item/auction/sold\n";

my $mech = WWW::Mechanize->new(autocheck => 0);
$mech->post("$opt{base}/seller", { apikey => $opt{key} });
my $token = XMLin($mech->content)->{Notification_Data}{body}{token};

my %seen;
for my $type (qw(auction fixedprice)) {
    my $start = 0;
    while (1) {
        $mech->get("$opt{base}/item/$type/sold?token=$token&startingItem=$start&numberOfItems=50");
        last unless $mech->success;
        my $list = XMLin($mech->content, ForceArray => ['item'])->{Notification_Data}{body}{item} or last;
        for my $it (@$list) {
            next if $seen{$it->{id_item}}++;
            my $buyer = fetch('item', $it->{id_item}, 'buyer');
            printf "%s\t%s\t%s\n", $it->{id_item}, $it->{title}, $buyer->{nickname};
        }
        $start += 50;
    }
}

sub fetch {
    my @parts = @_;
    my $url = join('/', $opt{base}, @parts) . "?token=$token";
    my $res = $mech->get($url);
    warn "no answer for /item: " . $res->status_line unless $res->is_success;
    return XMLin($res->decoded_content)->{Notification_Data}{body};
}

=head1 NAME

delcampe-report - reads GET /item/auction/sold

=cut
