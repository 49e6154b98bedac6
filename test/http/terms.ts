import { expect } from 'vitest';
import type { Address } from '../../src/domain/gigs/token.ts';
import { anvilClients } from '../support/anvil.ts';
import { seedToken } from '../support/store.ts';
import type { Service } from './service.ts';

/** What a created gig is answered with. */
export interface Created {
  readonly gig_id: number;
  readonly gig_wallet_address: Address;
  readonly gig_token_address: Address;
  readonly gig_chain_id: number;
  readonly gig_balance: string;
  readonly platform_fee: string;
  readonly total_amount: string;
  readonly tx_data: Address;
}

/** DEGEN as it is on Base, here taken for known on the local chain, where a contract of which nobody holds anything stands for it. */
export const DEGEN = '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed';

/** Answers every call with a zero word. */
const ZERO_WORD = '0x60206000f3';

/** Remembers {@link DEGEN} on the local chain, and sees to it that a contract is there. */
export async function knowDegen(service: Service): Promise<void> {
  await anvilClients().test.setCode({ address: DEGEN, bytecode: ZERO_WORD });
  await seedToken(service.store, { chainId: 31337 });
}

/** Terms that can be used, for ten DEGEN from tomorrow on. */
export const TERMS = {
  chain: 'anvil',
  token_address: DEGEN,
  amount: 10,
  start_time: '2026-11-22T09:30:00Z',
  duration: '1week',
  gig_type: 'mention',
} as const;

/** Creates a gig with {@link TERMS} but for these. */
export async function create(
  service: Service,
  terms: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Created> {
  const response = await service.send('POST', '/api/gigs/create', { ...TERMS, ...terms }, headers);
  expect(response.status).toBe(201);
  // The tests of the route hold its shape.
  return (await response.json()) as Created;
}

/** The status and the body of an answer. */
export async function told(response: Promise<Response>): Promise<{ status: number; body: unknown }> {
  const { status } = await response;
  return { status, body: await (await response).json() };
}
