// Keeps the operator's page as it would be after a reload. It asks for the page it is on, and changes only what differs,
// so that focus, selection and scroll position stay. Without it the pages work all the same.

const live = document.getElementById('live');
const liveness = document.getElementById('liveness');
const every = Number(live.dataset.every) * 1000;
/** The answer to a refused form stays as it is. */
const isStill = live.dataset.every === undefined;
const MAX_PAUSE = 30_000;

let etag = '';
let failures = 0;
let timer;

function say(words, tone) {
  if (liveness.textContent === words) return;
  liveness.textContent = words;
  liveness.dataset.tone = tone;
}

function copyAttributes(from, to) {
  for (const { name } of [...to.attributes]) if (!from.hasAttribute(name)) to.removeAttribute(name);
  for (const { name, value } of from.attributes) if (to.getAttribute(name) !== value) to.setAttribute(name, value);
}

function isAlike(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id ?? '') === (b.id ?? '');
}

// Makes the children of `current` those of `next`; an element with an id stays the same element wherever it can.
function patchChildren(current, next) {
  const wanted = new Set([...next.children].map((child) => child.id).filter((id) => id !== ''));
  for (const child of [...current.children]) if (child.id !== '' && !wanted.has(child.id)) child.remove();
  let cursor = current.firstChild;
  for (const child of [...next.childNodes]) {
    const known = child.id ? [...current.children].find(({ id }) => id === child.id) : undefined;
    if (known !== undefined && known !== cursor) current.insertBefore(known, cursor);
    const place = known ?? cursor;
    if (place !== null && isAlike(place, child)) {
      cursor = place.nextSibling;
      patch(place, child);
    } else {
      current.insertBefore(document.importNode(child, true), cursor);
    }
  }
  while (cursor !== null) {
    const rest = cursor.nextSibling;
    cursor.remove();
    cursor = rest;
  }
}

function patch(current, next) {
  if (current.isEqualNode(next)) return;
  if (current.nodeType === Node.ELEMENT_NODE) {
    copyAttributes(next, current);
    patchChildren(current, next);
  } else {
    current.nodeValue = next.nodeValue;
  }
}

function show(text) {
  const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('live');
  if (fresh === null) return;
  const focused = document.activeElement;
  patch(live, fresh);
  // The focused element was removed: keyboard focus continues at the content, not at the top of the document.
  if (focused !== document.body && !focused.isConnected) document.getElementById('main').focus({ preventScroll: true });
}

async function look() {
  const response = await fetch(location.href, {
    headers: etag === '' ? {} : { 'if-none-match': etag },
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  });
  if (response.status === 401 || (response.ok && !response.headers.has('etag'))) {
    say('You are logged out: reload the page to log in again.', 'bad');
    return false;
  }
  if (response.status !== 304) {
    if (!response.ok) throw new Error(`answered ${response.status}`);
    show(await response.text());
    etag = response.headers.get('etag') ?? '';
  }
  failures = 0;
  say('Live', 'ok');
  return true;
}

async function turn() {
  let goOn = true;
  try {
    goOn = await look();
  } catch {
    failures += 1;
    say('The service does not answer; this page may be out of date.', 'bad');
  }
  if (goOn) schedule(Math.min(every * 2 ** failures, MAX_PAUSE));
}

// A hidden page needs no updates.
function schedule(delay) {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(turn, delay);
}

if (isStill) {
  say('Not updated, because the form was refused.', 'bad');
} else {
  document.addEventListener('visibilitychange', () => schedule(0));
  schedule(every);
}
