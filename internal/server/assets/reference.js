// Draws the API reference with Scalar, in place of the plain list of operations, which stays where that fails.
'use strict';

// Zod, a part of Scalar, would try whether it may compile code. The page's policy forbids that, so it need not try.
globalThis.__zod_globalConfig = { jitless: true };

const place = document.getElementById('reference');

const configuration = {
  url: place.dataset.document,

  // Where an operation is: internal/reference/anchors.go links to it.
  generateTagSlug: ({ name }) => name.toLowerCase().replaceAll(' ', '-'),
  generateOperationSlug: ({ operationId }) => operationId,

  // The site's own menu lists the operations, and its search finds them.
  showSidebar: false,

  // The samples are those of the document.
  hiddenClients: true,

  // It looks like the rest of the site, see reference.css, and is light or dark as the system is.
  theme: 'none',
  withDefaultFonts: false,
  hideDarkModeToggle: true,

  // No other site learns what is read here, and readers are not asked for a key.
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  proxyUrl: '',
  hideTestRequestButton: true,
  hideClientButton: true,
  persistAuth: false,
  showDeveloperTools: 'never',

  // Its description links to the document for programs, which has no samples.
  documentDownloadType: 'none',
  // Schemas are shown where they are used.
  hideModels: true,
};

function draw() {
  // The renderer brings a main part of its own, and there can be only one.
  const content = document.createElement('div');
  content.id = 'content';
  place.parentElement.replaceWith(content);
  content.append(place);
  place.replaceChildren();
  document.body.classList.add('drawn');

  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
  Scalar.createApiReference(place, configuration);
}

// What the renderer says to screen readers, corrected where that is too little or too much.
const mendings = [
  // Buttons that copy code show a picture only.
  ['button.scalar-code-copy:not([aria-label])', (button) => button.setAttribute('aria-label', 'Copy')],
  // What a button shows belongs to its name, so that one can say it.
  ['button.show-more[aria-label]:not([aria-label*=":"])', (button) => {
    button.setAttribute('aria-label', `${button.textContent.trim()}: ${button.getAttribute('aria-label')}`);
  }],
  // The search shows its list all the time.
  ['input[role="combobox"][aria-controls]:not([aria-expanded])', (input) => input.setAttribute('aria-expanded', 'true')],
  // The page has one header, and the answers of forty operations are no landmarks.
  ['#reference header:not([role])', (header) => header.setAttribute('role', 'none')],
  ['.response-card[role="region"]', (card) => card.setAttribute('role', 'group')],
];

function mend() {
  for (const [selector, change] of mendings) {
    document.querySelectorAll(selector).forEach(change);
  }
}

const renderer = document.createElement('script');
renderer.src = place.dataset.renderer;
renderer.addEventListener('load', draw);
document.head.append(renderer);
