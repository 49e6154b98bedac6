// Asks a wallet that find-wallets.js has found for its address, or to sign the message that the page shows. Without it
// both can be typed in.

const form = document.querySelector('form[data-wallet]');
const buttons = document.getElementById('wallets');
const said = document.getElementById('wallet-said');

/** EIP-1193 gives each refusal a number. */
function whyNot(error) {
  if (error?.code === 4001) return 'You declined in your wallet.';
  return `Your wallet answered: ${error?.message ?? error}`;
}

function hexOf(text) {
  return `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

async function ask(provider) {
  const [address] = await provider.request({ method: 'eth_requestAccounts' });
  const chain = String(Number(await provider.request({ method: 'eth_chainId' })));
  form.elements.address.value = address;
  const { chain: field } = form.elements;
  if (field.tagName === 'SELECT' && [...field.options].some(({ value }) => value === chain)) field.value = chain;
}

async function sign(provider) {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const { address } = form.dataset;
  if (!accounts.some((account) => account.toLowerCase() === address)) throw new Error(`choose the account ${address}`);
  const message = document.getElementById('message').textContent;
  const signature = await provider.request({ method: 'personal_sign', params: [hexOf(message), address] });
  form.elements.signature.value = signature;
}

async function use(provider) {
  said.textContent = 'Waiting for your wallet.';
  try {
    await (form.dataset.wallet === 'ask' ? ask : sign)(provider);
    said.textContent = '';
    form.requestSubmit();
  } catch (error) {
    said.textContent = whyNot(error);
  }
}

function offer({ detail: { name, provider } }) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'primary';
  button.textContent = form.dataset.wallet === 'ask' ? `Continue with ${name}` : `Sign with ${name}`;
  button.addEventListener('click', () => use(provider));
  buttons.append(button);
}

if (form !== null && buttons !== null && said !== null) document.addEventListener('wallet-found', offer);
