module Delcampe
  class Client
    BASE_URL = Rails.application.credentials.dig(:delcampe, :url) || 'https://rest.delcampe.net/rest'.freeze

    def conn
      @conn ||= Faraday.new(url: BASE_URL) do |f|
        f.request :url_encoded
        f.adapter Faraday.default_adapter
      end
    end

    def item(id) = conn.get("item/#{id}", token: token).body

    def update(id, attrs)
      conn.put do |req|
        req.url "item/#{id}"
        req.params['token'] = token
        req.body = attrs
      end
    end

    def close(id)
      conn.run_request(:delete, "item/#{id}", { reason: 'NotAvailableItem' }, nil)
    end

    def subscribe(type, url)
      res = conn.post('notification/settings') { |r| r.body = { notificationType: type, destination: url } }
      Rails.logger.info "POST notification/settings: #{res.status}"
    end

    def token
      Rails.cache.fetch('delcampe/token', expires_in: 25.minutes) { conn.post('seller', apikey: ENV['KEY']).body }
    end
  end
end
