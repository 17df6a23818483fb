<?php
  require('includes/application_top.php');
  require(DIR_WS_CLASSES . 'delcampe_export.php');
  $d = new delcampe_export(DELCAMPE_API_KEY);
  switch ($HTTP_GET_VARS['action']) {
    case 'insert': $d->insert($HTTP_GET_VARS['pID']); tep_redirect(tep_href_link('delcampe.php')); break;
    case 'category':
      $cats = $d->_transfer(DIR_DELCAMPE_URL . '/category?token=' . $d->token . '&id_parent=' . $cPath);
      foreach ($cats->Notification_Data->body->category as $c) echo '<option value="' . $c->id_category . '">' . $c->name . '</option>';
      break;
  }
?>
<a href="<?php echo tep_href_link('categories.php', 'cPath=' . $cPath); ?>">/category</a>
