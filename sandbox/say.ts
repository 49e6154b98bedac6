import { withoutReplyMark } from '../src/domain/platforms/platforms.ts';
import { readBalances } from './balances.ts';
import { PLATFORM_OF } from './page/parts.ts';
import { readSilence } from './silence.ts';
import { readState, STATE_FILE } from './state.ts';

const USAGE = `Usage: npm run say -- <farcaster|x> <person> "<text>"

Posts into the running sandbox and prints the bot's answer, for example:
  npm run say -- farcaster alice "@gigclaim claims"
  npm run say -- x bob "@gigclaim start gig 2"

  npm run say -- balances

prints what the address of each user holds on the chain.
`;

/** How long to wait for the bot at most, in so many turns; after each, the store may say that no reply will come. */
const PATIENCE_MS = 45_000;
const TURNS = 15;

/** The text of the bot's reply. @throws Error saying why there is none */
async function waitForReply(door: string, silence: () => ReturnType<typeof readSilence>): Promise<string> {
  for (let turn = 1; ; turn += 1) {
    const waited = await fetch(`${door}/reply?wait=${PATIENCE_MS / TURNS}`);
    const { reply } = (await waited.json()) as { reply: { text: string } | null };
    if (reply !== null) return reply.text;
    const { why, isFinal } = await silence();
    if (isFinal) throw new Error(`The bot does not reply. ${why}`);
    if (turn === TURNS) throw new Error(`The bot did not reply within ${PATIENCE_MS / 1_000} s. ${why}`);
  }
}

async function say(network: 'farcaster' | 'x', author: string, text: string): Promise<void> {
  const { [network]: url, database } = readState(process.env['SANDBOX_STATE_FILE'] ?? STATE_FILE);
  const posted = await fetch(`${url}/sandbox/posts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ author, text }),
  });
  // The sandbox's own control door; its answers have these fields.
  const post = (await posted.json()) as { id?: string; url?: string; error?: string };
  if (post.id === undefined) throw new Error(post.error ?? `the network answered ${posted.status}`);
  process.stdout.write(`@${author} on ${network}: ${text}\n${post.url === undefined ? '' : `(${post.url})\n`}`);
  const { id } = post;
  const reply = await waitForReply(`${url}/sandbox/posts/${id}`, () => readSilence(database, { network, id, text }));
  process.stdout.write(`@gigclaim: ${withoutReplyMark(reply, { platform: PLATFORM_OF[network], postId: id })}\n`);
}

async function balances(): Promise<void> {
  const lines = await readBalances(readState(process.env['SANDBOX_STATE_FILE'] ?? STATE_FILE));
  process.stdout.write(`${lines.join('\n')}\n`);
}

const [network, author, ...words] = process.argv.slice(2);
const work =
  network === 'balances'
    ? balances()
    : (network === 'farcaster' || network === 'x') && author !== undefined && words.length > 0
      ? say(network, author, words.join(' '))
      : null;
if (work === null) {
  const isUnknown = network !== undefined && author !== undefined && network !== 'farcaster' && network !== 'x';
  process.stderr.write(isUnknown ? `There is no network ${network}: post on farcaster or x.\n\n${USAGE}` : USAGE);
  process.exitCode = 2;
} else {
  await work.catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
