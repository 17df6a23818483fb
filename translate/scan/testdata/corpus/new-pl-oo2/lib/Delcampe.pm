package Delcampe;
use strict;
use warnings;
use Mojo::UserAgent;

sub new {
    my ($class, %args) = @_;
    my $self = { base => $args{base} // 'https://rest.delcampe.net/rest', ua => Mojo::UserAgent->new };
    return bless $self, $class;
}

sub _url {
    my ($self, @parts) = @_;
    return join '/', $self->{base}, @parts;
}

sub login {
    my ($self, $key) = @_;
    my $tx = $self->{ua}->post("$self->{base}/seller" => form => { apikey => $key });
    $self->{token} = $tx->res->dom->at('token')->text;
}

sub close_item {
    my ($self, $id, $reason) = @_;
    return $self->{ua}->delete($self->{base} . "/item/$id" => form => { reason => $reason, token => $self->{token} });
}

sub sold {
    my $self = shift;
    my $url = Mojo::URL->new($self->{base} . '/item/auction/sold')->query(token => $self->{token});
    return $self->{ua}->get($url)->res->dom;
}

sub test { my ($self, $type) = @_; $self->{ua}->post($self->_url('notification', 'test') => form => { notificationType => $type }) }
1;
