from mock import patch
from delcampe.api import Api

@patch('urllib2.urlopen')
def test_item(urlopen):
    Api('k').item(7)
    assert urlopen.call_args[0][0].get_full_url() == 'https://example.invalid/rest/item/7'
