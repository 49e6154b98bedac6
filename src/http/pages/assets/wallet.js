// Pays what a gig still needs, once. What the wallet says is checked, what is missing is asked of the service right before, and a
// payment whose outcome is not known is not offered again. Without this script the link, its QR code and the address are there.

const buttons = document.getElementById('pay');
const said = document.getElementById('pay-said');
const LOOK_MS = 3_000;
/** Nobody looks at a hidden page. */
const HIDDEN_LOOK_MS = 30_000;
const STARTING_LOOK_MS = 10_000;
/** EIP-1193 and EIP-1474: with these errors a wallet says that it has sent nothing. One that is disconnected may have. */
const NOT_SENT = new Set([4001, 4100, 4200, -32601, -32602]);
/** A payment of this gig, in every tab of this browser: `{}` while it is with the wallet, then `{ hash }` until the service has it. */
const KEPT = `payment ${/^.*\/gigs\/\d+/.exec(location.pathname)?.[0]}`;
/** After so many looks at a confirmed payment with which something is still missing, the rest can be paid. */
const LOOKS = 5;
const NOT_SENT_LABEL = 'It was not sent';
/** The hash of the payment that is followed, or null. */
let following = null;
let isLocked = false;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const kept = () => JSON.parse(localStorage.getItem(KEPT) ?? 'null');
const keep = (payment) => localStorage.setItem(KEPT, JSON.stringify(payment));
/** Another tab may have another one with the wallet by now. */
const forget = (hash) => kept()?.hash === hash && localStorage.removeItem(KEPT);

/** Wallets hide the number of a refusal in what they wrap it into. */
function codesOf(error) {
  return [error?.code, error?.data?.originalError?.code, error?.cause?.code].filter((code) => code !== undefined);
}

function wordsOf(error) {
  if (codesOf(error).includes(4001)) return 'You declined in your wallet. Nothing was sent.';
  if (codesOf(error).includes(-32002)) return 'Your wallet is already waiting: open it, and answer there.';
  return `Your wallet answered: ${error?.message ?? error}`;
}

/** Buttons stand only where nothing is under way. */
function offer(isOffered) {
  isLocked = !isOffered;
  for (const button of buttons.querySelectorAll('button')) button.disabled = !isOffered;
}

/** Says how it stands. @param taken the button by which an owner says that nothing was sent, or absent */
function say(words, taken) {
  said.textContent = words;
  if (taken === undefined) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'slim';
  button.textContent = taken;
  button.addEventListener('click', async () => {
    if (following !== null) await tell('', following);
    localStorage.removeItem(KEPT);
    release('Nothing is under way.');
  });
  said.append(' ', button);
}

function release(words) {
  following = null;
  say(words);
  offer(true);
}

/** Tells the service the payment, or none, in the place of what it knew. @returns whether it has it now */
async function tell(hash, was) {
  const form = document.getElementById('pay-told');
  const body = new URLSearchParams(new FormData(form));
  body.set('hash', hash);
  body.set('was', was ?? '');
  const response = await fetch(form.action, { method: 'POST', body, redirect: 'manual' }).catch(() => null);
  return response?.type === 'opaqueredirect';
}

const isOnItsWay = (sent) => sent !== null && sent.state !== 'confirmed' && sent.state !== 'reverted';

