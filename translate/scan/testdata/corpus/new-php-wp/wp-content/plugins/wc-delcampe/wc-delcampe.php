<?php
/*
Plugin Name: WC Delcampe Sync
Version: 0.9
*/
if ( ! defined( 'ABSPATH' ) ) exit;

class WC_Delcampe {

	const API = 'https://rest.delcampe.net/';

	public static function init() {
		add_action( 'rest_api_init', array( __CLASS__, 'routes' ) );
		add_action( 'woocommerce_update_product', array( __CLASS__, 'push' ), 10, 1 );
		add_action( 'wcd_hourly', array( __CLASS__, 'pull' ) );
	}

	public static function routes() {
		register_rest_route( 'wcd/v1', '/item/(?P<id>\d+)', array( 'methods' => 'GET', 'callback' => array( __CLASS__, 'one' ) ) );
		register_rest_route( 'wcd/v1', '/category', array( 'methods' => 'GET', 'callback' => array( __CLASS__, 'cats' ) ) );
	}

	public static function session() {
		$token = get_transient( 'wcd_token' );
		if ( false !== $token ) return $token;
		$response = wp_remote_post( self::API . 'seller', array(
			'timeout' => 20,
			'body'    => array( 'apikey' => get_option( 'wcd_key' ) ),
		) );
		if ( is_wp_error( $response ) ) return '';
		$xml   = simplexml_load_string( wp_remote_retrieve_body( $response ) );
		$token = (string) $xml->Notification_Data->body->token;
		set_transient( 'wcd_token', $token, 25 * MINUTE_IN_SECONDS );
		return $token;
	}

	public static function push( $post_id ) {
		$product = wc_get_product( $post_id );
		$id      = get_post_meta( $post_id, '_delcampe_id', true );
		$args    = array(
			'method' => $id ? 'PUT' : 'POST',
			'body'   => array( 'title' => $product->get_name(), 'personal_reference' => $product->get_sku() ),
		);
		$url = self::API . 'item' . ( $id ? '/' . $id : '' );
		$url = add_query_arg( 'token', self::session(), $url );
		wp_remote_request( $url, $args );
	}

	public static function remove( $id ) {
		$response = wp_safe_remote_request( self::API . "item/{$id}?token=" . self::session(), array(
			'method' => 'DELETE',
			'body'   => array( 'reason' => 'NotAvailableItem' ),
		) );
		return 200 === wp_remote_retrieve_response_code( $response );
	}

	public static function pull() {
		foreach ( array( 'auction', 'fixedprice' ) as $kind ) {
			$r = wp_remote_get( self::API . 'item/' . $kind . '/sold?token=' . self::session() );
			self::import( $r );
		}
		$posts = wp_remote_get( rest_url( 'wp/v2/posts' ) );
		$orders = wp_remote_get( 'https://shop.example.org/wp-json/wc/v3/orders' );
		$users = wp_remote_get( 'https://public-api.wordpress.com/rest/v1.1/me' );
	}
}
WC_Delcampe::init();
