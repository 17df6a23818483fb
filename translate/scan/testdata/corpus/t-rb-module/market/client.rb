module Market
  class Client
    include HTTParty
    base_uri 'https://rest.delcampe.net'

    def self.item(id) = get("/item/#{id}")

    def close(id)
      self.class.delete("/item/#{id}", body: { reason: 'NotAvailableItem' })
    end

    def sold
      self.class.get('/item/auction/sold', query: { startingItem: 0 })
    rescue StandardError => e
      raise "GET /item/auction/sold: #{e.message}"
    end
  end
end
