import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { AdapterError, DomainError, invalidRequest } from '../../domain/errors.ts';
import { LATEST } from '../../domain/events/event.ts';
import { createForwarder, type Forwarder } from '../../endpoints/forward.ts';
import { ENDPOINT_SECRET_BYTES } from '../../endpoints/secrets.ts';
import { requestOnce } from '../../outbound.ts';
import { examples, id, separated, webUrl } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain } from '../output.ts';

/** How long an answer is held while there is no event. */
const WAIT_SECONDS = 25;
const ANSWER_MS = 60_000;
/** Far more than a page of events. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Before a service that did not answer is asked again. */
const PAUSE_MS = 2_000;

const pageSchema = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      type: z.string(),
      timestamp: z.string(),
      seq: z.number(),
      data: z.looseObject({ gig_id: z.number() }),
    }),
  ),
  next_after: z.string(),
});
type Page = z.output<typeof pageSchema>;

interface ListenOptions {
  readonly url: string;
  readonly keyFile: string;
  readonly forward?: string;
  readonly types?: readonly string[];
  /** Where it begins; what comes from now on when absent. */
  readonly after?: string;
  /** Ends after so many events. */
  readonly most?: number;
}

/** @throws DomainError `invalid_request` when the service refuses @throws Error when it does not answer */
async function ask(url: URL, key: string): Promise<Page> {
  const headers = { 'x-api-key': key };
  const request = { who: 'it', headers, timeoutMs: ANSWER_MS, maxBytes: MAX_ANSWER_BYTES };
  const isRead = (status: number) => status < 500 && status !== 429;
  const { status, text } = await requestOnce(url.href, request, isRead);
  if (status === 200) return pageSchema.parse(JSON.parse(text));
  throw invalidRequest(`${url.origin} answered with status ${status}: ${plain(text.slice(0, 500))}`);
}

function lineOf({ seq, timestamp, type, data: { gig_id: gigId, ...facts } }: Page['data'][number]): string {
  const told = Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
  return plain([seq, timestamp, type, `gig=${gigId}`, ...told].join(' '));
}

function readKey(file: string): string {
  const key = readFileSync(file, 'utf8').trim();
  if (key === '') throw invalidRequest(`${file} is empty: write an API key with the scope events:read into it.`);
  return key;
}

/** One line an event, until it is stopped. What the service keeps it from reading, it reads later. */
async function listen(context: Context, options: ListenOptions): Promise<void> {
  const key = readKey(options.keyFile);
  const secret = randomBytes(ENDPOINT_SECRET_BYTES);
  const forwarder = options.forward === undefined ? null : createForwarder(options.forward, { ...context, secret });
  if (forwarder !== null) context.print(`Forwarding to ${options.forward}, signed with ${forwarder.secret}`);
  let after = options.after ?? LATEST;
  let left = options.most ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    const url = new URL('/api/events', options.url);
    url.search = new URLSearchParams({
      after,
      wait: String(WAIT_SECONDS),
      ...(options.types === undefined ? {} : { types: options.types.join() }),
    }).toString();
    const page = await ask(url, key).catch(async (error: unknown) => {
      if (error instanceof DomainError || !(error instanceof Error)) throw error;
      context.fail(`${options.url}: ${plain(error.message)}; it is asked again`);
      await wait(PAUSE_MS);
      return null;
    });
    if (page === null) continue;
    for (const event of page.data.slice(0, left)) {
      context.print(lineOf(event));
      if (forwarder !== null) await forward(context, forwarder, event);
    }
    left -= page.data.length;
    after = page.next_after;
  }
}

async function forward(context: Context, forwarder: Forwarder, event: Page['data'][number]): Promise<void> {
  try {
    await forwarder.send(event);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    context.fail(`seq ${event.seq}: ${plain(error.message)}`);
  }
}

/** `listen`: the events of a service as they happen, also of one that runs elsewhere. */
export function addListenCommand(program: Command, context: Context): void {
  const command = program
    .command('listen')
    .description('print the events of a service as they happen, and forward them to a program; needs no database')
    .requiredOption('--url <url>', 'the service', webUrl)
    .requiredOption('--key-file <file>', 'a file with an API key that has the scope events:read')
    .option('--forward <url>', 'where each event is sent, signed as a webhook’s', webUrl)
    .option('--types <types>', 'these types alone, comma-separated', separated(String))
    .option('--after <cursor>', 'where to begin: 0 is the first event. Default: new events only')
    .option('--most <count>', 'end after so many events', id('leave it out to go on until it is stopped'))
    .action((options: ListenOptions) => listen(context, options));
  examples(
    command,
    'listen --url http://127.0.0.1:3000 --key-file key.txt',
    'listen --url https://tips.example --key-file key.txt --types tips.awarded --forward http://127.0.0.1:8080/hook',
  );
}
