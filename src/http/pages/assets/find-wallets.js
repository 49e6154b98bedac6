// Finds the wallets of this browser, and tells the script before it of each once, by an event "wallet-found". A wallet announces
// itself as EIP-6963 says, perhaps more than once and late; an older one is only there, and may come late, too.

const WAIT_MS = 3_000;
const LOOK_MS = 100;

const ids = new Set();
const providers = new Set();

function tell(id, name, provider) {
  if (ids.has(id) || providers.has(provider)) return;
  ids.add(id);
  providers.add(provider);
  document.dispatchEvent(new CustomEvent('wallet-found', { detail: { name, provider } }));
}

window.addEventListener('eip6963:announceProvider', ({ detail }) =>
  tell(detail.info.rdns ?? detail.info.uuid, detail.info.name, detail.provider),
);
window.dispatchEvent(new Event('eip6963:requestProvider'));

/** One that announces itself is also there in the old way, as another object perhaps: then it is told by its own name alone. */
function look(until) {
  const { ethereum } = window;
  if (ids.size > 0) return;
  // Wallets announce themselves at once; what is there without it is an old one.
  if (ethereum !== undefined && performance.now() > until - WAIT_MS + LOOK_MS)
    return tell('window', 'your wallet', ethereum);
  if (performance.now() < until) setTimeout(look, LOOK_MS, until);
}

setTimeout(look, LOOK_MS, performance.now() + WAIT_MS);
