require 'typhoeus'
require 'open-uri'
class DelcampeMarket
  HOST = ENV['DELCAMPE_HOST'] || 'https://rest.delcampe.net'
  PATHS = { sold: '/item/auction/sold', models: '/shippingModels' }.freeze

  def close(id) = Typhoeus.delete("#{HOST}/item/#{id}", body: { reason: 'TestItem' })

  def sold
    URI.open(HOST + PATHS[:sold]).read
  end

  def update(id, fields)
    request(:put, "/item/#{id}", fields)
  end

  def restart(id)
    request :post, "/item/#{id}/restart"
  end

  def request(verb, path, body = nil)
    Typhoeus::Request.new(HOST + path, method: verb, body: body).run
  end
end
