<?php
use Illuminate\Support\Facades\Route;
Route::get('/item/{id}', 'ItemController@show');
Route::delete('/item/{id}', 'ItemController@destroy');
Route::post('/notification/test', [NotifyController::class, 'test']);
