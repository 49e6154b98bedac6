import type { Act, ActKind, Target } from '../../src/domain/earning/act.ts';
import type { ActReader } from '../../src/domain/earning/platform.ts';
import { NOW, openFarcaster, startFarcaster } from './setup.ts';

/** The people of a network in tests of acts. */
const CROWD = [
  { id: '1001', username: 'alice' },
  { id: '1002', username: 'bob' },
  { id: '1003', username: 'carol' },
  { id: '1004', username: 'dave' },
] as const;

/** Farcaster's reader of acts at this address. */
export function openActs(url: string): ActReader {
  const { acts } = openFarcaster(url, 500);
  if (acts === null) throw new Error('Farcaster is not watched');
  return acts;
}

/** A network with the crowd, where alice has cast at NOW, and the reader of acts there. */
export async function startCrowd(clock: () => number) {
  const network = await startFarcaster({ clock });
  for (const user of CROWD) network.addUser(user);
  const reader = openActs(network.url);
  const cast = network.post({ author: 'alice', text: 'gm', at: NOW });
  const onCast: Target = { kind: 'post', postId: cast.id, authorId: '1001' };
  return {
    network,
    reader,
    cast,
    onCast,
    first: (kind: ActKind, target: Target) => reader.readActs({ kind, target, cursor: null }),
    like: (who: string, at?: number) => network.act({ who, kind: 'like', post: cast.id, at }),
    all: (kind: ActKind, target: Target) => readAll(reader, kind, target),
  };
}

export type Crowd = Awaited<ReturnType<typeof startCrowd>>;

/** Every act, page by page. @throws Error when the target is gone, or after 50 pages */
async function readAll(reader: ActReader, kind: ActKind, target: Target): Promise<Act[]> {
  const acts: Act[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < 50; pages++) {
    const page: Awaited<ReturnType<ActReader['readActs']>> = await reader.readActs({ kind, target, cursor });
    if (page === null) throw new Error('the target is gone');
    acts.push(...page.acts);
    cursor = page.next;
    if (cursor === null) return acts;
  }
  throw new Error('the list has no end');
}

/** Whose acts these are. */
export function namesOf(acts: readonly Act[] | undefined) {
  return acts?.map(({ username }) => username);
}
