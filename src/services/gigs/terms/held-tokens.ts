import { chainById, chainByKey } from '../../../domain/chains/chain.ts';
import { type FindHeldToken, type HeldToken, oddityWords } from '../../../domain/earning/holding/holding.ts';
import { heldTokenOf } from '../../../domain/earning/rules/index.ts';
import { type EarningCriteria, type GivenRules, heldTokens } from '../../../domain/earning/terms/given.ts';
import type { Terms } from '../../../domain/gigs/terms.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS } from '../../../domain/gigs/token.ts';
import { refuseField } from '../../../domain/validation.ts';
import type { ReadContext } from '../../context.ts';
import type { GigContext } from '../context.ts';
import { readMetadata } from './tokens.ts';

/** The field that names a token first. */
function fieldOf({ rule }: GivenRules, address: Address): string {
  return `earning_criteria.${heldTokenOf(rule) === address ? 'rule' : 'gates.min_holding'}.token`;
}

async function probeToken(
  deps: GigContext,
  { address, field, chainId }: { address: Address; field: string; chainId: number },
): Promise<HeldToken> {
  const chain = chainById(chainId);
  if (chain === undefined) throw new TypeError(`there is no chain ${chainId}`);
  if (address === NATIVE_TOKEN_ADDRESS) {
    refuseField('earning_criteria', `${field} must be a token with a contract, not the coin of the chain`);
  }
  const reader = deps.chains.reader(chainId);
  return await reader.decide(async () => {
    const { symbol, decimals } = await readMetadata(deps, { chain, address });
    const { oddity } = await reader.holdings({ token: address, owners: [] });
    if (oddity !== null) {
      refuseField('earning_criteria', `${field} names ${checksummed(address)}, which ${oddityWords(oddity)}`);
    }
    return { address, symbol, decimals };
  });
}

/**
 * The tokens that rules name for accounts to hold, as their chain tells them.
 * @throws DomainError `token_not_found`, and `validation_failed` for one that reverts, lies or rebases
 * @throws AdapterError when the chain does not answer
 */
export async function findHeldTokens(
  deps: GigContext,
  { criteria, chainId }: { criteria: EarningCriteria; chainId: number },
): Promise<FindHeldToken> {
  const given = criteria.kind === 'rules' ? criteria.given : {};
  const found = new Map<Address, HeldToken>();
  for (const address of heldTokens(given)) {
    found.set(address, await probeToken(deps, { address, field: fieldOf(given, address), chainId }));
  }
  return (address) => found.get(address) ?? null;
}

/** The same of those tokens that the store knows: no chain is asked. */
export async function knownHeldTokens(
  { store }: ReadContext,
  { earningCriteria: criteria, chain }: Pick<Terms, 'earningCriteria' | 'chain'>,
): Promise<FindHeldToken> {
  const chainId = chainByKey(chain)?.id ?? 0;
  const given = criteria.kind === 'rules' ? criteria.given : {};
  const known = await Promise.all(heldTokens(given).map((address) => store.token(chainId, address)));
  return (address) => known.find((token) => token?.address === address) ?? null;
}
