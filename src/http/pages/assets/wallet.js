// Pays what the page asks for: chain, token, recipient and amount are those of its EIP-681 link. The wallet shows them and asks.
// Without this script the link, its QR code and the address are there.

const link = document.querySelector('a[href^="ethereum:"]');
const buttons = document.getElementById('pay');
const said = document.getElementById('pay-said');
const LINK = /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)(\/transfer)?\?(.*)$/;

const hex = (digits) => `0x${BigInt(digits).toString(16)}`;
const word = (digits) => BigInt(digits).toString(16).padStart(64, '0');

/** The transaction of a payment link: of a native asset a value, of a token a call of `transfer(address,uint256)`. */
function transactionOf([, to, , transfer, query]) {
  const asked = new URLSearchParams(query);
  if (transfer === undefined) return { to, value: hex(asked.get('value')) };
  return { to, value: '0x0', data: `0xa9059cbb${word(asked.get('address'))}${word(asked.get('uint256'))}` };
}

/** EIP-1193 gives each refusal a number. */
function whyNot(error) {
  if (error?.code === 4001) return 'You declined in your wallet. Nothing was sent.';
  if (error?.code === 4902) return 'Your wallet does not know this chain. Add the chain to it, then try again.';
  return `Your wallet answered: ${error?.message ?? error}`;
}

/** A gig that got too much cannot start, so a payment that is under way, or sent, is not offered again. */
function offer(isOffered) {
  for (const button of buttons.children) button.disabled = !isOffered;
}

async function pay(provider, parts) {
  offer(false);
  said.textContent = 'Waiting for your wallet.';
  try {
    const [from] = await provider.request({ method: 'eth_requestAccounts' });
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex(parts[2]) }] });
    const params = [{ from, ...transactionOf(parts) }];
    const hash = await provider.request({ method: 'eth_sendTransaction', params });
    said.textContent = `Sent: ${hash}. Do not pay again. Reload this page in a minute.`;
  } catch (error) {
    said.textContent = whyNot(error);
    offer(true);
  }
}

const parts = LINK.exec(link?.getAttribute('href') ?? '');
if (parts !== null && buttons !== null && said !== null) {
  document.addEventListener('wallet-found', ({ detail: { name, provider } }) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'primary';
    button.textContent = `Pay with ${name}`;
    button.addEventListener('click', () => pay(provider, parts));
    buttons.append(button);
  });
}
