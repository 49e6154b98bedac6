import type { Config } from '../../config.ts';
import { skipText } from '../../domain/gigs/id-skip.ts';
import { DAY_MS, minuteText } from '../../domain/time.ts';
import { findSkips } from '../../services/gigs/gig-ids.ts';
import { paymentsStopped } from '../../services/operators/conditions/database.ts';
import { wrongIn } from '../../services/operators/conditions/index.ts';
import { isClockOff } from '../../services/operators/instances.ts';
import { ENGINE_NAMES, judgeStandbys } from '../../services/operators/store-status.ts';
import type { Instance, ServerDoubt, ServerStatus } from '../../store/port/index.ts';
import type { Context } from '../context.ts';
import type { Check } from './doctor-checks.ts';
import { checkOf, withConditions } from './doctor-conditions.ts';

const SECOND_MS = 1_000;

function instanceText({ id, version, beatAt, clockAheadMs }: Instance, now: number): string {
  const clock = isClockOff({ clockAheadMs }) ? `, its clock is off by ${Math.abs(clockAheadMs)} ms` : '';
  const seconds = Math.max(0, Math.round((now - beatAt) / SECOND_MS));
  return `${id.slice(0, 8)} of version ${version}, heard ${seconds} s ago${clock}`;
}

/** No instance runs before the first start, or when all are stopped: that is no fault. */
function checkInstances(instances: readonly Instance[], now: number): Check {
  const name = 'instances';
  const alive = instances.filter(({ isAlive }) => isAlive);
  if (alive.length === 0) return { name, ok: true, mark: 'off', detail: 'None runs now', remedy: '' };
  const detail = `${alive.length}: ${alive.map((each) => instanceText(each, now)).join('; ')}`;
  const isWell = !alive.some(isClockOff);
  return {
    name,
    ok: isWell,
    detail,
    remedy: isWell ? '' : 'Run NTP on the machines of the instances and of the database.',
  };
}

/** What an instance holds beside its connections for transactions: two for reads, and one for look-ups. */
const OTHERS = 3;
/** What a command of the operator's holds at most. */
const OF_A_COMMAND = 13;

function checkConnections(
  { connections: { open, limit } }: ServerStatus,
  { instances, poolSize }: { instances: readonly Instance[]; poolSize: number },
): Check {
  const alive = Math.max(1, instances.filter(({ isAlive }) => isAlive).length);
  const needed = alive * (poolSize + OTHERS) + OF_A_COMMAND;
  const detail = `The server has ${limit}, of which ${open} are open; ${alive === 1 ? 'one instance' : `${alive} instances`} and a command take ${needed}`;
  const ok = needed <= limit;
  return {
    name: 'connections',
    ok,
    detail,
    remedy: ok ? '' : 'Raise max_connections on the server, or lower DATABASE_POOL.',
  };
}

function checkStandbys(server: ServerStatus): Check {
  const { state, text: detail, remedy } = judgeStandbys(server);
  const finding = { name: 'standbys', ok: state !== 'failed', detail, remedy };
  return state === 'warning' ? { ...finding, mark: 'warning' } : finding;
}

function checkDoubt({ name, text: detail, remedy }: ServerDoubt): Check {
  const finding = { name, ok: true, detail, remedy };
  return remedy === '' ? finding : { ...finding, mark: 'warning' };
}

const SKIPS_SHOWN_MS = 7 * DAY_MS;

/** Where gig ids go on, and which were skipped lately: an operator who restored a backup sees that it was noticed. */
export async function checkIds(context: Context): Promise<Check> {
  const { last, skips } = await context.withStore(async (store) => ({
    last: await store.lastGigId(),
    skips: await findSkips({ store }, context.clock() - SKIPS_SHOWN_MS),
  }));
  const texts = skips.map((skip) => `${minuteText(skip.at)}: ${skipText(skip)}`);
  const detail = [`The next gig gets ${last + 1}`, ...texts].join('; ');
  const finding = { name: 'gig ids', ok: true, detail };
  if (skips.every(({ reason }) => reason === 'operator')) return { ...finding, remedy: '' };
  const remedy =
    'After a restore, award again what is owed, then run reconcile: it lists what is lost and lets waiting refunds go on.';
  return { ...finding, remedy, mark: 'warning' };
}

/** What keeps the store and who serves it, in a store that can be used; what only a server has is left out for a file. */
export async function checkStoreStatus(context: Context, config: Config): Promise<Check[]> {
  const { engine, instances, stop } = await withConditions(context, config, async (sources) => ({
    engine: await sources.store.engine(),
    instances: await sources.store.instances(),
    stop: await wrongIn(paymentsStopped, sources),
  }));
  const { server } = engine;
  const kept = { name: 'engine', ok: true, detail: `${ENGINE_NAMES[engine.engine]} ${engine.version}`, remedy: '' };
  if (server === null) return [kept];
  return [
    kept,
    ...server.doubts.map(checkDoubt),
    checkOf('server', stop, 'The same as before'),
    checkInstances(instances, context.clock()),
    checkStandbys(server),
    checkConnections(server, { instances, poolSize: config.databasePool }),
  ];
}
