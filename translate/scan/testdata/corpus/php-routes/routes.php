<?php
// The shop's own site, also sells on Delcampe
Route::get('/item/{id}', 'ItemController@show');
Route::post('/item', 'ItemController@store');
$app->get('/category', function ($request, $response) { return $response; });
$router->delete('/item/{id}', [ItemController::class, 'destroy']);
header('Location: /item/' . $id);
redirect('/seller');
$view->render('/item/list.php');
include 'item/fields.php';
