module Delcampe
  class Base
    include HTTParty
    base_uri Rails.configuration.x.delcampe_url
    format :xml

    class << self
      def authed(extra = {})
        { query: { token: Token.current }.merge(extra) }
      end
    end
  end

  class Item < Base
    def self.find(id) = get("/item/#{id}", authed)

    def self.sold(kind, page: 0)
      get("/item/#{kind}/sold", authed(startingItem: page * 50))
    end

    def destroy!(reason)
      self.class.delete("/item/#{id}", body: { reason: reason }, **self.class.authed)
    end
  end

  class Token < Base
    def self.current
      Rails.cache.fetch('delcampe-token', expires_in: 20.minutes) do
        post('/seller', body: { apikey: Rails.application.credentials.delcampe_key })['Notification']
      end
    end
  end
end
