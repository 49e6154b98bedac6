import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig, secretsOf } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { createRuntime } from '../../src/runtime.ts';
import { MIGRATIONS } from '../data/sqlite.ts';

// The service, whose sweeps follow each other without the pause that spares a platform, and which tells when it ends how
// long its thread was held at most.

const config = loadConfig({ ...process.env });
const log = createLog({
  level: 'error',
  secrets: secretsOf(config),
  destination: { write: (line) => void process.stderr.write(line) },
});
const delay = monitorEventLoopDelay({ resolution: 1 });
const runtime = await createRuntime({
  config,
  log,
  migrationsFolder: MIGRATIONS,
  pagesFolder: new URL('../../src/http/pages', import.meta.url).pathname,
  version: '0.0.0',
  timing: { earning: { pageMs: 0 } },
});
const server = runtime.server.listen(config.port, '127.0.0.1');
await once(server, 'listening');
runtime.start();
delay.enable();
process.once('SIGTERM', async () => {
  const ms = (nanoseconds: number) => nanoseconds / 1e6;
  const held = { worst: ms(delay.max), p99: ms(delay.percentile(99)), p999: ms(delay.percentile(99.9)) };
  process.stdout.write(`${JSON.stringify(held)}\n`);
  await runtime.stop();
  process.exit();
});
