// A Farcaster client shows a splash screen over a mini app until the app calls `ready`. These are the messages of
// https://miniapps.farcaster.xyz/docs/sdk that this page sends, in the wire format of comlink.

const native = window.ReactNativeWebView;
/** What waits for the answer to a message, by its id. */
const waiting = new Map();

/** @param {unknown} data */
function take(data) {
  const resolve = waiting.get(data?.id);
  waiting.delete(data?.id);
  resolve?.(data.value);
}

/**
 * Asks the client. Without one, or from a client that does not know the question, there is never an answer.
 * @param {'APPLY' | 'GET'} type @param {string} name @param {readonly unknown[]} values
 */
function ask(type, name, values = []) {
  const id = crypto.randomUUID?.() ?? String(performance.now());
  const argumentList = values.map((value) => ({ type: 'RAW', value }));
  const message = { id, type, path: [name], ...(type === 'APPLY' && { argumentList }) };
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  // No message has anything secret, so it may go to any parent frame.
  if (native) native.postMessage(JSON.stringify(message));
  else if (window.parent !== window) window.parent.postMessage(message, '*');
  return answer;
}

if (native) document.addEventListener('FarcasterFrameCallback', ({ data }) => take(data));
else window.addEventListener('message', ({ source, data }) => source === window.parent && take(data));

ask('APPLY', 'ready', [{}]);

// The button is shown in a client that has not added the mini app: it notifies those who have.
const add = document.getElementById('add-app');
if (add !== null) {
  ask('GET', 'context').then((context) => {
    add.hidden = context?.client?.added !== false;
  });
  add.addEventListener('click', async () => {
    add.disabled = true;
    const answer = await ask('APPLY', 'addMiniApp');
    add.disabled = false;
    add.hidden = answer?.result !== undefined;
  });
}
