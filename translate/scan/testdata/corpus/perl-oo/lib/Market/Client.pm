package Market::Client;
# Delcampe client
use constant BASE => 'https://rest.delcampe.net';

sub new { my ($class, %args) = @_; return bless { %args }, $class; }

sub _request {
    my ($self, $method, $path, $fields) = @_;
    my $req = HTTP::Request->new($method, BASE . $path);
    $req->content(_encode($fields));
    return $self->{ua}->request($req);
}

sub categories { my $self = shift; return $self->_request('GET', '/category'); }

sub restart {
    my ($self, $id) = @_;
    return $self->_request('POST', "/item/$id/restart");
}

sub settings { $_[0]->_request(GET => '/notification/settings') }
1;
