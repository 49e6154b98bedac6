import { formatAmount } from '../../domain/amount.ts';
import { decideOnAll } from '../../domain/chains/chain.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { auditGig } from '../../domain/payments/audit.ts';
import { findGigsWithMoney } from './audited-gigs.ts';
import type { LostContext } from './context.ts';
import { type FoundWallet, openSearch, readWallets, type SearchedChain } from './find-wallets.ts';
import { type KnownGigs, readKnownGigs } from './known-gigs.ts';

/** How many ids of each row of missing ones are looked at, the newest rows first, and how many in all: a question each. */
const OF_EACH_ROW = 200;
const IN_ALL = 2_000;
/** Ids after the last one, which a database that was put back may lack. */
const AFTER_LAST = 20;
const TOGETHER = 100;

type Finding = { readonly text: string; readonly remedy: string };

export interface Lost {
  /** What its gigs have paid for tips that it does not have: told, and nothing is to be done about what was paid. */
  readonly paid: readonly Finding[];
  /** Gigs whose wallets hold less than they must, as when they have paid tips that nobody has looked for yet. */
  readonly short: readonly Finding[];
  /** Gigs that it does not have, whose wallets hold money or have paid. */
  readonly unknown: readonly Finding[];
}

function missingIds({ ids }: KnownGigs, last: number): number[] {
  const rows: number[][] = [];
  let row: number[] = [];
  for (let id = 1; id <= last + 1; id += 1) {
    if (id <= last && !ids.has(id)) {
      if (row.length < OF_EACH_ROW) row.push(id);
    } else if (row.length > 0) {
      rows.push(row);
      row = [];
    }
  }
  const after = Array.from({ length: AFTER_LAST }, (_, index) => last + 1 + index);
  return [...after, ...rows.toReversed().flat()].slice(0, IN_ALL).sort((a, b) => a - b);
}

async function heldText({ store }: LostContext, { on, held, isDelegated }: FoundWallet): Promise<string> {
  const { chain } = on.payer;
  const amounts = [...held].map(async ([address, amount]) => {
    const token = await store.token(chain.id, address);
    const { decimals, symbol } = token ?? chain.nativeCurrency;
    return `${formatAmount(amount, decimals)} ${symbol}`;
  });
  const texts = [
    ...(isDelegated ? ['has paid'] : []),
    ...(held.size > 0 ? [`holds ${(await Promise.all(amounts)).join(', ')}`] : []),
  ];
  return `${texts.join(' and ')} on ${chain.name}`;
}

async function findUnknown(deps: LostContext, chains: readonly SearchedChain[], known: KnownGigs): Promise<Finding[]> {
  const ids = missingIds(known, await deps.store.lastGigId());
  const found = await readWallets({ chains, wallets: deps.wallets }, ids);
  return await Promise.all(
    found.map(async (traces) => {
      const [{ gigId, wallet }] = traces;
      const texts = await Promise.all(traces.map((each) => heldText(deps, each)));
      return {
        text: `Gig ${gigId} is not in the database, and its wallet ${checksummed(wallet)} ${texts.join(', and ')}`,
        remedy: `Run npm run admin -- gig rebuild ${gigId}, or gig rebuild --all.`,
      };
    }),
  );
}

/** Wallets that hold less than they must may have paid tips that the ledger has lost. */
async function findShort(
  { store }: LostContext,
  { payer, settled }: SearchedChain,
  gigs: readonly Gig[],
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (let from = 0; from < gigs.length; from += TOGETHER) {
    const some = gigs.slice(from, from + TOGETHER);
    const balances = await payer.balances(
      some.map(({ walletAddress: wallet, token }) => ({ wallet, token: token.address })),
      settled.number,
    );
    for (const [index, gig] of some.entries()) {
      const [start] = await store.gigTransactions(gig.id);
      if (start === undefined) continue;
      const blockNumber = settled.number;
      const books = {
        startBlock: start.blockNumber,
        awaitsCheck: start.checkBlock !== null,
        ...(await store.gigPaid(gig.id, { chainId: gig.token.chainId, blockNumber })),
        freeze: await store.gigFreeze(gig.id),
        voidPaid: [],
      };
      const facts = { blockNumber, held: balances[index] ?? null, isExplained: true, unmarked: [] };
      for (const problem of auditGig(gig, books, facts).problems) {
        const text = `Gig ${gig.id}: ${problem}; it may have paid tips that the database has lost`;
        found.push({ text, remedy: `Run npm run admin -- reconcile ${gig.id}.` });
      }
    }
  }
  return found;
}

/**
 * What the database has lost, by its wallets on the chains. Asks in few questions and changes nothing.
 * @throws AdapterError when a chain does not answer
 */
export async function findLost(deps: LostContext): Promise<Lost> {
  const payers = deps.chains.list().map(({ chain }) => deps.payers.payer(chain.id));
  return await decideOnAll(payers, () => lookForLost(deps));
}

async function lookForLost(deps: LostContext): Promise<Lost> {
  const { store, chains, payers, wallets, clock } = deps;
  const paid = (await store.gigsWithLostTips()).map(({ gigId, payments }) => ({
    text: `Gig ${gigId} has made ${payments} ${payments === 1 ? 'payment' : 'payments'} for tips that the database has lost`,
    remedy: 'Do not award again what was paid; award tips again that were lost before they were paid.',
  }));
  const known = await readKnownGigs(store, clock());
  const open = (id: number) => openSearch(payers.payer(id), { tokens: [...(known.tokens.get(id) ?? [])], wallets });
  const searched = await Promise.all(chains.list().map(({ chain }) => open(chain.id)));
  const money = await findGigsWithMoney({ store, clock });
  const short = searched.map((on) =>
    findShort(
      deps,
      on,
      money.filter(({ token }) => token.chainId === on.payer.chain.id),
    ),
  );
  return { paid, short: (await Promise.all(short)).flat(), unknown: await findUnknown(deps, searched, known) };
}
