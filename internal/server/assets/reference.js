// Leads from a place of the one page that the reference was, to the page that describes it today: /docs#tag/items/getItem.
'use strict';

const [, tag, operation] = location.hash.match(/^#tag\/([^/]+)\/(.+)$/) ?? [];
if (operation) location.replace(`/docs/reference/${tag}/${operation}`);
