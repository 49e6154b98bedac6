import type { Contender } from '../contender.ts';
import { HEAVY_FID } from '../data/rows.ts';
import { createRandom, identifierOf } from '../load/requests.ts';

/** Besides the drawn ones: an account with a thousand tips, an unknown one, and two at once. */
const ODD = [String(HEAVY_FID), '99999999', '100100,user_100'];
const DRAWN = 100;

/** Accounts of the data, some drawn and some odd, as look-ups ask for them. */
export function sampleAccounts(users: number): string[] {
  const random = createRandom(users);
  const drawn = Array.from({ length: DRAWN }, () => identifierOf(Math.floor(random() * users)));
  return [...new Set([...drawn, ...ODD])];
}

type Answering = Pick<Contender, 'name' | 'port'>;

/** A look-up's answer. */
export async function lookUp({ port }: Answering, identifiers: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/api/claim?identifiers=${identifiers}`);
  return { status: response.status, text: await response.text() };
}

interface Told {
  readonly status: number;
  readonly tips: string;
  readonly sums: string;
  readonly tokens: string;
}

/** What an answer says; tips and tokens are sorted, because each database has an order of its own. */
async function tell(contender: Answering, identifiers: string): Promise<Told> {
  const { status, text } = await lookUp(contender, identifiers);
  if (status !== 200) return { status, tips: '', sums: '', tokens: '' };
  const { data, summary } = JSON.parse(text) as {
    data: Record<string, { token: object; totalValue: number; gigCount: number; tips: { id: number }[] }>;
    summary: object;
  };
  const groups = Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const tips = groups.flatMap(([, group]) => group.tips).toSorted((a, b) => a.id - b.id);
  const sums = groups.map(([address, { totalValue, gigCount }]) => ({ address, totalValue, gigCount }));
  return {
    status,
    tips: JSON.stringify(tips),
    sums: JSON.stringify([sums, summary]),
    tokens: JSON.stringify(groups.map(([address, { token }]) => [address, token])),
  };
}

/**
 * @throws Error when a contender tells another status, other tips, sums or tokens of an account than the first one does: then one of
 * the two does less work
 */
export async function assertSameAnswers(
  [first, ...others]: readonly [Answering, ...Answering[]],
  accounts: readonly string[],
): Promise<void> {
  for (const account of accounts) {
    const expected = await tell(first, account);
    if (expected.status !== 200) throw new Error(`${first.name} answers ${account} with ${expected.status}`);
    for (const other of others) {
      const found = await tell(other, account);
      for (const key of ['status', 'tips', 'sums', 'tokens'] as const) {
        if (found[key] === expected[key]) continue;
        throw new Error(
          `${other.name} answers ${account} with other ${key} than ${first.name}: ${found[key]}, not ${expected[key]}`,
        );
      }
    }
  }
}
