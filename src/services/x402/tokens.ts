import type { Chain } from '../../domain/chains/chain.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS, type Token } from '../../domain/gigs/token.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { SigningDomain } from '../../domain/x402/deposit.ts';
import { isUsdc } from '../../domain/x402/usdc.ts';
import { recordEvent } from '../operators/audit-events.ts';
import type { X402TokenContext } from './context.ts';

async function readDomain({ x402 }: X402TokenContext, { chainId, address }: Token): Promise<SigningDomain | null> {
  return await x402.chains(chainId).signingDomain(address);
}

/**
 * What the payers of a token sign by: of a chain's USDC, which is read once, and of a token that the operator has taken; null
 * for any other.
 * @throws AdapterError when the chain has to be asked and does not answer
 */
export async function findDomain(deps: X402TokenContext, token: Token): Promise<SigningDomain | null> {
  const known = await deps.store.x402Token(token.id);
  if (known !== null || !isUsdc(token)) return known;
  const domain = await readDomain(deps, token);
  if (domain === null) return null;
  await deps.store.transaction((tx) => tx.takeX402Token(token.id, domain, deps.clock()));
  return domain;
}

/** @throws DomainError `validation_failed` when nobody can pay so with the token */
export async function requireDomain(deps: X402TokenContext, token: Token): Promise<SigningDomain> {
  const domain = await findDomain(deps, token);
  if (domain !== null) return domain;
  const detail = `token_address must be a token that is paid by x402 here: the USDC of its chain, or one that the operator offers`;
  throw new DomainError({ code: 'validation_failed', details: [detail] });
}

interface TokenRequest {
  readonly chain: Chain;
  readonly address: Address;
  readonly isOffered: boolean;
  readonly actor: Actor;
}

/**
 * Takes a token for payments by x402, by what its contract says that payers sign by, or ends that; gigs that wait go on.
 * @throws DomainError `invalid_request` when the store does not have the token, nothing changes, or it takes no authorizations
 * @throws AdapterError when the chain does not answer
 */
export async function offerX402Token(deps: X402TokenContext, request: TokenRequest): Promise<Token> {
  const { chain, address, isOffered, actor } = request;
  const name = `Token ${checksummed(address)} on ${chain.key}`;
  const token = address === NATIVE_TOKEN_ADDRESS ? null : await deps.store.token(chain.id, address);
  if (token === null) throw invalidRequest(`${name} is in no gig; a gig adds it, or token add.`);
  const domain = isOffered ? await readDomain(deps, token) : null;
  if (isOffered && domain === null) {
    throw invalidRequest(
      `${name} takes no authorizations by EIP-3009, or its domain separator does not match its name.`,
    );
  }
  await deps.store.transaction(async (tx) => {
    const now = deps.clock();
    const isChanged =
      domain === null ? await tx.dropX402Token(token.id) : await tx.takeX402Token(token.id, domain, now);
    if (!isChanged) throw invalidRequest(`${name} is ${isOffered ? 'offered already' : 'not offered'} for x402.`);
    const subject = { subject: 'token', subjectId: String(token.id), gigId: null } as const;
    const action = isOffered ? 'token.offer' : 'token.withdraw';
    await recordEvent(tx, { actor, now }, { ...subject, action, detail: { address, chain: chain.key, by: 'x402' } });
  });
  return token;
}
