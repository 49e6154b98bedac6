import type { Hex } from 'viem';
import { storageKey } from '../../../src/chain/payer/contract/contracts.ts';
import { decodeTipsPaid, type EventLog, TIPS_PAID_TOPIC } from '../../../src/chain/payer/contract/events.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { FEE_NUMBER, type NumberedPayment } from '../../../src/domain/payments/payment.ts';
import { bitsToNumbers } from '../../../src/domain/payments/payment-numbers.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { MIGRATIONS } from '../../support/store.ts';
import type { Bench } from './bench.ts';
import { CHAIN, STARTED_GIG } from './order.ts';
import { ACCOUNTS, type Holdings, PAID, type Payer } from './scenario.ts';

/** A payment that is in the chain. */
interface PaidInChain {
  readonly wallet: Address;
  readonly token: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly numbers: readonly bigint[];
  readonly hash: Hex;
}

/** What the chain says of the gigs' payments. */
interface Facts {
  readonly events: readonly PaidInChain[];
  readonly marks: ReadonlyMap<Address, readonly bigint[]>;
}

const NOTHING: Holdings = { usdc: 0n, ether: 0n };

async function holdingsOf({ node, usdc }: Bench, owners: readonly Address[]): Promise<Holdings> {
  const holds = { usdc: 0n, ether: 0n };
  for (const owner of owners) {
    // balanceOf(address)
    const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`;
    holds.usdc += await node.quantity('eth_call', [{ to: usdc, data }, 'latest']);
    holds.ether += await node.quantity('eth_getBalance', [owner, 'latest']);
  }
  return holds;
}

/** Whoever is to be paid holds what is theirs, and the wallets what is left, with no gas on top. */
async function checkBalances(bench: Bench, { events }: Facts): Promise<string[]> {
  const problems: string[] = [];
  const check = async (owners: readonly Address[], allowed: readonly Holdings[]) => {
    const actual = await holdingsOf(bench, owners);
    if (allowed.some(({ usdc, ether }) => usdc === actual.usdc && ether === actual.ether)) return;
    const told = allowed.map(({ usdc, ether }) => `${usdc} and ${ether}`).join(', or ');
    problems.push(`${owners.join(' and ')} hold ${actual.usdc} USDC and ${actual.ether} wei instead of ${told}`);
  };
  for (const { owners, holds, isLate } of PAID) await check(owners, isLate ? [holds, NOTHING] : [holds]);
  for (const { wallet, asset, funded } of bench.payers) {
    const paid = events.reduce((sum, event) => (event.wallet === wallet ? sum + event.amount : sum), 0n);
    await check([wallet], [{ ...NOTHING, [asset]: funded - paid }]);
  }
  return problems;
}

async function findEvents({ node, payers }: Bench): Promise<PaidInChain[]> {
  const address = payers.map(({ wallet }) => wallet);
  const query = { address, topics: [TIPS_PAID_TOPIC], fromBlock: '0x0', toBlock: 'latest' };
  // What the node answers of logs.
  const logs = (await node.result('eth_getLogs', [query])) as readonly (EventLog & { transactionHash: Hex })[];
  return logs.flatMap((log) => {
    const event = decodeTipsPaid(log);
    if (event === null) return [];
    return { ...event, numbers: bitsToNumbers(event), hash: log.transactionHash };
  });
}

/** The numbers that a wallet has marked, in the words of those that are named. */
async function readMarks({ node }: Bench, wallet: Address, named: readonly bigint[]): Promise<bigint[]> {
  const numbers: bigint[] = [];
  for (const word of new Set([0n, FEE_NUMBER, ...named].map((number) => number >> 8n))) {
    const bits = await node.quantity('eth_getStorageAt', [wallet, storageKey(word), 'latest']);
    numbers.push(...bitsToNumbers({ word, bits }));
  }
  return numbers.toSorted(byValue);
}

function numbersOf(events: readonly PaidInChain[], wallet: Address): bigint[] {
  return events.flatMap((event) => (event.wallet === wallet ? event.numbers : [])).toSorted(byValue);
}

async function readFacts(bench: Bench): Promise<Facts> {
  const events = await findEvents(bench);
  const marks = new Map<Address, readonly bigint[]>();
  for (const { wallet } of bench.payers) marks.set(wallet, await readMarks(bench, wallet, numbersOf(events, wallet)));
  return { events, marks };
}

/** Each number that is marked was paid by one event. */
function checkNumbers({ payers }: Bench, { events, marks }: Facts): string[] {
  return payers.flatMap(({ wallet, gigId }) => {
    const [marked, paid] = [marks.get(wallet)?.join(), numbersOf(events, wallet).join()];
    return marked === paid ? [] : [`gig ${gigId} has marked ${marked} and paid ${paid}`];
  });
}

function byValue(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

/** A confirmed payment says what an event says. */
function checkPayment(payment: NumberedPayment, { events }: Facts): string[] {
  const { id, kind, gigId, state, reason, wallet, token, recipient, amount, hash, numbers } = payment;
  const name = `${kind} ${id} of gig ${gigId}`;
  if (state !== 'confirmed') return [`${name} is ${state}: ${reason}`];
  const event = events.find((event) => event.wallet === wallet && event.numbers.join() === numbers.join());
  if (event === undefined) return [`${name} is confirmed with the numbers ${numbers.join()}, which no event has`];
  const said = [token.address, recipient, amount, hash].join();
  const fact = [event.token, event.to, event.amount, event.hash].join();
  return said === fact ? [] : [`${name} says ${said} and the chain ${fact}`];
}

/** The ledger says of a gig what the chain says. */
async function checkGig(store: Store, { gigId, wallet }: Payer, facts: Facts): Promise<string[]> {
  const problems: string[] = [];
  const known: bigint[] = [];
  for (const { id, state } of await store.paymentsOfGig(gigId)) {
    const payment = await store.payment(id);
    // A plan whose tips were paid by another payment is given up.
    if (payment === null || state === 'failed') continue;
    known.push(...payment.numbers);
    problems.push(...checkPayment(payment, facts));
    for (const tip of await store.tipsOfPayment(id)) {
      if (tip.status === 'claimed' && tip.txHash === payment.hash) continue;
      problems.push(`tip ${tip.id} is ${tip.status} with hash ${tip.txHash}, its payment's is ${payment.hash}`);
    }
  }
  const marked = (facts.marks.get(wallet) ?? []).join();
  for (const numbers of [known, await store.markedNumbers(gigId)]) {
    const told = numbers.toSorted(byValue).join();
    if (told !== marked) problems.push(`the ledger of gig ${gigId} knows ${told}, the chain has ${marked}`);
  }
  return problems;
}

