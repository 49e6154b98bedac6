import type { Chain } from '../../../domain/chains/chain.ts';
import { AdapterError, type AdapterReason, DomainError, invalidRequest } from '../../../domain/errors.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS, type Token } from '../../../domain/gigs/token.ts';
import { cleanTokenText } from '../../../domain/gigs/token-text.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import type { AuditAction } from '../../../domain/operators/audit-event.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { ChainContext, ServiceContext } from '../../context.ts';
import { recordEvent } from '../../operators/audit-events.ts';

/** More than any token in use has; with more decimals no useful amount fits into 256 bits. */
const MAX_DECIMALS = 36;

const NO_TOKEN: ReadonlySet<AdapterReason> = new Set(['not_found', 'bad_response']);

interface TokenRequest {
  readonly chain: Chain;
  /** Lower case. */
  readonly address: Address;
  readonly imageUrl?: string;
  readonly coingeckoId?: string | null;
  /** The actor that adds it, when it is new. */
  readonly actor: Actor;
}

/**
 * A token as its contract describes it, with safe texts.
 * @throws DomainError `token_not_found`, `validation_failed` when it has too many decimals
 * @throws AdapterError when the chain cannot be asked
 */
export async function readMetadata(
  { chains }: Pick<ChainContext, 'chains'>,
  { chain, address }: Pick<TokenRequest, 'chain' | 'address'>,
) {
  if (address === NATIVE_TOKEN_ADDRESS) return chain.nativeCurrency;
  const reader = chains.reader(chain.id);
  const metadata = await reader.decide(async () => {
    // An endpoint of the wrong chain is our fault, not the token's.
    await reader.ping();
    return await reader.tokenMetadata(address).catch((error: unknown) => {
      // The endpoint answered, and the contract is no token: no code, no symbol, or an invalid answer.
      if (error instanceof AdapterError && error.retry === 'never' && NO_TOKEN.has(error.reason)) {
        throw new DomainError({ code: 'token_not_found', address: checksummed(address), chainKey: chain.key });
      }
      throw error;
    });
  });
  if (metadata.decimals > MAX_DECIMALS) {
    const message = `Token ${checksummed(address)} has ${metadata.decimals} decimals; at most ${MAX_DECIMALS} are supported`;
    throw new DomainError({ code: 'validation_failed', details: [message] });
  }
  return { ...cleanTokenText(metadata, checksummed(address)), decimals: metadata.decimals };
}

/**
 * The token at this address; a new one is read from its chain, its texts are cleaned, and it is stored with an audit
 * event.
 * @throws DomainError `token_not_found` when no ERC-20 is there, `validation_failed` when it has too many decimals
 * @throws AdapterError when the chain cannot be asked
 */
export async function findOrAddToken(deps: ChainContext, request: TokenRequest): Promise<Token> {
  const { chain, address, imageUrl = '', coingeckoId = null, actor } = request;
  const known = await deps.store.token(chain.id, address);
  if (known !== null) return known;
  const metadata = await readMetadata(deps, request);
  return await deps.store.transaction(async (tx) => {
    const now = deps.clock();
    const { token, isNew } = await tx.ensureToken({
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
    // Another request may have added and recorded it meanwhile.
    if (!isNew) return token;
    const subject = { subject: 'token', subjectId: String(token.id), gigId: null } as const;
    const detail = { address, chain: chain.key, symbol: token.symbol };
    await recordEvent(tx, { actor, now }, { ...subject, action: 'token.add', detail });
    return token;
  });
}

interface TokenChange {
  readonly action: AuditAction;
  /** False when it changes nothing. */
  readonly change: (tx: StoreTx, id: number) => Promise<boolean>;
  /** What the token is already then. */
  readonly already: string;
}

async function changeToken(
  { store, clock }: ServiceContext,
  { chain, address, actor }: TokenRequest,
  { action, change, already }: TokenChange,
): Promise<Token> {
  return await store.transaction(async (tx) => {
    const token = await tx.token(chain.id, address);
    const name = `Token ${checksummed(address)} on ${chain.key}`;
    if (token === null) throw invalidRequest(`${name} is in no gig; a gig adds it, or token add.`);
    if (!(await change(tx, token.id))) throw invalidRequest(`${name} is ${already}.`);
    const subject = { subject: 'token', subjectId: String(token.id), gigId: null } as const;
    await recordEvent(tx, { actor, now: clock() }, { ...subject, action, detail: { address, chain: chain.key } });
    return token;
  });
}

/**
 * Allows a token's payments to take more gas than others, or ends that.
 * @throws DomainError `invalid_request` when the store does not have the token, or nothing changes
 */
export async function allowToken(
  deps: ServiceContext,
  { isAllowed, ...request }: TokenRequest & { isAllowed: boolean },
): Promise<Token> {
  return await changeToken(deps, request, {
    action: isAllowed ? 'token.allow' : 'token.disallow',
    change: (tx, id) => tx.allowToken(id, isAllowed),
    already: isAllowed ? 'allowed already' : 'not allowed, so nothing changes',
  });
}

/**
 * Lets owners choose a token for gigs that they create in the console, or ends that; the gigs that have it go on.
 * @throws DomainError `invalid_request` when the store does not have the token, nothing changes, or it is a chain's own coin
 */
export async function offerToken(
  deps: ServiceContext,
  { isOffered, ...request }: TokenRequest & { isOffered: boolean },
): Promise<Token> {
  if (request.address === NATIVE_TOKEN_ADDRESS) {
    throw invalidRequest('Owners may always choose the coin of an enabled chain: it is neither offered nor withdrawn.');
  }
  return await changeToken(deps, request, {
    action: isOffered ? 'token.offer' : 'token.withdraw',
    change: (tx, id) => tx.offerToken(id, isOffered),
    already: isOffered ? 'offered already' : 'not offered, so nothing changes',
  });
}
