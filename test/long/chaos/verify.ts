import type { Hex } from 'viem';
import { storageKey } from '../../../src/chain/payer/contract/contracts.ts';
import { decodeTipsPaid, type EventLog, TIPS_PAID_TOPIC } from '../../../src/chain/payer/contract/events.ts';
import { bitsToNumbers } from '../../../src/chain/payer/contract/numbers.ts';
import { FEE_NUMBER, type Payment } from '../../../src/domain/payment.ts';
import type { Address } from '../../../src/domain/token.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { MIGRATIONS } from '../../support/store.ts';
import type { Bench } from './bench.ts';
import { CHAIN } from './order.ts';
import { type Holdings, PAID, type Payer } from './scenario.ts';

/** A payment that is in the chain. */
interface Paid {
  readonly wallet: Address;
  readonly token: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly numbers: readonly bigint[];
  readonly hash: Hex;
}

/** What the chain says of the gigs' payments. */
interface Facts {
  readonly events: readonly Paid[];
  readonly marks: ReadonlyMap<Address, readonly bigint[]>;
}

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
async function checkBalances(bench: Bench): Promise<string[]> {
  const problems: string[] = [];
  const expected = [...PAID, ...bench.payers.map(({ wallet, left }) => ({ owners: [wallet], holds: left }))];
  for (const { owners, holds } of expected) {
    const actual = await holdingsOf(bench, owners);
    for (const asset of ['usdc', 'ether'] as const) {
      if (actual[asset] === holds[asset]) continue;
      problems.push(`${asset} of ${owners.join(' and ')}: ${actual[asset]} instead of ${holds[asset]}`);
    }
  }
  return problems;
}

async function findEvents({ node, payers }: Bench): Promise<Paid[]> {
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

async function readMarks({ node }: Bench, { wallet }: Payer): Promise<bigint[]> {
  const numbers: bigint[] = [];
  for (const word of [0n, FEE_NUMBER >> 8n]) {
    const bits = await node.quantity('eth_getStorageAt', [wallet, storageKey(word), 'latest']);
    numbers.push(...bitsToNumbers({ word, bits }));
  }
  return numbers;
}

async function readFacts(bench: Bench): Promise<Facts> {
  const marks = new Map<Address, readonly bigint[]>();
  for (const payer of bench.payers) marks.set(payer.wallet, await readMarks(bench, payer));
  return { events: await findEvents(bench), marks };
}

/** Each number of each gig is paid by one event, and marked. */
function checkNumbers({ payers }: Bench, { events, marks }: Facts): string[] {
  return payers.flatMap(({ wallet, gigId, tips }) => {
    const expected = [...Array.from({ length: tips }, (_, number) => BigInt(number))].join();
    const tell = (numbers: readonly bigint[]) => numbers.filter((number) => number < FEE_NUMBER).join();
    const marked = tell(marks.get(wallet) ?? []);
    const paid = tell(events.flatMap((event) => (event.wallet === wallet ? event.numbers : [])).toSorted(byValue));
    const problems = marked === expected ? [] : [`gig ${gigId} has marked ${marked}`];
    return paid === expected ? problems : [...problems, `gig ${gigId} has paid ${paid}`];
  });
}

function byValue(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

/** A confirmed payment says what an event says. */
function checkPayment(payment: Payment, numbers: readonly bigint[], { events }: Facts): string[] {
  const { id, kind, gigId, state, reason, wallet, token, recipient, amount, hash } = payment;
  const name = `${kind} ${id} of gig ${gigId}`;
  if (state !== 'confirmed') return [`${name} is ${state}: ${reason}`];
  const event = events.find((event) => event.wallet === wallet && event.numbers.join() === numbers.join());
  if (event === undefined) return [`${name} is confirmed with the numbers ${numbers.join()}, which no event has`];
  const [said, true_] = [
    [token.address, recipient, amount, hash].join(),
    [event.token, event.to, event.amount, event.hash].join(),
  ];
  return said === true_ ? [] : [`${name} says ${said} and the chain ${true_}`];
}

/** The ledger says of a gig what the chain says. */
async function checkGig(store: Store, payer: Payer, facts: Facts): Promise<string[]> {
  const { gigId, wallet, tips } = payer;
  const problems: string[] = [];
  const payments = await store.paymentsOfGig(gigId);
  const known: bigint[] = [];
  let paid = 0;
  for (const payment of payments) {
    // A plan whose tips were paid by another payment is given up.
    if (payment.state === 'failed') continue;
    const own = await store.tipsOfPayment(payment.id);
    const numbers = payment.kind === 'fee' ? [FEE_NUMBER] : own.map(({ number }) => BigInt(number)).toSorted(byValue);
    known.push(...numbers);
    problems.push(...checkPayment(payment, numbers, facts));
    for (const { id, status, txHash } of own) {
      if (status === 'claimed' && txHash === payment.hash) paid += 1;
      else problems.push(`tip ${id} is ${status} with hash ${txHash}, its payment's is ${payment.hash}`);
    }
  }
  if (paid !== tips) problems.push(`${paid} tips of gig ${gigId} are paid instead of ${tips}`);
  const marked = (facts.marks.get(wallet) ?? []).join();
  for (const numbers of [known, await store.markedNumbers(gigId)]) {
    const told = numbers.toSorted(byValue).join();
    if (told !== marked) problems.push(`the ledger of gig ${gigId} knows ${told}, the chain has ${marked}`);
  }
  return problems;
}

async function checkLedger(bench: Bench, path: string, facts: Facts): Promise<string[]> {
  const store = await openSqliteStore({ path, migrationsFolder: MIGRATIONS });
  try {
    const problems: string[] = [];
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
export async function verify(bench: Bench, databasePaths: readonly string[]): Promise<string[]> {
  // What waits anywhere must come now or never.
  for (let block = 0; block < 3; block += 1) await bench.node.mine();
  const facts = await readFacts(bench);
  const problems = [...(await checkBalances(bench)), ...checkNumbers(bench, facts)];
  for (const [index, path] of databasePaths.entries()) {
    const found = await checkLedger(bench, path, facts);
    problems.push(...found.map((problem) => (databasePaths.length > 1 ? `ledger ${index + 1}: ${problem}` : problem)));
  }
  return problems;
}
