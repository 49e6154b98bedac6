import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../sandbox/port.ts';
import { createLog } from '../../../src/log.ts';
import { createRuntime } from '../../../src/runtime.ts';
import { readAmpleDisk } from '../../support/disk.ts';
import { giveBackDatabase, takeDatabase, urlOf } from '../../support/postgres.ts';
import { MIGRATIONS, PAGES } from '../../support/store.ts';
import { FAST } from '../../support/world.ts';
import { FUNDING, openPaidWorld, stockFetch, UNIT } from '../../support/x402.ts';

test('security: two instances that are asked for one gig twenty times settle it once', async () => {
  const name = await takeDatabase();
  const paid = await openPaidWorld({ env: { DATABASE_URL: urlOf(name) } });
  const { config } = paid.world;
  const port = await freePort(0);
  const other = await createRuntime({
    config: { ...config, port },
    log: createLog({ level: 'silent' }),
    migrationsFolder: MIGRATIONS,
    pagesFolder: PAGES,
    version: '0.0.0',
    timing: FAST,
    readDisk: readAmpleDisk,
  });
  await once(other.server.listen(port, '127.0.0.1'), 'listening');
  other.start();
  onTestFinished(async () => {
    await other.stop();
    await paid.close();
    await giveBackDatabase(name);
  });

  for (const key of ['order-1', undefined]) {
    const agents = await Promise.all([paid.agent(), paid.agent()]);
    const elsewhere: typeof fetch = (input, init) => {
      const request = new Request(input, init);
      return fetch(new Request(request.url.replace(paid.world.url, `http://127.0.0.1:${port}`), request));
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => {
        const agent = agents[place % 2];
        if (agent === undefined) throw new Error('there are agents');
        const send = place % 4 < 2 ? fetch : elsewhere;
        return paid.create(stockFetch(agent, paid.token, send), key === undefined ? { amount: '100.0' } : { key });
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const [gigId, ...others] = new Set(answers.map(({ body }) => body.data?.gig_id));
    expect(others).toEqual([]);
    const gig = await paid.store.gig(gigId ?? 0);
    expect(gig?.status).toBe('live');
    expect(await paid.held(gig?.walletAddress ?? '')).toBe(FUNDING);
    const left = await Promise.all(agents.map(({ address }) => paid.held(address)));
    expect(left.reduce((sum, each) => sum + each, 0n)).toBe(2_000n * UNIT - FUNDING);
  }
}, 180_000);
