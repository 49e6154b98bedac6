import { formatAmount } from '../../domain/amount.ts';
import type { Chain } from '../../domain/chains/chain.ts';
import { AdapterError, DomainError, invalidRequest } from '../../domain/errors.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS, type Token } from '../../domain/gigs/token.ts';
import type { PaidEvent } from '../../domain/payments/payer-chain.ts';
import { isMark } from '../../domain/payments/payment-marks.ts';
import { findOrAddToken } from '../gigs/terms/tokens.ts';
import type { RebuildContext } from './context.ts';
import type { FoundWallet, WalletTraces } from './find-wallets.ts';

export interface NamedToken {
  readonly chain: Chain;
  readonly address: Address;
}

interface Choice {
  readonly found: FoundWallet;
  readonly address: Address;
  readonly doubt: string | null;
}

interface Holding {
  readonly found: FoundWallet;
  readonly address: Address;
  /** Base units. */
  readonly amount: bigint;
}

/**
 * What a chain does not answer about a token or a wallet, null when it is the only thing that it does not answer.
 * @throws AdapterError when the chain answers nothing
 */
export async function unlessSilent<T>({ chains }: RebuildContext, chain: Chain, asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    // The contract is no token that can be stored.
    if (error instanceof DomainError) return null;
    if (!(error instanceof AdapterError)) throw error;
    await chains.reader(chain.id).ping();
    return null;
  }
}

/** A token's facts; null when the contract does not tell them. */
export async function findFacts(deps: RebuildContext, { chain, address }: NamedToken): Promise<Token | null> {
  return await unlessSilent(deps, chain, findOrAddToken(deps, { chain, address, actor: deps.actor }));
}

function paidIn(events: readonly PaidEvent[]): Address | null {
  const paid = events.filter((event) => !isMark(event));
  const used = [...Map.groupBy(paid, ({ token }) => token)];
  return used.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? null;
}

function isOf({ found, address }: Holding, named: NamedToken): boolean {
  return found.on.payer.chain.id === named.chain.id && address === named.address;
}

/** `token` is null for a silent token. */
interface Ranked extends Holding {
  readonly token: Token | null;
}

/** The largest in whole tokens first, those of silent tokens last. */
async function rank(deps: RebuildContext, holdings: readonly Holding[]): Promise<Ranked[]> {
  const known = await Promise.all(
    holdings.map(async (holding) => {
      const token = await findFacts(deps, { chain: holding.found.on.payer.chain, address: holding.address });
      return { ...holding, token };
    }),
  );
  // Whole tokens, times the same power of ten.
  const sizeOf = ({ token, amount }: Ranked) => (token === null ? -1n : amount * 10n ** BigInt(100 - token.decimals));
  return known.toSorted((a, b) => (sizeOf(a) > sizeOf(b) ? -1 : 1));
}

function textOf({ found, amount, token, address }: Ranked): string {
  const held = token === null ? `something of ${checksummed(address)}` : formatAmount(amount, token.decimals);
  return `${held}${token === null ? '' : ` ${token.symbol}`} on ${found.on.payer.chain.name}`;
}

async function guess(deps: RebuildContext, holdings: readonly Holding[]): Promise<Choice | null> {
  const ranked = await rank(deps, holdings);
  const [most, ...others] = ranked;
  if (most === undefined) return null;
  const { gigId } = most.found;
  const doubt = `its wallet holds ${textOf(most)}, and also ${others.map(textOf).join(' and ')}: the first is taken for its token. If that is wrong, rebuild into an empty database with --gig-token ${gigId}:chain:address`;
  return { found: most.found, address: most.address, doubt };
}

/**
 * The chain and the token of a gig: what its wallet has paid in, else what the operator names, else what it holds. Anyone
 * can send it something else, so a choice between holdings is reported.
 * @throws DomainError `invalid_request` when it cannot be what the operator names
 * @throws AdapterError when a chain does not answer
 */
export async function chooseToken(
  deps: RebuildContext,
  traces: WalletTraces,
  { events, named }: { events: readonly PaidEvent[]; named: NamedToken | undefined },
): Promise<Choice> {
  const [found] = traces;
  const paid = paidIn(events);
  const holdings = (found.isDelegated ? [found] : traces).flatMap((trace) =>
    [...trace.held].map(([address, amount]): Holding => ({ found: trace, address, amount })),
  );
  const usual = { found, address: paid ?? NATIVE_TOKEN_ADDRESS, doubt: null };
  if (named !== undefined) {
    const chosen = [...holdings, { ...usual, amount: 0n }].find((holding) => isOf(holding, named));
    if (chosen !== undefined && (paid === null || paid === chosen.address)) return { ...chosen, doubt: null };
    throw invalidRequest(
      `The wallet of gig ${found.gigId} has paid in another token than ${checksummed(named.address)} on ${named.chain.name}, or holds none of it.`,
    );
  }
  const [only, ...others] = holdings;
  if (paid !== null || only === undefined) return usual;
  if (others.length === 0) return { found: only.found, address: only.address, doubt: null };
  return (await guess(deps, holdings)) ?? usual;
}
