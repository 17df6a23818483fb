// Shows the code of all tabs in the language that was chosen last, on this page or another. It is loaded before the first tabs, so that nothing
// moves when they appear. Without this script the first language is shown; without any script all of them are.
'use strict';

const languageKey = 'code-language'; // of what is stored: the name of a language, and nothing else

function storedLanguage() {
  try {
    return localStorage.getItem(languageKey);
  } catch {
    return null; // the browser keeps nothing
  }
}

// style.css shows the panels of the language that the root names.
function showLanguage(language) {
  if (language) document.documentElement.dataset.language = language;
  for (const tabs of document.querySelectorAll('.tabs > [role="tablist"]')) {
    const all = [...tabs.children];
    const chosen = all.find((tab) => tab.textContent === language) ?? all[0];
    for (const tab of all) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
    }
  }
}

// The tab stays where it is on the screen, although the blocks above it change, too.
function choose(tab) {
  const { top } = tab.getBoundingClientRect();
  showLanguage(tab.textContent);
  scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: 'instant' });
  try {
    localStorage.setItem(languageKey, tab.textContent);
  } catch {
    // The choice lasts as long as the page.
  }
}

const moves = { ArrowLeft: (i) => i - 1, ArrowRight: (i) => i + 1, Home: () => 0, End: () => -1 };

document.addEventListener('click', ({ target }) => {
  if (target.matches('.tabs [role="tab"]')) choose(target);
});
document.addEventListener('keydown', (event) => {
  const move = moves[event.key];
  if (!move || !event.target.matches('.tabs [role="tab"]')) return;
  event.preventDefault();
  const all = [...event.target.parentElement.children];
  const tab = all.at(move(all.indexOf(event.target)) % all.length);
  choose(tab);
  tab.focus();
});

// A link to a tab shows it.
function linkedLanguage() {
  const linked = document.getElementById(location.hash.slice(1));
  return linked?.matches('.tabs > [role="tabpanel"]') ? linked.getAttribute('aria-label') : null;
}

document.addEventListener('DOMContentLoaded', () => showLanguage(linkedLanguage() ?? storedLanguage()));
addEventListener('hashchange', () => {
  const language = linkedLanguage();
  if (!language) return;
  showLanguage(language);
  document.getElementById(location.hash.slice(1)).scrollIntoView();
});
showLanguage(storedLanguage());
