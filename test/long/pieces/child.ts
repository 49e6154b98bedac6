import { once } from 'node:events';
import { createServer } from 'node:http';
import { loadConfig, secretsOf } from '../../../src/config.ts';
import { createLog } from '../../../src/log.ts';
import { createRuntime } from '../../../src/runtime.ts';
import { MIGRATIONS, PAGES } from '../../support/store.ts';

// A service whose background work is done when it is told to, one task after another. It measures what its main thread has used
// of its processor between two looks, which come at the end of each turn of the event loop: others cannot take that.

const LOOK_MS = 1;

let longest = 0;
let before = process.threadCpuUsage();
function look(): void {
  const now = process.threadCpuUsage();
  longest = Math.max(longest, now.user + now.system - before.user - before.system);
  before = now;
}
setInterval(look, LOOK_MS);

/** The longest piece since the last call, in milliseconds. */
function takeLongest(): number {
  look();
  const taken = longest / 1_000;
  longest = 0;
  return taken;
}

const config = loadConfig({ ...process.env });
const { server, tasks, stop } = await createRuntime({
  config,
  log: createLog({ level: 'error', secrets: secretsOf(config) }),
  migrationsFolder: MIGRATIONS,
  pagesFolder: PAGES,
  version: '0.0.0',
});
server.listen(config.port, '127.0.0.1');

async function handle(path: string): Promise<unknown> {
  if (path === '/longest') return takeLongest();
  if (path === '/tasks') return tasks.map(({ name }) => name);
  const task = tasks.find(({ name }) => `/tasks/${encodeURIComponent(name)}` === path);
  if (task === undefined) throw new TypeError(`there is no ${path}`);
  takeLongest();
  await task.run(
    () => undefined,
    async (work) => void (await work),
  );
  return takeLongest();
}

const control = createServer((request, response) => {
  void handle(request.url ?? '').then(
    (found) => response.end(JSON.stringify(found)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(Number(process.env['CONTROL_PORT']), '127.0.0.1');
await Promise.all([once(server, 'listening'), once(control, 'listening')]);
process.once('SIGTERM', async () => {
  await stop();
  process.exit();
});
process.stdout.write('ready\n');
