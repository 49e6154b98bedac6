import { morph } from './morph.js';

const RETRY_MS = 1_500;

const connection = document.getElementById('connection');

function showConnection(words, tone) {
  if (connection === null) return;
  connection.hidden = false;
  connection.textContent = words;
  connection.className = `badge ${tone}`;
}

function take(event) {
  for (const [id, markup] of Object.entries(JSON.parse(event.data))) {
    const element = document.getElementById(id);
    if (element !== null) morph(element, markup);
  }
  document.dispatchEvent(new CustomEvent('fragments'));
}

/** The browser connects again by itself, unless it was refused. */
function connect() {
  const stream = new EventSource('/events');
  stream.addEventListener('open', () => showConnection('live', 'ok'));
  stream.addEventListener('fragments', take);
  stream.addEventListener('error', () => {
    showConnection('the sandbox does not answer', 'bad');
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, RETRY_MS);
  });
}

connect();
