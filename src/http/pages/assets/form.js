// Keeps what was typed into a form while its tab is open, also when the session has ended in between, and shows at once what
// the server says of it. Without it the form works all the same: "Preview" and "Save" ask the server.

const form = document.querySelector('form[data-draft]');
/** Of one owner, and of the terms that a gig had when its form was loaded: others are not overwritten. */
const name = `draft ${form?.dataset.draftOf} ${location.pathname}`;
const PAUSE = 700;
let timer;
let asked = 0;

/** What the form would send, without what belongs to the session and the page. */
function typed() {
  return [...new FormData(form)].filter(([field]) => field !== 'token' && field !== 'key');
}

function restore() {
  const draft = JSON.parse(sessionStorage.getItem(name) ?? '[]');
  for (const [field, value] of draft) {
    const control = form.elements.namedItem(field);
    if (control !== null) control.value = value;
  }
  // A restored field may be in the closed part of the form.
  if (draft.some(([field, value]) => form.querySelector(`details [name="${CSS.escape(field)}"]`) && value !== '')) {
    form.querySelector('details').open = true;
  }
  return draft.length > 0;
}

async function preview() {
  asked += 1;
  const own = asked;
  const body = new URLSearchParams([...new FormData(form), ['preview', '1']]);
  const response = await fetch(form.action, { method: 'POST', body, redirect: 'error' }).catch(() => null);
  const text = response === null ? '' : await response.text();
  const shown = new DOMParser().parseFromString(text, 'text/html').getElementById('preview');
  // An answer that comes after that to a later question is of what stood here before.
  if (shown !== null && own === asked) document.getElementById('preview').replaceChildren(...shown.childNodes);
}

function renew() {
  clearTimeout(timer);
  timer = setTimeout(preview, PAUSE);
}

if (form === null) {
  // The page of a gig, right after its form was taken.
  if (location.hash === '#saved') {
    for (const path of ['/my/gigs/new', '/edit']) {
      for (const key of Object.keys(sessionStorage)) if (key.endsWith(path)) sessionStorage.removeItem(key);
    }
  }
} else {
  form.addEventListener('input', () => {
    sessionStorage.setItem(name, JSON.stringify(typed()));
    renew();
  });
  if (form.dataset.draft === 'empty' && restore()) renew();
}