/** What the gig still needs, asked of the chain now: a payment link with its transaction, or null for nothing; and what was sent. */
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
async function follow(hash) {
  if (following === hash) return;
  following = hash;
  offer(false);
  let isTold = false;
  for (let looks = 0; following === hash; await pause(document.hidden ? HIDDEN_LOOK_MS : LOOK_MS)) {
    const { uri, sent } = await missing().catch(() => ({}));
    if (following !== hash) return;
    if (uri === null) {
      localStorage.removeItem(KEPT);
      return location.reload();
    }
    if (sent?.hash === hash) {
      isTold = true;
      forget(hash);
      if (sent.state === 'reverted') return release(`The chain refused ${hash}: nothing was paid.`);
      if (sent.state === 'confirmed') looks += 1;
      if (looks > LOOKS) return release(`Payment confirmed: ${hash}. The gig needs more.`);
    } else if (sent !== undefined) {
      const isOther = isOnItsWay(sent);
      // What was told and is gone was taken back in another browser, or gave place to another payment.
      if (isTold || kept()?.hash !== hash)
        return isOther ? void follow(sent.hash) : release('Another browser says that it was not sent.');
      // One that is on its way already keeps its place until the chain has decided on it.
      if (!isOther) isTold = await tell(hash, sent?.hash);
    }
    const isUnknown = sent?.hash === hash && sent.state === 'unknown';
    if (looks > 0) say(`Payment confirmed: ${hash}. The gig counts it within a minute.`, NOT_SENT_LABEL);
    else if (isUnknown)
      say(
        `Payment sent: ${hash}. The chain does not show it yet, so do not pay again. If your wallet says that it failed or expired, press "${NOT_SENT_LABEL}".`,
        NOT_SENT_LABEL,
      );
    else say(`Payment sent: ${hash}. This page updates when it is confirmed.`, NOT_SENT_LABEL);
  }
}

/** The hash that a wallet names; null for anything else, of which nothing can be asked. */
function hashOf(answer) {
  return typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer) ? answer.toLowerCase() : null;
}

/** It may have been sent, or be sent later. */
function doubt(words) {
  say(`${words}. It may have been sent: check your wallet before you pay again.`, NOT_SENT_LABEL);
}

async function send(provider) {
  const { uri, call, chain, sent } = await missing();
  if (isOnItsWay(sent)) return void follow(sent.hash);
  if (uri === null) return say('The gig needs nothing more. Reload the page.');
  const [from] = await provider.request({ method: 'eth_requestAccounts' });
  await switchTo(provider, chain);
  const again = await missing();
  if (again.uri !== uri || isOnItsWay(again.sent)) throw new Error('the gig now needs something else. Reload the page');
  keep({});
  let hash;
  try {
    const params = [{ from, chainId: chain.chainId, ...call }];
    hash = hashOf(await provider.request({ method: 'eth_sendTransaction', params }));
  } catch (error) {
    if (codesOf(error).some((code) => NOT_SENT.has(code))) {
      localStorage.removeItem(KEPT);
      throw error;
    }
    return doubt(wordsOf(error));
  }
  if (hash === null) return doubt('Your wallet named no transaction');
  keep({ hash });
  // Other tabs find the payment in the browser's storage or at the service.
  void follow(hash);
}

async function pay(provider) {
  offer(false);
  say('Waiting for your wallet.');
  try {
    // Two tabs never ask at the same time.
    await navigator.locks.request(KEPT, { ifAvailable: true }, async (lock) => {
      if (lock === null || kept() !== null) return say('Another tab is paying.', NOT_SENT_LABEL);
      await send(provider);
    });
  } catch (error) {
    say(wordsOf(error));
    offer(true);
  }
}

/** What was under way before this page was loaded, or is in another tab. */
async function resume() {
  const payment = kept() ?? (await missing().catch(() => ({}))).sent;
  if (payment == null || (payment.state !== undefined && !isOnItsWay(payment)))
    return following === null && offer(true);
  if (payment.hash !== undefined) return await follow(payment.hash);
  offer(false);
  say('A payment was in your wallet when you left. Check there whether it was sent.', NOT_SENT_LABEL);
}

if (buttons !== null && said !== null) {
  document.addEventListener('wallet-found', ({ detail: { name, provider } }) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'primary';
    button.textContent = `Pay with ${name}`;
    button.addEventListener('click', () => pay(provider));
    button.disabled = isLocked;
    buttons.append(button);
  });
  window.addEventListener('storage', ({ key }) => key === KEPT && resume());
  // What the page was made with is looked at first.
  if (kept() !== null || said.textContent !== '') resume();
} else if (document.getElementById('pay-unknown') === null) {
  // Nothing is missing: what was under way has arrived.
  localStorage.removeItem(KEPT);
  // A gig that starts by itself is shown live without a hand.
  if (document.getElementById('starting') !== null) setTimeout(() => location.reload(), STARTING_LOOK_MS);
}
