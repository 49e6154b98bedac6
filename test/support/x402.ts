import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme as ClientScheme } from '@x402/evm/exact/client';
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { createChains, createDepositChains } from '../../src/chain/registry.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { chainById } from '../../src/domain/chains/chain.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../src/domain/operators/actor.ts';
import { readPayment } from '../../src/domain/x402/payment-json.ts';
import { findOrAddToken } from '../../src/services/gigs/terms/tokens.ts';
import { offerX402Token } from '../../src/services/x402/tokens.ts';
import type { Store } from '../../src/store/port/index.ts';
import { anvilClients, freshAccount, fundNative, fundToken, mined, type TestToken, tokenBalance } from './anvil.ts';
import { contractIn } from './compiled.ts';
import { ANVIL } from './payer.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

export const UNIT = 1_000_000n;
/** What the gigs of these tests need: 100 USDC, and a fee of 5. */
export const FUNDING = 105n * UNIT;
export const NETWORK = 'eip155:31337';

const CANCEL = parseAbi(['function cancel(bytes32 nonce)']);

/** A real token that takes authorizations by EIP-3009. */
export async function deployUsdc(url?: string): Promise<TestToken> {
  const { abi, creation } = await contractIn('authorized-token.sol', 'AuthorizedToken');
  const holder = await freshAccount(url);
  const data = encodeDeployData({ abi, bytecode: creation, args: [holder.address, 10n ** 18n] });
  const hash = await anvilClients(url).wallet.sendTransaction({ account: holder, data });
  const { contractAddress } = await mined(hash, url);
  if (!contractAddress) throw new Error('the deployment created no contract');
  const address: Address = `0x${contractAddress.slice(2).toLowerCase()}`;
  return { address, decimals: 6, name: 'USD Coin', symbol: 'USDC', holder };
}

/** An agent with tokens, and without ether. */
export async function agentWith(token: TestToken, amount: bigint, url?: string): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  await fundToken(token, `0x${account.address.slice(2).toLowerCase()}`, amount, url);
  return account;
}

/** Has an account cancel its own authorization. */
export async function cancelAuthorization(token: TestToken, account: PrivateKeyAccount, nonce: Hex, url?: string) {
  const { test, wallet } = anvilClients(url);
  await test.setBalance({ address: account.address, value: 10n ** 18n });
  const data = encodeFunctionData({ abi: CANCEL, args: [nonce] });
  await mined(await wallet.sendTransaction({ account, to: token.address, data }), url);
}

const SEND = parseAbi([
  'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)',
]);

/** Has somebody else send the authorization in a payment's header: anybody can. */
export async function sendAuthorization({ address }: TestToken, header: string, url?: string): Promise<void> {
  const sent = readPayment(header);
  if (sent === null) throw new Error('the payment cannot be read');
  const { payer, amount, validAfter, validBefore, nonce, signature } = sent.authorization;
  const args = [payer, sent.to, amount, BigInt(validAfter), BigInt(validBefore), nonce, signature] as const;
  const data = encodeFunctionData({ abi: SEND, functionName: 'transferWithAuthorization', args });
  const account = await freshAccount(url);
  await mined(await anvilClients(url).wallet.sendTransaction({ account, to: address, data }), url);
}

/** The stock client, which pays by itself: with this token, and as much of it as it is asked for. */
export function stockClient(account: PrivateKeyAccount, token: Pick<TestToken, 'address'>) {
  const client = new x402Client().register(NETWORK, new ClientScheme(account));
  client.setSpendControls({
    allowedAssets: [{ network: NETWORK, asset: token.address }],
    maxAmountPerPayment: false,
  });
  return client;
}

export function stockFetch(
  account: PrivateKeyAccount,
  token: Pick<TestToken, 'address'>,
  send: typeof globalThis.fetch = fetch,
): typeof globalThis.fetch {
  return wrapFetchWithPayment(send, stockClient(account, token));
}

/** What a facilitator does with a request to settle, before or instead of what it should. */
export type FacilitatorFault = 'none' | 'settles and says no' | 'says no' | 'hangs' | 'says yes and does not settle';

