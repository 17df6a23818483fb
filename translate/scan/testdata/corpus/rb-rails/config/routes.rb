# Delcampe shop
Rails.application.routes.draw do
  get '/item/:id', to: 'items#show'
  post '/item', to: 'items#create'
  resources :items
  get 'category', to: 'categories#index'
end
