import type { Known } from './bodies.ts';
import { tryCases } from './check.ts';
import { createOracle, fetchDocument } from './oracle.ts';
import { type HostileRequest, hostileRequests } from './requests.ts';
import { exchange } from './wire.ts';
import type { World } from './world.ts';

/** No answer is waited for any longer. */
const PATIENCE_MS = 20_000;

/** What was asked and answered. */
export interface RequestReport {
  readonly requests: number;
  /** How many were well-formed HTTP. */
  readonly proper: number;
  /** The longest that any answer took. */
  readonly slowestMs: number;
  /** How many answers had each status; 0 is a connection that closed without one. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Values with which a request gets somewhere. */
export function knownOf({ seeded }: World): Known {
  const { live, startable, unfunded, token } = seeded;
  const gigs = [live, startable, unfunded].map(({ id }) => String(id));
  return {
    gig_id: [...gigs, '987654'],
    gigId: [...gigs, '987654'],
    chain: ['"anvil"', '"anvil"', '"base"'],
    token_address: [
      ...[`"${token.address}"`, `"${token.address}"`, '"0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"'],
      `"0x${'12'.repeat(20)}"`,
    ],
    amount: ['1', '"0.5"', '10.25', '1e30', '0.0000000000000000001'],
    value: ['1', '0.5', '"2"', '0'],
    start_time: ['"2027-01-01T00:00:00Z"', '"2026-01-01T00:00:00+14:00"', '"0001-01-01T00:00:00Z"'],
    duration: ['"1day"', '"1week"', '"6months"'],
    gig_type: ['"mention"', '"follow"', '"custom_bounty"', '"like"'],
    how_to_earn: ['"by hand"', 'null', '"<b>\\u0000"'],
    earning_criteria: ['"any"', 'null'],
    verifier: ['"me"', 'null'],
    refund_address: [`"0x${'56'.repeat(20)}"`, 'null', `"0x${'0'.repeat(40)}"`],
    keyword: ['null', 'null', '"degen"'],
    award_days: ['0', '14', 'null', '91'],
    platform: ['"farcaster"', '"x"', '"twitter"'],
    platform_user_id: ['"1001"', '1002', '"1700000000000001001"', '1700000000000001001'],
    username: ['"alice"', '"@bob"', 'null'],
    user_address: [`"0x${'34'.repeat(20)}"`, 'null'],
    url: ['"https://farcaster.xyz/alice/0x12345678"', '"https://x.com/alice/status/1"', 'null'],
  };
}

function shown({ bytes }: HostileRequest): string {
  const text = Buffer.from(bytes).toString('latin1');
  return JSON.stringify(text.length > 1_500 ? `${text.slice(0, 1_000)} … ${text.slice(-200)}` : text);
}

/**
 * Sends requests made from the document's schemas and broken on purpose, and holds every answer against the document.
 * @throws Error with the smallest request that fails, its seed included
 */
export async function fuzzRequests(world: World, options: { count: number; seed: number }): Promise<RequestReport> {
  const document = await fetchDocument(world.url);
  const oracle = createOracle(document);
  const statuses: Record<string, number> = {};
  let properOnes = 0;
  let slowestMs = 0;

  async function attempt({ method, paths, proper, half, bytes }: HostileRequest): Promise<string | null> {
    const answer = await exchange(world.port, bytes, { method, half, patienceMs: PATIENCE_MS });
    properOnes += proper ? 1 : 0;
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, answer.ms);
    const verdicts = paths.map((path) => oracle.judge({ method, path, proper }, answer));
    return verdicts.includes(null) ? null : (verdicts[0] ?? 'no path');
  }

  const requests = await tryCases(hostileRequests({ document, known: knownOf(world), apiKey: world.apiKey }), {
    ...options,
    attempt,
    show: shown,
  });
  return { requests, proper: properOnes, slowestMs, statuses };
}
