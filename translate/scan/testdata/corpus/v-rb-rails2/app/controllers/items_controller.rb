class ItemsController < ApplicationController
  def destroy
    Delcampe::Item.find(params[:id]).destroy!('TestItem')
    redirect_to "/item/#{params[:id]}"
  end
end
