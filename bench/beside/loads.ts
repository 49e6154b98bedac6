import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MNEMONIC, NETWORK_CREDENTIALS } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import type { Bench } from '../bench.ts';
import { createMentions } from '../busy-lookups.ts';
import { addOperatorKey, createPoster } from '../clients.ts';
import type { Contender } from '../contender.ts';
import { prepareLedger } from '../data/ledger.ts';
import { prepareReport, REPORTED_GIG } from '../data/report.ts';
import { prepareSqlite } from '../data/sqlite.ts';
import { startNeynar } from '../neynar.ts';
import { startService } from '../surroundings.ts';
import { createProbe } from './turns.ts';

/** Of the accounts that are looked up. */
export const TIPS = 10_000;
const MENTIONS_PER_SECOND = 50;
const CLIENTS = 4;
const BATCH = 500;
/** A request that is given up ends within this time. */
const ENDED_MS = 10_000;

/** What a service does beside look-ups, when it is told to. */
export interface Work {
  readonly service: Contender;
  /** Starts it; what is returned ends it and tells how much was done. */
  start(): () => Promise<number>;
  stop(): Promise<void>;
}

export async function startProbed(
  { surroundings }: Bench,
  { databasePath, env = {} }: { databasePath: string; env?: Record<string, string> },
): Promise<Contender> {
  const probe = await createProbe();
  const options = { databasePath, env: { ...env, ...probe.env }, flags: probe.flags };
  const { port, pid, stop } = await startService(surroundings, options);
  return { name: 'this service', port, pid, turns: probe.turns, stop: () => stop() };
}

export function copyOf({ surroundings }: Bench, path: string): string {
  const copy = join(surroundings.folder, `beside-${randomUUID()}.db`);
  copyFileSync(path, copy);
  return copy;
}

/** Mentions that are stored and answered; a reply is what is done. */
export async function openMentions(bench: Bench): Promise<Work> {
  const neynar = await startNeynar(NETWORK_CREDENTIALS.farcaster.botFid);
  const databasePath = copyOf(bench, await prepareSqlite(bench.dataFolder, TIPS));
  const service = await startProbed(bench, { databasePath, env: { NEYNAR_BASE_URL: neynar.url } });
  const mentions = createMentions(service.port);
  return {
    service,
    start() {
      const before = neynar.repliedAt.size;
      const stop = mentions.start(MENTIONS_PER_SECOND);
      return async () => {
        stop();
        return neynar.repliedAt.size - before;
      };
    },
    async stop() {
      await service.stop();
      neynar.stop();
    },
  };
}

/** Clients that each award one batch after the other; a tip is what is done. */
export async function openAwards(bench: Bench): Promise<Work> {
  const databasePath = copyOf(bench, await prepareSqlite(bench.dataFolder, TIPS));
  const token = {
    address: '0x00000000000000000000000000000000000ea122',
    name: 'B',
    symbol: 'B',
    decimals: 18,
  } as const;
  const plan = { wallets: createWallets(MNEMONIC), chainId: 31_337, token, recipient: null };
  const gigIds = await prepareLedger(databasePath, { ...plan, gigs: CLIENTS, payments: 0, reward: 10n ** 24n });
  const key = await addOperatorKey(databasePath);
  const service = await startProbed(bench, { databasePath });
  const post = createPoster(service.port, 201);
  let account = 20_000_000;
  let batch = 0;
  const award = async (gigId: number) => {
    const tips = Array.from({ length: BATCH }, () => {
      account += 1;
      return { platform: 'farcaster', platform_user_id: String(account), value: 0.001 };
    });
    batch += 1;
    const headers = { 'x-api-key': key, 'idempotency-key': `beside-${batch}` };
    await post(`/api/gigs/${gigId}/tips`, JSON.stringify({ tips }), headers);
    return tips.length;
  };
  return {
    service,
    start() {
      let stopped = false;
      let done = 0;
      const clients = gigIds.map(async (gigId) => {
        while (!stopped) done += await award(gigId);
      });
      const all = Promise.all(clients);
      // Told when the round is over.
      all.catch(() => undefined);
      return async () => {
        stopped = true;
        const counted = done;
        await all;
        return counted;
      };
    },
    stop: () => service.stop(),
  };
}

/** A client that reads a report as CSV again and again, as fast as it comes; a line is what is done. */
export async function openReport(bench: Bench, lines: number): Promise<Work> {
  const databasePath = copyOf(bench, await prepareReport(bench.dataFolder, lines));
  const key = await addOperatorKey(databasePath);
  const service = await startProbed(bench, { databasePath });
  const url = `http://127.0.0.1:${service.port}/api/gigs/${REPORTED_GIG}/report.csv`;
  return {
    service,
    start() {
      const ended = new AbortController();
      let done = 0;
      const read = async () => {
        while (!ended.signal.aborted) {
          const response = await fetch(url, { headers: { 'x-api-key': key }, signal: ended.signal });
          if (!response.ok || response.body === null)
            throw new Error(`the report was answered with ${response.status}`);
          for await (const piece of response.body) for (const byte of piece) if (byte === 10) done += 1;
        }
      };
      const reading = read().catch((error: unknown) => (ended.signal.aborted ? undefined : error));
      return async () => {
        ended.abort();
        const failed = await Promise.race([reading, wait(ENDED_MS, undefined, { ref: false })]);
        if (failed !== undefined) throw failed;
        return done;
      };
    },
    stop: () => service.stop(),
  };
}
