<?php
/**
 * Delcampe API.
 *
 * @package DCWC
 */

defined( 'ABSPATH' ) || exit;

class DCWC_API {

	const ROOT = 'https://rest.delcampe.net/rest';

	private static $instance;

	public static function instance() {
		return self::$instance ?? ( self::$instance = new self() );
	}

	/**
	 * Sends.
	 *
	 * @param string $endpoint e.g. item/12
	 * @param array  $args     arguments
	 */
	private function remote( $endpoint, $args = array() ) {
		$args = wp_parse_args( $args, array( 'method' => 'GET', 'timeout' => 20 ) );
		$url  = add_query_arg( 'token', get_transient( 'dcwc_token' ), trailingslashit( self::ROOT ) . ltrim( $endpoint, '/' ) );
		$res  = wp_remote_request( $url, $args );
		if ( is_wp_error( $res ) ) {
			wc_get_logger()->error( 'delcampe: /item ' . $res->get_error_message() );
			return null;
		}
		return simplexml_load_string( wp_remote_retrieve_body( $res ) );
	}

	public function login() {
		$res = wp_remote_post( self::ROOT . '/seller', array( 'body' => array( 'apikey' => get_option( 'dcwc_key' ) ) ) );
		set_transient( 'dcwc_token', (string) simplexml_load_string( $res['body'] )->Notification_Data->body->token, 1500 );
	}

	public function push( WC_Product $product ) {
		$id = $product->get_meta( '_dcwc_id' );
		if ( $id ) {
			return $this->remote( "item/{$id}", array( 'method' => 'PUT', 'body' => $this->fields( $product ) ) );
		}
		return $this->remote( 'item', array( 'method' => 'POST', 'body' => $this->fields( $product ) ) );
	}

	public function categories( $parent = 0 ) {
		return $this->remote( 'category', array( 'body' => array( 'id_parent' => $parent ) ) );
	}

	public function trash( $id ) {
		return $this->remote( 'item/' . absint( $id ), array( 'method' => 'DELETE', 'body' => array( 'reason' => 'NotAvailableItem' ) ) );
	}

	private function fields( $product ) {
		return array( 'item[title]' => $product->get_name(), 'item[fixed_price]' => $product->get_price() );
	}
}

add_action( 'rest_api_init', function () {
	register_rest_route( 'dcwc/v1', '/item/(?P<id>\d+)', array(
		'methods'  => 'GET',
		'callback' => 'dcwc_rest_item',
	) );
} );

function dcwc_sync_external() {
	wp_remote_get( rest_url( 'item/12' ) );
	wp_remote_get( home_url( '/wp-json/item/12' ) );
}
