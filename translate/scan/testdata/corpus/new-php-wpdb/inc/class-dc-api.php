<?php
class DC_Api {
	/** @var string */
	private $endpoint = 'https://rest.delcampe.net/rest/%s';

	public function __call( $name, $args ) {
		throw new BadMethodCallException( $name );
	}

	public function request( $method, $what, $params = array() ) {
		$url  = sprintf( $this->endpoint, $what );
		$args = array( 'method' => strtoupper( $method ), 'timeout' => 30 );
		if ( 'GET' === $args['method'] ) {
			$url = add_query_arg( $params, $url );
		} else {
			$args['body'] = $params;
		}
		$res = wp_remote_request( $url, $args );
		return is_wp_error( $res ) ? null : simplexml_load_string( wp_remote_retrieve_body( $res ) );
	}

	public function reasons() { return $this->request( 'get', 'item/closeReasons' ); }
	public function add_item( $data ) { return $this->request( 'post', 'item', $data ); }
	public function close_item( $id, $r ) { return $this->request( 'delete', 'item/' . absint( $id ), array( 'reason' => $r ) ); }
	public function test( $type ) { return $this->request( 'post', 'notification/test', array( 'notificationType' => $type ) ); }
}
$x = ( new DC_Api() )->request( 'GET', 'server/time' );
