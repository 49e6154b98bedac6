import { sql } from 'drizzle-orm';
import type { ClientBase } from 'pg';
import type { DurableWay } from '../../../domain/settings/database.ts';
import type { ServerDoubt, StoreTx } from '../../port/index.ts';
import { askPromptly } from './pools.ts';
import type { DatabaseSession } from './session.ts';

/** The oldest server on which the schema's features work: `nulls not distinct`, `regexp` functions, `MERGE`. */
const OLDEST = 15;

const FACTS = `
  select current_setting('server_version_num')::int / 10000 as version, pg_is_in_recovery() as "isStandby",
    current_setting('fsync', true) as fsync, current_setting('full_page_writes', true) as full_page_writes,
    current_setting('server_encoding') as encoding, current_setting('session_replication_role') as replicates`;

/** What is lost while a setting is off that no client can try. */
const LOST = {
  fsync: 'fsync is off: a commit would be lost with the machine',
  full_page_writes: 'full_page_writes is off: a crash could damage the files',
} as const;
type Durability = keyof typeof LOST;

/** A setting is null where the server does not know it, or keeps it from its user. */
interface Facts extends Readonly<Record<Durability, string | null>> {
  readonly version: number;
  readonly isStandby: boolean;
  readonly encoding: string;
  readonly replicates: string;
}

function settingsThatAre(value: string | null, facts: Facts): Durability[] {
  return (Object.keys(LOST) as Durability[]).filter((name) => facts[name] === value);
}

const PROMISE = 'set POSTGRES_DURABLE=storage where the host promises that its storage keeps every commit';

function fault(facts: Facts, durable: DurableWay): string | null {
  const { version, isStandby, encoding, replicates } = facts;
  const [off] = settingsThatAre('off', facts);
  if (version < OLDEST) return `PostgreSQL ${version} is too old; use ${OLDEST} or newer`;
  if (isStandby) return 'the server is a standby, which takes no writes; name its primary';
  if (off !== undefined && durable === 'server') return `${LOST[off]}; turn it on, or ${PROMISE}`;
  if (encoding !== 'UTF8') return `its encoding is ${encoding}; create it with encoding UTF8`;
  if (replicates === 'replica')
    return 'session_replication_role is replica, so that no trigger keeps its sums; reset it for the database and its user';
  return null;
}

function durabilityDoubt(facts: Facts, durable: DurableWay): ServerDoubt[] {
  const off = settingsThatAre('off', facts);
  const hidden = settingsThatAre(null, facts);
  const name = 'durability';
  const told = (names: readonly string[]) => `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'}`;
  if (off.length > 0) {
    const text = `${told(off)} off: commits last by the storage of your host, as POSTGRES_DURABLE=storage says`;
    return [{ name, text, remedy: '' }];
  }
  if (hidden.length === 0 || durable === 'storage') return [];
  const text = `The server does not tell whether ${told(hidden)} on, so your host alone knows whether commits last`;
  return [{ name, text, remedy: `Ask your host, and ${PROMISE}.` }];
}

/**
 * Refuses a server on which what was committed could be lost, or that lacks what the store needs.
 * @returns what rests on the host's word
 * @throws Error naming the database, and saying what would be right
 */
export async function refuseUnsafeServer(
  client: ClientBase,
  { database, durable }: { readonly database: string; readonly durable: DurableWay },
): Promise<ServerDoubt[]> {
  const { rows } = await askPromptly<Facts>(client, FACTS);
  const [facts] = rows;
  if (facts === undefined) throw new Error(`database ${database}: the server does not identify itself`);
  const found = fault(facts, durable);
  if (found !== null) throw new Error(`database ${database}: ${found}`);
  return durabilityDoubt(facts, durable);
}

/** What is unknown of the server's identity, in a database with the schema. */
export async function findIdentityDoubt(client: ClientBase): Promise<ServerDoubt[]> {
  const { rows } = await client.query<{ server: string }>('select server_now() as server');
  const unknown = ['system', 'timeline'].filter((part) => rows[0]?.server.includes(`${part} unknown`));
  if (unknown.length === 0) return [];
  const text =
    `The server does not tell its ${unknown.join(' and ')}: ` +
    'payments may go on after a failover or a restore that loses commits';
  const remedy = 'After each of them stop all instances, run gig skip-ids and reconcile, and start them again.';
  return [{ name: 'identity', text, remedy }];
}

/** The server on which a statement runs, in words. */
export const SERVER_NOW = sql`server_now()`;

/** Notes the server on which it runs, and stops all payments when that is another one than before. */
export const NOTE_SERVER = 'select note_server()';

/**
 * A row while payments are stopped. The server is compared in the same statement: a promoted standby stops payments before
 * anyone has noted it.
 */
export const STOP = `
  select server_now(), (extract(epoch from coalesce(stopped_at, clock_timestamp())) * 1000)::bigint
  from server_identity where stopped_at is not null or server <> server_now()`;

const ALLOW = `
  update server_identity set stopped_at = null where stopped_at is not null and server = $1 and server = server_now()`;

/** The state of the server that the store works with, in the session that `current` gives. */
export function createIdentity(current: () => DatabaseSession): Pick<StoreTx, 'paymentStop' | 'allowPayments'> {
  return {
    async paymentStop() {
      const { rows } = await current().query({ name: 'payment-stop', text: STOP });
      const [row] = rows;
      return row === undefined ? null : { server: String(row[0]), since: Number(row[1]) };
    },
    async allowPayments({ server }) {
      return (await current().query({ text: ALLOW, values: [server] })).count > 0;
    },
  };
}
