# frozen_string_literal: true

require 'net/http'
require 'rexml/document'

# Minimal client.
module Delcampe
  HOST = 'rest.delcampe.net'

  class Error < StandardError; end

  class << self
    attr_accessor :token

    def login(apikey)
      doc = request(Net::HTTP::Post, 'seller', apikey: apikey)
      self.token = doc.elements['//token'].text
    end

    def item(id)
      request(Net::HTTP::Get, "item/#{id}")
    end

    def edit(id, attributes)
      request(Net::HTTP::Put, "item/#{id}", attributes)
    end

    def withdraw(id, reason: 'NotAvailableItem')
      request Net::HTTP::Delete, "item/#{id}", reason: reason
    end

    %w[auction fixedprice].each do |type|
      define_method("#{type}_sold") do |start = 0|
        request(Net::HTTP::Get, "item/#{type}/sold", startingItem: start)
      end
    end

    def fields(type) = request(Net::HTTP::Get, "item/fields/#{type}")

    private

    def request(klass, path, params = {})
      uri = URI::HTTPS.build(host: HOST, path: "/rest/#{path}")
      params = params.merge(token: token) if token
      uri.query = URI.encode_www_form(params) if klass == Net::HTTP::Get
      req = klass.new(uri)
      req.set_form_data(params) unless klass == Net::HTTP::Get
      res = Net::HTTP.start(uri.host, uri.port, use_ssl: true) { |http| http.request(req) }
      raise Error, "#{res.code} for /item" unless res.is_a?(Net::HTTPSuccess)

      REXML::Document.new(res.body)
    end
  end
end
