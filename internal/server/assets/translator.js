// Translates in place what the form sends otherwise: the same page is fetched, and its result is shown here. Without this
// script the browser shows that page itself.
'use strict';

const form = document.getElementById('translator');
const result = document.getElementById('result');
let latest = 0;

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const mine = ++latest;
  form.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)), credentials: 'omit' });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const shown = page.getElementById('result');
    if (mine !== latest) return;
    if (shown) {
      result.replaceChildren(...shown.childNodes);
      addCopyButtons(result); // of copy.js
    } else {
      say('The service did not answer with a translation. Try again in a moment.');
    }
  } catch {
    if (mine === latest) say('The service cannot be reached. Check the connection and try again.');
  } finally {
    if (mine === latest) form.removeAttribute('aria-busy');
  }
});

// Ctrl-Enter sends what is being written.
form.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

function say(text) {
  const line = document.createElement('p');
  line.className = 'warn';
  line.textContent = text;
  result.replaceChildren(line);
}
