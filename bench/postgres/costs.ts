import { NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import { createActMeter, WARM_ACTS } from '../acts.ts';
import type { Bench } from '../bench.ts';
import type { Postgres } from '../data/postgres.ts';
import { createServiceDatabase } from '../data/service-postgres.ts';
import { mention } from '../mentions/act.ts';
import { startNeynar } from '../neynar.ts';
import { startService } from '../surroundings.ts';

/** Microseconds of processor time that one of something takes, of an instance and of the database. */
export interface Cost {
  readonly name: string;
  readonly own: number;
  readonly database: number;
}

const MENTIONS = 2_000;
const AT_ONCE = 16;

/** What a mention takes on both sides, from its webhook to the reply. */
export async function measureMention(bench: Bench, postgres: Postgres): Promise<Cost> {
  bench.say('PostgreSQL: mentions');
  const neynar = await startNeynar(NETWORK_CREDENTIALS.farcaster.botFid);
  const databasePath = await createServiceDatabase(postgres.connection, 'mentions');
  const service = await startService(bench.surroundings, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  try {
    const pids = { own: service.pid, helper: postgres.pid };
    const meter = createActMeter(mention(service.port, neynar), pids);
    await meter.run(WARM_ACTS, AT_ONCE);
    const { own, helper } = await meter.measure(MENTIONS, AT_ONCE);
    return { name: 'a mention, answered', own, database: helper };
  } finally {
    await service.stop();
    neynar.stop();
  }
}
