#!/usr/bin/env ruby
require 'open-uri'
require 'net/https'
require 'nokogiri'
require 'optparse'

options = { base: 'https://rest.delcampe.net', verbose: false }
OptionParser.new do |o|
  o.banner = 'Usage: sell.rb [options], e.g. item/12'
  o.on('-b', '--base URL') { |v| options[:base] = v }
end.parse!

BASE = options[:base]

def post(path, data = {}, verb = :Post)
  uri = URI.join(BASE, path)
  http = Net::HTTP.new(uri.host, uri.port).tap { |h| h.use_ssl = true }
  req = Net::HTTP.const_get(verb).new(uri.request_uri)
  req.set_form_data(data)
  Nokogiri::XML(http.request(req).body)
end

token = post('/seller', 'apikey' => ENV.fetch('KEY')).at('token').text

ARGF.each_line do |line|
  ref, title, price = line.chomp.split(';')
  known = Nokogiri::XML(URI.open("#{BASE}/item/reference/#{ref}?token=#{token}")).at('id_item')
  if known
    post("/item/#{known.text}?token=#{token}", { 'item[fixed_price]' => price }, :Put)
  else
    post("/item?token=#{token}", 'item[title]' => title, 'item[fixed_price]' => price, 'item[personal_reference]' => ref)
  end
  puts "#{ref}: sent to /item"
end
