import { Agent, request } from 'node:http';
import { type Act, WARM_ACTS } from '../acts.ts';
import { awardTip } from '../awards.ts';
import { WARM_REQUESTS } from '../contender.ts';
import { grownHash, grownRecipient } from '../data/grown.ts';
import { GIGS, usersOf } from '../data/rows.ts';
import { createRandom, drawUser, identifierOf } from '../load/requests.ts';
import { heldMention, mention } from '../mentions/act.ts';
import type { Neynar } from '../neynar.ts';

/** A service on a database that has grown. */
export interface GrownService {
  readonly port: number;
  readonly rows: number;
  readonly gigId: number;
  /** An operator's key. */
  readonly key: string;
  readonly neynar: Neynar;
}

type Read = (path: string, headers: Record<string, string>) => Promise<void>;

/** Reads an answer to its end. @throws Error when it is no answer to the question, which a redirection to what was found is */
function createReader(port: number): Read {
  const agent = new Agent({ keepAlive: true });
  return (path, headers) =>
    new Promise((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', path, agent, headers }, (response) => {
        const { statusCode = 0 } = response;
        response.resume().once('error', reject);
        response.once('end', () =>
          [200, 303].includes(statusCode) ? resolve() : reject(new Error(`${path} answered ${statusCode}`)),
        );
      });
      asked.once('error', reject);
      asked.end();
    });
}

/** Logs an operator in. @returns what a browser sends along then */
async function logIn({ port, key }: GrownService): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${port}/admin/session`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key }).toString(),
  });
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  return { cookie };
}

/** An act, how often it is done in one measurement, and why it takes more as a ledger grows. */
export interface Grows {
  readonly act: Act;
  /** How many warm the service up, and how many are measured. */
  readonly warm: number;
  readonly count: number;
  /** What of it is counted, where that is not the act itself. */
  readonly each?: number;
  readonly why: string;
}

const CHEAP = { warm: WARM_REQUESTS, count: 2_000 };
const MIDDLING = { warm: WARM_ACTS, count: 2_000 };
const DEAR = { warm: 1_000, count: 500 };
/** Lines of reports that are read in one measurement. */
const LINES = 200_000;
const EVENTS = 100;

/** What an operator looks for: an account, a handle, a gig, an address that was paid, and a transaction. */
function searched(rows: number, number: number): string {
  const user = number % usersOf(rows);
  const texts = [
    `farcaster:${100_000 + user - (user % 2)}`,
    `@user_${user}`,
    `gig ${1 + (number % GIGS)}`,
    grownRecipient(number % rows),
    grownHash(number % rows),
  ];
  return texts[number % texts.length] ?? '';
}

function reading(name: string, read: (number: number) => Promise<void>): Act {
  return { name, run: read };
}

/** All acts in the order in which they are measured: the last one leaves behind what the service would still be busy with. */
export async function openActs(service: GrownService): Promise<Grows[]> {
  const { port, rows, gigId, key, neynar } = service;
  const read = createReader(port);
  const browser = await logIn(service);
  const program = { 'x-api-key': key };
  const users = usersOf(rows);
  const random = createRandom(rows);
  // One page after the other, far apart.
  const placeOf = (number: number) => (number * 7_919) % Math.max(1, rows - EVENTS);
  const find = (number: number) => read(`/admin/find?q=${encodeURIComponent(searched(rows, number))}`, browser);
  const lookUp = () => read(`/api/claim?identifiers=${identifierOf(drawUser(random, users))}`, {});
  return [
    {
      act: reading('a look-up', lookUp),
      ...CHEAP,
      why: 'the index of pending tips is deeper, and fewer of the accounts’ answers are kept',
    },
    {
      act: mention(port, neynar),
      ...MIDDLING,
      why: 'its account, its limits and its reply are found in deeper indices',
    },
    { act: awardTip(port, { key, gigIds: [gigId] }), ...MIDDLING, why: 'a tip is added to deeper indices' },
    {
      act: reading('a page of a gig with all rows', () => read(`/gigs/${gigId}`, {})),
      ...DEAR,
      why: 'its sums are kept; only what it lists is read',
    },
    {
      act: reading('the operators’ overview', () => read('/admin', browser)),
      ...DEAR,
      why: 'counts and sums are kept by triggers; days and tokens add lines, rows do not',
    },
    {
      act: reading('1,000 lines of a report', () => read(`/api/gigs/${gigId}/report.csv`, program)),
      warm: 1,
      count: Math.max(1, Math.round(LINES / rows)),
      each: rows / 1_000,
      why: 'a report grows with its gig; a line does not',
    },
    {
      act: reading(`${EVENTS} events`, (number) =>
        read(`/api/events?after=${placeOf(number)}&limit=${EVENTS}`, program),
      ),
      ...DEAR,
      why: 'they are read from their place in an index',
    },
    { act: reading('a search', find), ...DEAR, why: 'each kind of record has an index of what names it' },
    { act: heldMention(port, neynar), ...CHEAP, why: 'a mention is added to deeper indices' },
  ];
}
