// Keeps the page as it is now, and sends its forms. Without it the forms lead back to the page.

const RETRY_MS = 1_500;
/** The attributes that the viewer controls: the server's markup does not change them. */
const PERSONAL = ['open', 'aria-busy'];
const [connection, outcome] = ['connection', 'outcome'].map((id) => document.getElementById(id));
/** The id of the element that will say how the last thing ends that was done. */
let awaited = '';

function patch(current, next) {
  if (current.isEqualNode(next)) return;
  if (current.nodeType !== Node.ELEMENT_NODE) {
    current.nodeValue = next.nodeValue;
    return;
  }
  // A switch follows the server only when the server's own view of it has changed.
  if (current.matches('input') && current.defaultChecked !== next.defaultChecked) current.checked = next.defaultChecked;
  for (const { name } of [...current.attributes]) {
    if (!next.hasAttribute(name) && !PERSONAL.includes(name)) current.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (current.getAttribute(name) !== value) current.setAttribute(name, value);
  }
  patchChildren(current, next);
}

/** Makes the children of `current` those of `next`, and keeps every element that is in both, with focus and scroll. */
function patchChildren(current, next) {
  const named = new Map([...current.children].filter(({ id }) => id).map((child) => [child.id, child]));
  let cursor = current.firstChild;
  for (const child of [...next.childNodes]) {
    const known = named.get(child.id);
    if (known !== undefined && known !== cursor) current.insertBefore(known, cursor);
    const place = known ?? cursor;
    if (place !== null && place.nodeName === child.nodeName && (place.id ?? '') === (child.id ?? '')) {
      cursor = place.nextSibling;
      patch(place, child);
    } else {
      current.insertBefore(child, cursor);
    }
  }
  while (cursor !== null) {
    const rest = cursor.nextSibling;
    cursor.remove();
    cursor = rest;
  }
}

function say(message, ok) {
  outcome.textContent = message;
  outcome.classList.toggle('bad', !ok);
}

/** How it ended takes the place of what was said at first. */
function settle() {
  const end = document.getElementById(awaited);
  if (end !== null) say(end.textContent, true);
  if (end !== null) awaited = '';
}

/** The browser connects again by itself, unless it was refused. */
function connect() {
  const stream = new EventSource(document.querySelector('[data-stream]')?.dataset.stream ?? '/events');
  const show = (words, tone) => {
    connection.hidden = false;
    connection.textContent = words;
    connection.className = `badge ${tone}`;
  };
  stream.addEventListener('open', () => show('live', 'ok'));
  stream.addEventListener('fragments', ({ data }) => {
    const around = document.activeElement?.closest('[tabindex]');
    for (const [id, markup] of Object.entries(JSON.parse(data))) {
      const template = document.createElement('template');
      template.innerHTML = markup;
      patchChildren(document.getElementById(id), template.content);
    }
    // What had the focus may be gone: the keyboard goes on at the same place.
    if (document.activeElement === document.body) around?.focus();
    settle();
  });
  stream.addEventListener('error', () => {
    show('the sandbox does not answer', 'bad');
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, RETRY_MS);
  });
}

async function act(form, submitter) {
  form.setAttribute('aria-busy', 'true');
  awaited = '';
  say(form.dataset.busy ?? 'asking the service…', true);
  try {
    const body = new URLSearchParams(new FormData(form, submitter));
    const headers = { accept: 'application/json' };
    const answer = await fetch(form.getAttribute('action'), { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}`);
    const { ok, message, later = '' } = await answer.json();
    say(message, ok);
    awaited = later;
    if (ok && form.hasAttribute('data-clear')) form.elements.text.value = '';
    settle();
  } catch (error) {
    say(`That did not reach the sandbox: ${error.message}`, false);
  } finally {
    form.removeAttribute('aria-busy');
  }
}

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (!form.hasAttribute('data-act')) return;
  event.preventDefault();
  if (submitter?.hasAttribute('data-suggest')) {
    // A suggested text can still be changed.
    const { author, text } = form.elements;
    text.value = submitter.value.replace('{address}', author.selectedOptions[0].dataset.address);
    text.focus();
  } else if (form.getAttribute('aria-busy') !== 'true') act(form, submitter);
});
document.addEventListener('change', ({ target: { form } }) => {
  if (form?.hasAttribute('data-now')) act(form, null);
});
document.addEventListener('keydown', ({ key, ctrlKey, metaKey, target }) => {
  const isPost = key === 'Enter' && (ctrlKey || metaKey) && target.matches('textarea');
  if (isPost) target.form.requestSubmit(target.form.querySelector('button.primary'));
});

document.documentElement.classList.add('scripted');
connect();
