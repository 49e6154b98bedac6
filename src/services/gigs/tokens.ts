import type { Actor } from '../../domain/actor.ts';
import type { Chain, Chains } from '../../domain/chain.ts';
import { AdapterError, type AdapterReason, DomainError } from '../../domain/errors.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS, type Token } from '../../domain/token.ts';
import { cleanTokenText } from '../../domain/token-text.ts';
import type { Store } from '../../store/port/index.ts';
import { recordEvent } from '../operators/audit-events.ts';

/** More decimals than any token in use has; beyond it no amount fits into the chain's numbers. */
const MAX_DECIMALS = 36;

const NO_TOKEN: ReadonlySet<AdapterReason> = new Set(['not_found', 'bad_response']);

export interface TokenDeps {
  readonly store: Pick<Store, 'token' | 'transaction'>;
  readonly chains: Chains;
  readonly clock: () => number;
}

interface TokenRequest {
  readonly chain: Chain;
  /** Lower case. */
  readonly address: Address;
  readonly imageUrl?: string;
  readonly coingeckoId?: string | null;
  /** Who adds it, when it is new. */
  readonly actor: Actor;
}

async function readMetadata({ chains }: TokenDeps, { chain, address }: TokenRequest) {
  if (address === NATIVE_TOKEN_ADDRESS) return chain.nativeCurrency;
  const reader = chains.reader(chain.id);
  // An endpoint of another chain is a fault of ours, not of the token.
  await reader.ping();
  const metadata = await reader.tokenMetadata(address).catch((error: unknown) => {
    // The endpoint answered, and what is there is no token: no code, no symbol, an answer that means nothing.
    if (error instanceof AdapterError && error.retry === 'never' && NO_TOKEN.has(error.reason)) {
      throw new DomainError({ code: 'token_not_found', address: checksummed(address), chainKey: chain.key });
    }
    throw error;
  });
  if (metadata.decimals > MAX_DECIMALS) {
    const message = `Token ${checksummed(address)} has ${metadata.decimals} decimals; at most ${MAX_DECIMALS} are supported`;
    throw new DomainError({ code: 'validation_failed', details: [message] });
  }
  return { ...cleanTokenText(metadata, checksummed(address)), decimals: metadata.decimals };
}

/**
 * The token at this address, read from its chain and stored when it is new. What the contract says of itself is cleaned
 * before it is stored, and the audit trail says who added it.
 * @throws DomainError `token_not_found` when no ERC-20 is there, `validation_failed` for one that cannot be counted with
 * @throws AdapterError when the chain cannot be asked
 */
export async function findOrAddToken(deps: TokenDeps, request: TokenRequest): Promise<Token> {
  const { chain, address, imageUrl = '', coingeckoId = null, actor } = request;
  const known = await deps.store.token(chain.id, address);
  if (known !== null) return known;
  const metadata = await readMetadata(deps, request);
  return await deps.store.transaction(async (tx) => {
    // Added by another request while the chain was asked: that one wrote it down.
    const added = await tx.token(chain.id, address);
    if (added !== null) return added;
    const now = deps.clock();
    const token = await tx.ensureToken({
      createdAt: now,
      address,
      chainId: chain.id,
      imageUrl,
      coingeckoId,
      name: metadata.name,
      symbol: metadata.symbol,
      decimals: metadata.decimals,
      isNative: address === NATIVE_TOKEN_ADDRESS,
    });
    const subject = { subject: 'token', subjectId: String(token.id), gigId: null } as const;
    const detail = { address, chain: chain.key, symbol: token.symbol };
    await recordEvent(tx, { actor, now }, { ...subject, action: 'token.add', detail });
    return token;
  });
}
