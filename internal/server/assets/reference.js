// Leads from a place of the one page that the reference was, to the page that describes it today: /docs#tag/items/getItem.
'use strict';

// A member was named behind the operation: getItem.responses.200.
const [, tag, operation] = location.hash.match(/^#tag\/([^/]+)\/(\w+)/) ?? [];
if (operation) location.replace(`/docs/reference/${tag}/${operation}`);
