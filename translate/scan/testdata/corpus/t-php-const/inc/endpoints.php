<?php
namespace Inc;

abstract class Endpoints
{
    const HOST = 'https://rest.delcampe.net';
    const SELLER = '/seller';
    const SOLD = '/item/fixedprice/sold';
    const ONE = '/item/%s';
    const MAILS = '/notification/settings';
}
