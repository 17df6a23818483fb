# encoding: utf-8
# Talks to Delcampe: GET /item/auction/sold
require 'net/http'
require 'uri'

module Delcampe
  BASE = 'https://rest.delcampe.net'.freeze

  class Client
    def initialize(token)
      @token = token
      @http = Net::HTTP.new('rest.delcampe.net', 443)
    end

    def item(id)
      Net::HTTP.get(URI.parse("#{BASE}/item/#{id}?token=#{@token}"))
    end

    def close(id, reason)
      request = Net::HTTP::Delete.new("/item/#{id}")
      request.set_form_data('reason' => reason, 'token' => @token)
      @http.request(request)
    end

    def update(id, fields)
      uri = URI("#{BASE}/item/#{id}")
      req = Net::HTTP::Put.new(uri)
      req.set_form_data(fields)
      @http.request(req)
    end

    def create(fields)
      Net::HTTP.post_form(URI(BASE + '/item'), fields)
    end

    def models
      get '/shippingModels'
    end

    def time
      puts "GET /server/time"
      get('/server/time')
    end

    private

    def get(path)
      @http.request(Net::HTTP::Get.new(path + "?token=#{@token}")).body
    end
  end
end
