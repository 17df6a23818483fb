our $API = 'https://rest.delcampe.net/rest';
our $KEY = 'x';
1;