/** The stock facilitator, on its own key. */
export async function startFacilitator(url?: string) {
  const account = await freshAccount(url);
  const { public: reader, wallet } = anvilClients(url);
  // The library asks for viem's clients, of which it uses these calls.
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    readContract: (args) => reader.readContract(args as Parameters<typeof reader.readContract>[0]),
    verifyTypedData: (args) => reader.verifyTypedData(args as Parameters<typeof reader.verifyTypedData>[0]),
    writeContract: (args) => wallet.writeContract({ ...args, account } as Parameters<typeof wallet.writeContract>[0]),
    sendTransaction: (args) => wallet.sendTransaction({ ...args, account }),
    waitForTransactionReceipt: ({ hash }) => mined(hash, url),
    getCode: (args) => reader.getCode(args),
  });
  const facilitator = new x402Facilitator().register(NETWORK, new FacilitatorScheme(signer));
  const state = { fault: 'none' as FacilitatorFault, asked: 0 };
  const server = createServer((request, response) => {
    void (async () => {
      state.asked += 1;
      const { paymentPayload, paymentRequirements } = (await json(request)) as {
        paymentPayload: Parameters<typeof facilitator.settle>[0];
        paymentRequirements: Parameters<typeof facilitator.settle>[1];
      };
      const { fault } = state;
      if (fault === 'hangs') return;
      const no = { success: false, errorReason: 'unexpected_settle_error', transaction: '', network: NETWORK };
      const yes = { success: true, transaction: `0x${'1'.repeat(64)}`, network: NETWORK };
      const settled =
        fault === 'says no'
          ? no
          : fault === 'says yes and does not settle'
            ? yes
            : await facilitator.settle(paymentPayload, paymentRequirements).catch(() => no);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(fault === 'settles and says no' ? no : settled));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the facilitator does not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    state,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Has a service take a token for payments, as `token offer --x402` does. */
export async function takeToken(store: Store, token: TestToken, url: string, mnemonic: string): Promise<void> {
  const chain = chainById(ANVIL.id);
  if (chain === undefined) throw new Error('there is no local chain');
  const options = { endpoints: [{ chain, rpcUrls: [url] as const }], clock: Date.now };
  const chains = createDepositChains({ ...options, wallets: createWallets(mnemonic) });
  const shared = { store, clock: Date.now, chains: createChains(options), payers: null };
  const request = { chain, address: token.address, actor: COMMAND_LINE };
  await findOrAddToken(shared, request);
  await offerX402Token({ ...shared, x402: { chains } }, { ...request, isOffered: true });
}

export interface PaidAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly data?: {
      readonly gig_id: number;
      readonly status: string;
      readonly payer: string | null;
      readonly transaction: string | null;
    };
    readonly error?: string;
    readonly code?: string;
    readonly accepts?: readonly { readonly payTo: Address; readonly amount: string }[];
    readonly extensions?: { readonly gig?: { readonly info: { readonly gig_id: number } } };
  };
}

/** A service on a chain with such a token, and agents that pay. */
export async function openPaidWorld(options: WorldOptions = {}) {
  const mnemonic = generateMnemonic(wordlist);
  const world: World = await openWorld({
    ...options,
    env: { GIG_WALLET_MNEMONIC: mnemonic, X402: 'true', RATE_LIMIT_PER_MINUTE: '10000', ...options.env },
  });
  const chainUrl = world.config.chains[0]?.rpcUrls[0] ?? '';
  const token = await deployUsdc(chainUrl);
  await fundNative(createWallets(mnemonic).gasTankAddress(), 10n ** 18n, chainUrl);
  await takeToken(world.runtime.store, token, chainUrl, mnemonic);
  const path = '/api/gigs/create/x402';
  const terms = {
    chain: 'anvil',
    token_address: token.address,
    amount: '100',
    start_time: new Date(Date.now() - 1_000).toISOString(),
    duration: '1day',
    gig_type: 'like',
    url: 'https://farcaster.xyz/alice/0x947a76f1',
    earning_criteria: 'The jury decides.',
  };

  async function create(
    send: typeof globalThis.fetch = fetch,
    { key, header, ...more }: { key?: string; header?: string } & Record<string, unknown> = {},
  ): Promise<PaidAnswer> {
    const headers = {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(header === undefined ? {} : { 'payment-signature': header }),
    };
    const body = JSON.stringify({ ...terms, ...more });
    const response = await send(`${world.url}${path}`, { method: 'POST', headers, body });
    return { status: response.status, headers: response.headers, body: (await response.json()) as PaidAnswer['body'] };
  }

  /** What an agent sends for the gig of this answer. */
  async function signFor(
    account: PrivateKeyAccount,
    required: PaidAnswer,
    changed: (payload: {
      accepted: Record<string, unknown>;
      payload: { authorization: Record<string, unknown> };
    }) => void = () => undefined,
  ): Promise<string> {
    const client = stockClient(account, token);
    // Of our own answer, which the client's schema reads.
    const payload = await client.createPaymentPayload(required.body as never);
    changed(payload as never);
    return Buffer.from(JSON.stringify(payload)).toString('base64');
  }

  return {
    world,
    token,
    chainUrl,
    mnemonic,
    path,
    terms,
    create,
    signFor,
    get store() {
      return world.runtime.store;
    },
    agent: (amount = 1_000n * UNIT) => agentWith(token, amount, chainUrl),
    held: (owner: string) => tokenBalance(token, owner, chainUrl),
    close: world.close,
  };
}

export type PaidWorld = Awaited<ReturnType<typeof openPaidWorld>>;
