Rails.application.routes.draw do
  get '/item/:id', to: 'items#show'
  post '/item', to: 'items#create'
  resources :category, only: %i[index]
end
