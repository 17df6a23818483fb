// Puts a button beside each command of a page that copies it. Without this script the command is selected by hand.
'use strict';

// A command that has its button already stands in a block of this class.
function addCopyButtons(place) {
  for (const command of place.querySelectorAll(':not(.command) > pre[data-copy]')) {
    const block = document.createElement('div');
    block.className = 'command';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.className = 'quiet noprint';
    button.addEventListener('click', () => copy(command, button));
    command.replaceWith(block);
    block.append(command, button);
  }
}

// Where the clipboard is out of reach, the command is selected for the reader to copy.
async function copy(command, button) {
  try {
    await navigator.clipboard.writeText(command.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(command);
    button.textContent = 'Selected';
  }
  setTimeout(() => { button.textContent = 'Copy'; }, 3000);
}

addCopyButtons(document);