/** Every tip is paid; a late one may be lost with its ledger, but not unpaid. */
async function checkTips(store: Store, facts: Facts): Promise<string[]> {
  const { tips } = await store.pendingTips(ACCOUNTS);
  const problems = tips.map(({ id, platformUserId }) => `tip ${id} of ${platformUserId} is not paid`);
  // A payment that failed is no problem when a later one has paid its tips; else it tells why they are not.
  for (const { id, claimId, state, reason } of tips.length === 0 ? [] : await store.payments({ limit: 100 })) {
    if (state !== 'confirmed') problems.push(`payment ${id} of claim ${claimId} is ${state}: ${reason}`);
  }
  for (const account of ACCOUNTS) {
    const payments = await store.payoutsTo(account, { limit: 100 });
    const isKnown = payments.every(({ hash }) => facts.events.some((event) => event.hash === hash));
    if (!isKnown) problems.push(`${account.platformUserId} was paid by transactions that the chain does not have`);
  }
  return problems;
}

async function checkLedger(bench: Bench, url: string, facts: Facts): Promise<string[]> {
  const store = await openStore({ url, migrationsFolder: MIGRATIONS });
  try {
    const problems: string[] = [];
    problems.push(...(await checkTips(store, facts)));
    const started = await store.gig(STARTED_GIG);
    if (started?.status !== 'live' || started.cancelledAt !== null) problems.push(`gig ${STARTED_GIG} is not live`);
    for (const payer of bench.payers) problems.push(...(await checkGig(store, payer, facts)));
    for (const { id } of await store.openTankTransactions(CHAIN.id)) problems.push(`transaction ${id} is not over`);
    for (const { gigId, reason } of await store.frozenGigs()) problems.push(`gig ${gigId} is frozen: ${reason}`);
    return problems;
  } finally {
    await store.close();
  }
}

/**
 * Whatever is wrong in the chain or in one of the ledgers after all was paid; empty when each tip was paid exactly once and
 * every ledger says so.
 */
export async function verify(bench: Bench, ledgers: readonly string[]): Promise<string[]> {
  // What waits anywhere must come now or never.
  for (let block = 0; block < 3; block += 1) await bench.node.mine();
  const facts = await readFacts(bench);
  const problems = [...(await checkBalances(bench, facts)), ...checkNumbers(bench, facts)];
  for (const [index, ledger] of ledgers.entries()) {
    const found = await checkLedger(bench, ledger, facts);
    problems.push(...found.map((problem) => (ledgers.length > 1 ? `ledger ${index + 1}: ${problem}` : problem)));
  }
  return problems;
}
