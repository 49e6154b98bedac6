import { numberToHex } from 'viem';
import type { Address } from '../../domain/gigs/token.ts';
import type { PayerChain } from '../../domain/payments/payer-chain.ts';
import { readBalances } from '../evm/balance.ts';
import { offerBytes } from '../evm/broadcast.ts';
import { FEES_MS, feesOfNow } from '../evm/fees.ts';
import { isKnown } from '../evm/inclusion.ts';
import { nonceCount } from '../evm/nonces.ts';
import { readSanctioned } from '../evm/screening.ts';
import { createEndpoint, type Endpoint, type EndpointOptions, type RpcSession } from '../rpc/endpoint.ts';
import { createManyReads } from '../rpc/many-reads.ts';
import { shareFor } from '../rpc/shared.ts';
import type { Wallets } from '../wallets.ts';
import { findPayer } from './deploy/deploy.ts';
import { findBatch } from './read/batch-inclusion.ts';
import { finalTag, findBlock, isCanonical, readHead } from './read/blocks.ts';
import { readDelegated } from './read/delegated.ts';
import { readMarks } from './read/marks.ts';
import { findPaidEvents, type OnBlocks } from './read/paid-events.ts';
import { publishingCost, transferCost } from './read/publishing.ts';
import { signBatch } from './send/sign.ts';
import { simulatePay } from './send/simulate.ts';

/** How long the measure of what a payment may cost stays the same. */
const TRANSFER_COST_MS = 5_000;

export interface PayerChainOptions extends EndpointOptions {
  readonly wallets: Wallets;
  readonly onBlocks?: OnBlocks | undefined;
}

/** Deployed code is immutable, so contracts that were found are not asked for again. */
function createReadiness(endpoint: Endpoint): () => Promise<boolean> {
  let isReady = false;
  return async () => {
    if (isReady) return true;
    const code = (address: Address) =>
      endpoint.run((rpc) => rpc.data({ method: 'eth_getCode', params: [address, 'latest'] }));
    isReady = (await findPayer({ code })).every(({ state }) => state === 'deployed');
    return isReady;
  };
}

async function readTank(rpc: RpcSession, { chain, tank }: { chain: PayerChain['chain']; tank: Address }) {
  const head = await rpc.quantity({ method: 'eth_blockNumber' });
  const [balance, spentNonces, settledNonces] = await Promise.all([
    rpc.quantity({ method: 'eth_getBalance', params: [tank, 'latest'] }),
    nonceCount(rpc, { address: tank, block: 'latest' }),
    nonceCount(rpc, { address: tank, block: finalTag(chain, head) }),
  ]);
  return { balance, spentNonces, settledNonces };
}

/**
 * Pays by the payer contract on one chain, through one endpoint. Nothing is sent before the first call.
 * @throws RangeError when the chain's number of confirmations is not a whole number from 1
 */
export function createPayerChain(options: PayerChainOptions): PayerChain {
  const { chain, wallets, clock } = options;
  const { key: chainKey, confirmations } = chain;
  if (!Number.isInteger(confirmations) || confirmations < 1) throw new RangeError(`confirmations: ${confirmations}`);
  const endpoint = createEndpoint(options);
  const readMany = createManyReads(endpoint);
  const tank = wallets.gasTankAddress();
  const fees = shareFor(() => endpoint.run((rpc) => feesOfNow(rpc, chain)), { ms: FEES_MS, clock });

  return {
    chain,
    decide: (run) => run(),
    witnesses: [],
    compare: async () => undefined,
    isReady: createReadiness(endpoint),
    head: () => endpoint.run((rpc) => readHead(rpc, chain)),
    isCanonical: (block) => endpoint.run((rpc) => isCanonical(rpc, block)),
    block: (number) => endpoint.run((rpc) => findBlock(rpc, numberToHex(number))),
    marks: (queries, blockNumber) => readMarks(readMany, queries, blockNumber),
    balances: (queries, blockNumber) => readBalances(readMany, queries, blockNumber),
    sanctioned: (asked, blockNumber) => readSanctioned(readMany, asked, blockNumber),
    delegated: (owners, blockNumber) => readDelegated(readMany, owners, blockNumber),
    paidEvents: (query) => findPaidEvents(endpoint, { ...query, chainKey, onBlocks: options.onBlocks }),
    simulate: (call) =>
      endpoint.run(async (rpc) => {
        const account = wallets.gigAccount(call.gigId);
        return { gas: await simulatePay(rpc, { chain, account, tank, call }) };
      }),
    fees,
    publishingCost: ({ raw, gas }) => endpoint.run((rpc) => publishingCost(rpc, { chain, raw, gas })),
    transferCost: shareFor(() => endpoint.run((rpc) => transferCost(rpc, { chain, tank, fees: fees() })), {
      ms: TRANSFER_COST_MS,
      clock,
    }),
    tank: () => endpoint.run((rpc) => readTank(rpc, { chain, tank })),
    // A check of the chain id just before proves that the endpoint serves the chain that the signatures name.
    sign: ({ calls, nonce, fees }) =>
      endpoint.run((rpc) => signBatch(rpc, { chain, wallets, calls, nonce, fees }), { recheck: true }),
    broadcast: (raw) => endpoint.run((rpc) => offerBytes(rpc, { raw, chainKey })),
    isKnown: (hash) => endpoint.run((rpc) => isKnown(rpc, hash)),
    inclusion: (hashes) => endpoint.run((rpc) => findBatch(rpc, { hashes, from: tank, chainKey })),
  };
}
