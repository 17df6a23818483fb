// Gives each block of code a button that copies it. Without this script the code is selected by hand.
'use strict';

function addCopyButtons(place) {
  for (const caption of place.querySelectorAll('.code:has(> [data-copy]) > figcaption:not(:has(button))')) {
    const code = caption.nextElementSibling;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.className = 'quiet noprint';
    button.addEventListener('click', () => copy(code, button));
    caption.append(button);
  }
}

// Where the clipboard is out of reach, the code is selected for the reader to copy.
async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = 'Selected';
  }
  setTimeout(() => { button.textContent = 'Copy'; }, 3000);
}

addCopyButtons(document);
