// Pays what a gig still needs, once. What the wallet says is checked, what is missing is asked of the service right before, and a
// payment whose outcome is not known is not offered again. Without this script the link, its QR code and the address are there.

const buttons = document.getElementById('pay');
const said = document.getElementById('pay-said');
const LOOK_MS = 3_000;
/** EIP-1193 and EIP-1474: with these errors a wallet says that it has sent nothing. One that is disconnected may have. */
const NOT_SENT = new Set([4001, 4100, 4200, -32601, -32602]);
/** What is known of a payment of this gig, in every tab of this browser: `{}` while it is with the wallet, then `{ hash }`. */
const KEPT = `payment ${/^.*\/gigs\/\d+/.exec(location.pathname)?.[0]}`;
let wallet;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const kept = () => JSON.parse(localStorage.getItem(KEPT) ?? 'null');
const keep = (payment) => localStorage.setItem(KEPT, JSON.stringify(payment));

/** Wallets hide the number of a refusal in what they wrap it into. */
function codesOf(error) {
  return [error?.code, error?.data?.originalError?.code, error?.cause?.code].filter((code) => code !== undefined);
}

function wordsOf(error) {
  if (codesOf(error).includes(4001)) return 'You declined in your wallet. Nothing was sent.';
  if (codesOf(error).includes(-32002)) return 'Your wallet waits for you already: open it, and answer there.';
  return `Your wallet answered: ${error?.message ?? error}`;
}

/** Buttons stand only where nothing is under way. */
function offer(isOffered) {
  for (const button of buttons.querySelectorAll('button')) button.disabled = !isOffered;
}

function say(words, release) {
  said.textContent = words;
  if (release === undefined) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'slim';
  button.textContent = release;
  button.addEventListener('click', () => {
    localStorage.removeItem(KEPT);
    say('Nothing is under way.');
    offer(true);
  });
  said.append(' ', button);
}

/** What the gig still needs, asked of the chain now: a payment link and its transaction, or null for nothing. */
async function missing() {
  const response = await fetch(buttons.dataset.missing, { cache: 'no-store', redirect: 'error' });
  if (!response.ok) throw new Error('the service cannot read the wallet of the gig just now: try again in a minute');
  return await response.json();
}

async function isOn(provider, chainId) {
  return Number(await provider.request({ method: 'eth_chainId' })) === Number(chainId);
}

/** Brings the wallet to the chain. Whether it is there is asked of it, not read from how it answers to the wish. */
async function switchTo(provider, { chainId, ...chain }) {
  if (await isOn(provider, chainId)) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    const codes = codesOf(error);
    if (codes.includes(4902))
      await provider.request({ method: 'wallet_addEthereumChain', params: [{ chainId, ...chain }] });
    // One that cannot switch may be switched by hand.
    else if (!codes.includes(-32601)) throw error;
  }
  if (await isOn(provider, chainId)) return;
  throw new Error(`it is on another chain. Switch it to ${chain.chainName}, then try again`);
}

/** Follows a transaction until the service sees the money, the chain has refused it, or its owner says that it was not sent. */
async function follow(hash, provider) {
  for (;;) {
    const receipt = await (provider ?? wallet)
      ?.request({ method: 'eth_getTransactionReceipt', params: [hash] })
      .catch(() => null);
    if (Number(receipt?.status ?? 1) === 0) {
      localStorage.removeItem(KEPT);
      say(`The chain has refused ${hash}: nothing was paid.`);
      return offer(true);
    }
    say(
      receipt ? `Confirmed: ${hash}. The gig sees it within a minute.` : `Sent: ${hash}. Do not pay again.`,
      'It was not sent',
    );
    const { uri } = await missing().catch(() => ({ uri: undefined }));
    if (uri === null) {
      localStorage.removeItem(KEPT);
      return location.reload();
    }
    if (kept()?.hash !== hash) return offer(kept() === null);
    await pause(LOOK_MS);
  }
}

async function send(provider) {
  const { uri, call, chain } = await missing();
  if (uri === null) return say('Nothing is missing any more: reload the page.');
  const [from] = await provider.request({ method: 'eth_requestAccounts' });
  await switchTo(provider, chain);
  const again = await missing();
  if (again.uri !== uri) throw new Error('the gig needs something else by now. Reload the page');
  keep({});
  let hash;
  try {
    const params = [{ from, chainId: chain.chainId, ...call }];
    hash = await provider.request({ method: 'eth_sendTransaction', params });
  } catch (error) {
    if (codesOf(error).some((code) => NOT_SENT.has(code))) {
      localStorage.removeItem(KEPT);
      throw error;
    }
    // It may have been sent, or be sent later.
    return say(
      `${wordsOf(error)}. It may have been sent all the same: look into your wallet before you pay again.`,
      'It was not sent',
    );
  }
  keep({ hash });
  await follow(hash, provider);
}

async function pay(provider) {
  offer(false);
  say('Waiting for your wallet.');
  try {
    // Two tabs never ask at the same time.
    await navigator.locks.request(KEPT, { ifAvailable: true }, async (lock) => {
      if (lock === null || kept() !== null) return say('Another tab pays already.', 'It was not sent');
      await send(provider);
    });
  } catch (error) {
    say(wordsOf(error));
    offer(true);
  }
}

let isFollowing = false;
/** What was under way before this page was loaded, or is in another tab. */
function resume() {
  const payment = kept();
  if (payment === null) return;
  offer(false);
  if (payment.hash === undefined) {
    say('A payment was with your wallet when you left. Look there whether it was sent.', 'It was not sent');
  } else if (!isFollowing) {
    isFollowing = true;
    follow(payment.hash).finally(() => {
      isFollowing = false;
      resume();
    });
  }
}

if (buttons !== null && said !== null) {
  document.addEventListener('wallet-found', ({ detail: { name, provider } }) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'primary';
    button.textContent = `Pay with ${name}`;
    button.addEventListener('click', () => pay(provider));
    buttons.append(button);
    wallet ??= provider;
    resume();
  });
  window.addEventListener('storage', ({ key }) => key === KEPT && resume());
  resume();
} else if (document.getElementById('pay-unknown') === null) {
  // Nothing is missing: what was under way has arrived.
  localStorage.removeItem(KEPT);
}
