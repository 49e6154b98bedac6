import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import type { Platform } from '../../src/domain/account.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { createLog } from '../../src/log.ts';
import { createXPlatform } from '../../src/platforms/x/adapter.ts';
import { createPlatformBreaker } from '../../src/services/mentions/platform-breaker.ts';
import { sendNextReply } from '../../src/services/mentions/send-replies.ts';
import { openStore } from '../../src/store/open.ts';
import { MIGRATIONS } from './store.ts';

// A process that sends one reply from the store of the URL in argv[2] to the X at argv[3], under leases of argv[4] milliseconds, and
// stops itself at the point that argv[5] names until somebody lets it go on. Its log goes to stdout.

const [, , url = '', baseUrl = '', leaseMs = '', point = ''] = process.argv;
const clock = Date.now;
const stop = () => void process.kill(process.pid, 'SIGSTOP');

const store = await openStore({ url, migrationsFolder: MIGRATIONS });
const real = await createXPlatform({ ...NETWORK_CREDENTIALS.twitter, baseUrl, clock });
const network: SocialPlatform = {
  ...real,
  reply(reply) {
    if (point === 'before the call') stop();
    if (point === 'while it connects') subscribe('net.client.socket', stop);
    return real.reply(reply);
  },
};
const log = createLog({ level: 'debug', destination: { write: (line) => void process.stdout.write(line) } });
const platforms = new Map<Platform, SocialPlatform>([['twitter', network]]);
const health = createPlatformBreaker({ platforms: ['twitter'], clock, log });
const timing = { leaseMs: Number(leaseMs), settleMs: 100, backoffMs: 20, noteMs: 0 };
const limits = { perAuthor: 10, perThread: 5 };
const deps = { store, platforms, limits, health, startedAt: 0, clock, newId: randomUUID, log, timing };
await sendNextReply(deps, 'twitter');
await store.close();
