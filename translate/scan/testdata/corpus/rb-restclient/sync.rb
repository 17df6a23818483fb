require 'rest-client'
URL = "https://rest.delcampe.net/%s"
def run(ids)
  ids.each do |id|
    RestClient.put(URL % "item/#{id}", qty: 1)
    RestClient::Request.execute(method: :delete, url: format(URL, "item/#{id}"), payload: { reason: 'TestItem' })
  end
  RestClient.post "https://rest.delcampe.net/notification/test", notificationType: 'Curl_Default'
end
