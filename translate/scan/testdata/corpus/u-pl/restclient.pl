use REST::Client;
my $client = REST::Client->new();
$client->setHost('https://rest.delcampe.net');
$client->GET("/item/auction/opened?token=$token");
$client->DELETE("/item/$id");
$client->POST('/item', $form, { 'Content-type' => 'application/x-www-form-urlencoded' });
print $client->responseContent();
