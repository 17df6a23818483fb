require 'faraday'

class Market
  def conn
    @conn ||= Faraday.new(url: ENV.fetch('DELCAMPE_URL', 'https://rest.delcampe.net')) { |f| f.request :url_encoded }
  end

  def sold(start: 0)
    conn.get('item/fixedprice/sold', startingItem: start, numberOfItems: 100)
  end

  def rate(id, score)
    conn.post("item/#{id}/feedback") { |req| req.body = { feedback: score } }
  end

  def unsubscribe(id)
    conn.delete "notification/#{id}"
  end

  %w(opened closed).each do |state|
    define_method(state) do
      HTTParty.get("https://rest.delcampe.net/item/auction/#{state}")
    end
  end
end
