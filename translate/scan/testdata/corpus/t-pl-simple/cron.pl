use LWP::Simple;
my %cfg = (host => 'http://rest.delcampe.net', erp => 'http://erp.example.org/rest');
my $xml = get("$cfg{host}/item/fixedprice/closed?token=$ENV{TOKEN}");
my $erp = get("$cfg{erp}/item/12");
my $mech = WWW::Mechanize->new;
$mech->get($cfg{host} . "/category?language=F&idParent=$parent");
$mech->post($cfg{host} . '/item/' . $id . '/restart');
warn "POST /item/$id/restart failed\n";
