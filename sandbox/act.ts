import { z } from 'zod';
import { ActError, type ActRequest, describeAct, findWatchedTarget, planAct, readAsked, VERBS } from './acting.ts';
import { PEOPLE } from './people.ts';
import { readState, STATE_FILE } from './state.ts';
import { readTargets } from './watched-gigs.ts';

const USAGE = `Usage: npm run act -- farcaster <person> <what> gig <id>

Lets one of the users do something about what a watched gig is about, for example:
  npm run act -- farcaster alice like gig 8
  npm run act -- farcaster alice unlike gig 8
  npm run act -- farcaster bob reply "good morning to all of you" gig 9

Persons: ${PEOPLE.map(({ name }) => name).join(', ')}.
What: ${VERBS.join(', ')}; quote, reply and mention take a text.
`;

// The sandbox's own control door.
const cast = z.object({
  id: z.string(),
  author: z.string(),
  text: z.string(),
  url: z.string(),
  replyTo: z.string().nullable(),
  quotes: z.string().nullable(),
});
const casts = z.object({ posts: z.array(cast) });
const users = z.object({ users: z.array(z.object({ id: z.string(), username: z.string() })) });
const acted = z.object({ changed: z.boolean(), post: cast.optional() });
const refused = z.object({ error: z.string() });

async function send(door: string, { path, body }: ActRequest): Promise<{ changed: boolean; url: string | null }> {
  const response = await fetch(`${door}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(refused.safeParse(answer).data?.error ?? `the network answered ${response.status}`);
  if (path === '/posts') return { changed: true, url: cast.parse(answer).url };
  const { changed, post } = acted.parse(answer);
  return { changed, url: post?.url ?? null };
}

async function act(args: readonly string[]): Promise<string> {
  const asked = readAsked(args);
  const { farcaster, database } = readState(process.env['SANDBOX_STATE_FILE'] ?? STATE_FILE);
  const gig = findWatchedTarget(await readTargets(database), asked.gigId);
  const door = `${farcaster}/sandbox`;
  const read = async (path: string): Promise<unknown> => await (await fetch(`${door}${path}`)).json();
  const world = { casts: casts.parse(await read('/posts')).posts, users: users.parse(await read('/users')).users };
  return describeAct(asked, gig, await send(door, planAct(asked, gig.target, world)));
}

const args = process.argv.slice(2);
if (args.length === 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await act(args).then(
    (sentence) => process.stdout.write(`${sentence}\n`),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      process.stderr.write(error instanceof ActError ? `${message}\n\n${USAGE}` : `${message}\n`);
      process.exitCode = error instanceof ActError ? 2 : 1;
    },
  );
}
