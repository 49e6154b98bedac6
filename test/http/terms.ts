import { expect } from 'vitest';
import type { Address } from '../../src/domain/gigs/token.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/http/errors/error-codes.ts';
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

/** An error body without its code and the request id, which are held against the registry and the header. */
export function published(response: Response, body: unknown): unknown {
  if (response.status < 400 || typeof body !== 'object' || body === null) return body;
  const { code, request_id, ...words } = body as Record<string, unknown>;
  expect({ code, status: ERROR_CODES[code as ErrorCode]?.status }).toEqual({ code, status: response.status });
  expect(request_id).toBe(response.headers.get('x-request-id'));
  return words;
}

/** A refusal in these words, as {@link told} has it. */
export function refusal(status: number, error: unknown) {
  return { status, body: { error } };
}

/** The refusal of a request in which all this is wrong, as {@link told} has it. */
export function invalid(...details: unknown[]) {
  return { status: 400, body: { error: 'Validation failed', details } };
}

/** The status of an answer, and its body as {@link published}. */
export async function told(response: Promise<Response> | Response): Promise<{ status: number; body: unknown }> {
  const answer = await response;
  return { status: answer.status, body: published(answer, await answer.json()) };
}

/** The data of an answer with status 200 or 201. */
export async function dataOf(answer: Promise<{ status: number; body: unknown }>): Promise<unknown> {
  const { status, body } = await answer;
  expect([200, 201]).toContain(status);
  return Object(body).data;
}
