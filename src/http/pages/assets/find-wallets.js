// Finds the wallets of this browser, and tells the script before it of each by an event "wallet-found". A wallet announces itself
// as EIP-6963 says; an older one is only there.

const found = new Set();

function tell(key, name, provider) {
  if (found.has(key)) return;
  found.add(key);
  document.dispatchEvent(new CustomEvent('wallet-found', { detail: { name, provider } }));
}

window.addEventListener('eip6963:announceProvider', ({ detail }) =>
  tell(detail.info.uuid, detail.info.name, detail.provider),
);
window.dispatchEvent(new Event('eip6963:requestProvider'));
// Wallets announce themselves at once.
setTimeout(() => {
  if (found.size === 0 && window.ethereum !== undefined) tell('window', 'your wallet', window.ethereum);
}, 100);
