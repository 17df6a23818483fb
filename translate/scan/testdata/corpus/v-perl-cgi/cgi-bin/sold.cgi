#!/usr/bin/perl -T
use strict;
use CGI qw(:standard);
use LWP::UserAgent;
use HTTP::Request;
use URI;
use URI::QueryParam;

our %CONF;
do '/etc/shop/delcampe.conf.pl';
my $API = 'https://rest.delcampe.net/rest';
my $ua = new LWP::UserAgent(timeout => 30);

sub api {
    my ($verb, $path, %arg) = @_;
    my $uri = URI->new($API . $path);
    $uri->query_param(token => $arg{token}) if $arg{token};
    my $req = HTTP::Request->new($verb => $uri);
    $req->content_type('application/x-www-form-urlencoded');
    $req->content($arg{body} || '');
    return $ua->request($req);
}

my $token = api(POST => '/seller', body => "apikey=$CONF{key}")->content;
print header, start_html('sold');
my $action = param('action') || 'list';
if ($action eq 'list') {
    my $res = api('GET', '/item/fixedprice/sold', token => $token);
    print pre(escapeHTML($res->content));
    print a({ href => '/item/12' }, 'item');
} elsif ($action eq 'close') {
    my $id = param('id');
    $id =~ s/\D//g;
    api(DELETE => "/item/$id", token => $token, body => 'reason=NotAvailableItem');
} elsif ($action eq 'hooks') {
    print pre(api('GET', '/notification/settings', token => $token)->content);
}
print end_html;
