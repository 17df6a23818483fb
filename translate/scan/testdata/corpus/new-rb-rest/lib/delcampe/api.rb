# frozen_string_literal: true
require 'rest-client'
require 'yaml'

module Delcampe
  CONFIG = YAML.load_file(File.expand_path('../../config/delcampe.yml', __dir__))

  class Api
    def initialize
      @base = CONFIG['base']
      @root = RestClient::Resource.new(@base, timeout: 20)
    end

    def login!
      @token = RestClient.post("#{@base}/seller", apikey: CONFIG['key']).body[/<token>(.+?)</, 1]
    end

    def close(id, reason = 'TestItem')
      RestClient::Request.execute(method: :delete, url: "#{@base}/item/#{id}?token=#{@token}", payload: { reason: reason })
    end

    def types
      @root['notification/types'].get
    end

    def bulk(items)
      RestClient.post([@base, 'items'].join('/'), { items: items }, params: { token: @token })
    rescue RestClient::Exception => e
      warn "POST /items: #{e.message}"
    end

    %w[auction fixedprice].each do |kind|
      define_method("#{kind}_opened") do
        RestClient.get("#{@base}/item/#{kind}/opened?token=#{@token}")
      end
    end
  end
end
