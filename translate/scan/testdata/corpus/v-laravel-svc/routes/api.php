<?php
use Illuminate\Support\Facades\Route;
Route::get('/item/{id}', [ItemController::class, 'show']);
Route::delete('/item/{id}', [ItemController::class, 'destroy']);
Route::post('/items', fn () => 1);
