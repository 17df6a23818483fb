Rails.application.configure do
  config.x.delcampe_url = 'https://rest.delcampe.net/rest'
end
