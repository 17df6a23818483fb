RSpec.describe Delcampe do
  it 'reads items' do
    stub_request(:get, 'https://api.example.org/item/12').to_return(body: '<Notification/>')
    expect(Delcampe.item(12)).to be
  end
end
