import type { BlockRef } from '../../../src/domain/chains/block.ts';
import type { ChainReader, TokenOddity } from '../../../src/domain/chains/chain.ts';
import { UNKNOWN_PAUSE_MS } from '../../../src/domain/earning/holding/holding.ts';
import type { ActReader } from '../../../src/domain/earning/platform.ts';
import { payoutOf, type Rule } from '../../../src/domain/earning/rules/index.ts';
import type { AdapterError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { prepareJoin } from '../../../src/services/earning/acts/join.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { seedAddress, seedMention } from '../../support/store.ts';
import { createBlocks } from './blocks.ts';
import type { Crowd } from './crowd.ts';
import type { SetClock } from './engine.ts';

/** The token that accounts are to hold. */
export const HELD = { address: seedAddress(9_999), symbol: 'DEGEN', decimals: 0 } as const;

/** Who holds 100 for an hour is paid like this. */
export function holdRule(pays: Extract<Rule, { type: 'hold' }>['pays'] = { type: 'fixed', amount: 40n }): Rule {
  return { type: 'hold', token: HELD, amount: 100n, hours: 1, pays };
}

export { UNKNOWN_PAUSE_MS };

/** A chain with a token whose balances change in time. */
export function createHolders(clock: SetClock) {
  const blocks = createBlocks(clock);
  const changes: { readonly at: number; readonly owner: Address; readonly amount: bigint }[] = [];
  const replaced = new Set<bigint>();
  const failures: AdapterError[] = [];
  let oddity: TokenOddity | null = null;
  let silent: ReadonlySet<Address> = new Set();
  let calls = 0;
  const asked: BlockRef[] = [];

  const amountAt = (owner: Address, time: number) =>
    changes.findLast((change) => change.owner === owner && change.at <= time)?.amount ?? 0n;

  function hashed(block: BlockRef): BlockRef {
    return replaced.has(block.number) ? { ...block, hash: `0x${'f0'.repeat(32)}` } : block;
  }

  const holdings: ChainReader['holdings'] = async ({ owners, block: named }) => {
    calls += 1;
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    const newest = blocks.at(Math.floor((clock.now - 10_000) / 2_000) * 2_000);
    const block = named === undefined ? newest : { ...named, at: timeOf(named.number) };
    asked.push(block);
    const amounts = owners.map((owner) => (silent.has(owner) ? null : amountAt(owner, block.at)));
    return { block, amounts, oddity };
  };
  const first = blocks.at(0);
  const timeOf = (number: bigint) => first.at + Number(number - first.number) * 2_000;
  return {
    ...blocks,
    decide: <T>(run: () => Promise<T>) => run(),
    holdings,
    isCanonical: async ({ number, hash }: { number: bigint; hash: string }) =>
      hashed(blocks.at(timeOf(number))).hash === hash,
    calls: () => calls,
    asked: (): readonly BlockRef[] => asked,
    /** From now on an address holds so much. */
    set: (owner: Address, amount: bigint) => void changes.push({ at: clock.now, owner, amount }),
    /** The token does not behave from now on, or does again. */
    turn: (to: TokenOddity | null) => {
      oddity = to;
    },
    hush: (...addresses: readonly Address[]) => {
      silent = new Set(addresses);
    },
    /** A block is not of the chain any more. */
    replace: (number: bigint) => void replaced.add(number),
    failHoldings: (error: AdapterError, times: number) => failures.push(...Array.from({ length: times }, () => error)),
    recoverHoldings: () => failures.splice(0),
  };
}

export type Holders = ReturnType<typeof createHolders>;

/** The crowd, of which some have other addresses. */
export function withAddresses(crowd: Crowd, of: ReadonlyMap<string, readonly Address[]>): ActReader {
  return {
    ...crowd.reader,
    async readAccounts(ids, query) {
      const found = await crowd.reader.readAccounts(ids, query);
      return new Map([...found].map(([id, facts]) => [id, { ...facts, addresses: of.get(id) ?? facts.addresses }]));
    },
  };
}

/** An account enters in the console. @returns what became of it at once */
export async function join(store: Store, clock: SetClock, gig: Gig, id: string, platform = gig.platform) {
  const account = { platform, platformUserId: id, username: `user${id}` };
  const deps = { store, clock: () => clock.now };
  const joined = await prepareJoin(deps, { gigId: gig.id, account, way: 'page', at: clock.now });
  if (joined.kind === 'entered') await store.transaction((tx) => joined.commit(tx));
  return joined.kind;
}

/** An account on X has a wallet linked, from then on. */
export async function linkWallet(
  store: Store,
  id: string,
  { wallet, validFrom }: { wallet: Address; validFrom: number },
): Promise<void> {
  const account = { platform: 'twitter', platformUserId: id };
  const mentionId = await seedMention(store, { platform: 'twitter', authorId: id, postId: id });
  await store.transaction(async (tx) => {
    await tx.suggestUsernames([{ ...account, username: `user${id}` }], validFrom);
    await tx.insertLink(account, { wallet, postId: id, mentionId, createdAt: validFrom });
    const made = await tx.linkOf(account);
    if (made === null) throw new Error('no link');
    await tx.confirmLink(made.id, validFrom);
  });
}

/** The terms of an entry by a rule. */
export function termsOf(rule: Rule) {
  const { entry } = payoutOf(rule);
  if (entry === undefined) throw new TypeError('the rule has no entry');
  return entry;
}
