import { once } from 'node:events';
import { loadConfig, secretsOf } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { createRuntime } from '../../src/runtime.ts';
import { MIGRATIONS } from '../data/sqlite.ts';

// The service, whose sweeps follow each other without the pause that spares a platform, and whose clock may be faster. Why a
// gig waits is shown, because nothing would ever end.

const config = loadConfig({ ...process.env });
const speed = Number(process.env['BENCH_CLOCK_SPEED'] ?? 1);
const startedAt = Date.now();
const log = createLog({
  level: 'warn',
  secrets: secretsOf(config),
  destination: {
    write: (line) => {
      if (line.includes('"error"') && /watched gig waits|task failed/.test(line)) process.stderr.write(line);
    },
  },
});
const runtime = await createRuntime({
  config,
  log,
  migrationsFolder: MIGRATIONS,
  pagesFolder: new URL('../../src/http/pages', import.meta.url).pathname,
  version: '0.0.0',
  clock: () => startedAt + Math.floor((Date.now() - startedAt) * speed),
  timing: { earning: { pageMs: 0 } },
});
const server = runtime.server.listen(config.port, '127.0.0.1');
await once(server, 'listening');
runtime.start();
process.once('SIGTERM', async () => {
  await runtime.stop();
  process.exit();
});
