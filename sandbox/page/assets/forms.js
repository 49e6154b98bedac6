const POINTED_MS = 2_500;
/** What was done may take this long to show. */
const PATIENCE_MS = 6_000;

const outcome = document.getElementById('outcome');
const calm = matchMedia('(prefers-reduced-motion: reduce)');
let sought = null;
/** The id of the element that will say what came of the last thing done. */
let awaited = null;

function say(message, ok) {
  if (outcome === null) return;
  outcome.textContent = message;
  outcome.classList.toggle('bad', !ok);
}

/** Brings the element where something shows into view, and marks it for a moment. */
function pointAt(element) {
  element.scrollIntoView({ block: 'nearest', behavior: calm.matches ? 'auto' : 'smooth' });
  element.setAttribute('data-pointed', '');
  setTimeout(() => element.removeAttribute('data-pointed'), POINTED_MS);
}

function seek() {
  if (sought === null) return;
  const element = document.getElementById(sought.id);
  if (element !== null) pointAt(element);
  if (element !== null || Date.now() > sought.until) sought = null;
}

/** What came of it in the end takes the place of what was said at first. */
function settle() {
  const element = awaited === null ? null : document.getElementById(awaited);
  if (element === null) return;
  awaited = null;
  say(element.textContent, true);
}

async function send(form, submitter) {
  const fields = new URLSearchParams(new FormData(form, submitter));
  const answer = await fetch(form.getAttribute('action'), {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: fields,
  });
  if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}`);
  return await answer.json();
}

async function act(form, submitter) {
  form.setAttribute('aria-busy', 'true');
  awaited = null;
  say(form.dataset.busy ?? 'asking the service…', true);
  try {
    const { ok, message, show, later } = await send(form, submitter);
    say(message, ok);
    awaited = later ?? null;
    settle();
    if (ok && form.hasAttribute('data-clear')) form.querySelector('textarea').value = '';
    if (form.hasAttribute('data-now')) return;
    sought = { id: show, until: Date.now() + PATIENCE_MS };
    seek();
  } catch (error) {
    say(`That did not reach the sandbox: ${error.message}`, false);
  } finally {
    form.removeAttribute('aria-busy');
  }
}

/** Puts a suggested text where it can still be changed. */
function suggest(button) {
  const { author, text } = button.form.elements;
  text.value = button.value.replace('{address}', author.selectedOptions[0].dataset.address);
  text.focus();
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!form.hasAttribute('data-act')) return;
  event.preventDefault();
  if (event.submitter?.hasAttribute('data-suggest')) suggest(event.submitter);
  else if (form.getAttribute('aria-busy') !== 'true') act(form, event.submitter);
});

document.addEventListener('change', (event) => {
  const form = event.target.closest('form[data-now]');
  if (form !== null) act(form, null);
});

document.addEventListener('keydown', (event) => {
  const isPost = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.matches('textarea');
  if (isPost) event.target.form.requestSubmit(event.target.form.querySelector('button.primary'));
});

document.addEventListener('fragments', seek);
document.addEventListener('fragments', settle);
document.documentElement.classList.add('scripted');
