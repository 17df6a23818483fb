Rails.application.routes.draw do
  resources :items, path: 'item'
  get '/item/:id/buyer', to: 'items#buyer'
  match '/category', to: 'categories#index', via: :get
end
