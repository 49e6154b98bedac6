import { parseUnits } from 'viem/utils';
import { z } from 'zod';
import type { Quote } from '../domain/prices/price.ts';
import { postFailure, requestOnce } from '../outbound.ts';

const WHO = 'CoinGecko';
const ANSWER_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** The decimals that an exact text of a price has, as `USD` counts them. */
const DECIMALS = 18;

/** An id that CoinGecko does not know is left out, or has no price. */
const entrySchema = z.object({ usd: z.number().finite().nonnegative(), last_updated_at: z.number().int() });
const answerSchema = z.record(z.string(), z.unknown());

/** JavaScript writes a smaller number with an exponent. */
const LEAST_PLAIN = 1e-6;

function decimalText(value: number): string {
  return value < LEAST_PLAIN ? value.toFixed(DECIMALS) : String(value);
}

function parseAnswer(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  const read = answerSchema.safeParse(body);
  if (!read.success) throw postFailure(WHO, 'bad_response', 'answered no prices');
  return read.data;
}

/** Asks the API at `baseUrl` for prices of coins by their ids. */
export function createCoinGecko(baseUrl: string) {
  /** @throws AdapterError */
  return async (ids: readonly string[]): Promise<Map<string, Omit<Quote, 'holdsMs'>>> => {
    const query = new URLSearchParams({
      ids: ids.join(','),
      vs_currencies: 'usd',
      include_last_updated_at: 'true',
    });
    const headers = { accept: 'application/json', 'user-agent': 'gigclaim' };
    const asked = { who: WHO, headers, timeoutMs: ANSWER_MS, maxBytes: MAX_ANSWER_BYTES };
    const { text } = await requestOnce(`${baseUrl}/simple/price?${query}`, asked, (status) => status === 200);
    const entries = Object.entries(parseAnswer(text)).flatMap(([id, value]) => {
      const entry = entrySchema.safeParse(value);
      if (!entry.success || entry.data.usd >= 1e18) return [];
      const usd = parseUnits(decimalText(entry.data.usd), DECIMALS);
      return [[id, { usd, at: entry.data.last_updated_at * 1_000 }] as const];
    });
    return new Map(entries);
  };
}
