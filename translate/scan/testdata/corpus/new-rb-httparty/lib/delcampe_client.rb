require 'httparty'

# Delcampe client: DelcampeClient.new(key).sold
class DelcampeClient
  include HTTParty
  base_uri ENV.fetch('DELCAMPE_URL', 'https://rest.delcampe.net/rest')
  format :xml

  PATHS = {
    sold: '/item/fixedprice/sold',
    opened: '/item/fixedprice/opened'
  }.freeze

  def initialize(key)
    @token = self.class.post('/seller', body: { apikey: key }).dig('Notification', 'token')
  end

  def sold(page = 0)
    self.class.get(PATHS[:sold], query: auth.merge(startingItem: page * 100, numberOfItems: 100))
  end

  def opened
    get PATHS.fetch(:opened), query: auth
  end

  def close(id, reason: 'NotAvailableItem')
    self.class.delete("/item/#{id}", query: auth, body: { reason: reason })
  end

  def create(listing)
    response = self.class.post '/item', query: auth, body: listing.to_h
    raise "POST /item failed: #{response.code}" unless response.success?
    response
  end

  private

  def get(path, **opts)
    self.class.get(path, **opts)
  end

  def auth
    { token: @token }
  end
end
