import type { ActReader } from '../../../domain/earning/platform.ts';
import { AdapterError } from '../../../domain/errors.ts';
import type { WatchContext, WatchedGig } from '../context.ts';
import { recallPost, rememberPosts } from '../memory.ts';

/** No question begins later in a step, which has a lease. */
const ASKING_MS = 30_000;

interface Known {
  readonly known: ReadonlyMap<string, boolean>;
  readonly failure: AdapterError | null;
}

/**
 * Asks the platform whether posts exist, but for those of which that is remembered. Each question is asked once: what it
 * leaves open is for later steps, so that no gig keeps the others waiting.
 */
export async function askAboutPosts(
  { memory, clock }: WatchContext,
  { reader, gig }: WatchedGig,
  ids: readonly string[],
): Promise<Known> {
  const begun = clock();
  const known = new Map<string, boolean>();
  for (const id of ids) {
    const exists = recallPost(memory, gig.id, { id, now: begun });
    if (exists !== null) known.set(id, exists);
  }
  const open = [...new Set(ids)].filter((id) => !known.has(id));
  try {
    for (let from = 0; from < open.length && clock() - begun < ASKING_MS; from += reader.bulk) {
      const found = await reader.readPosts(open.slice(from, from + reader.bulk));
      if (found.size === 0) throw silence();
      rememberPosts(memory, gig.id, { found, now: clock() });
      for (const [id, exists] of found) known.set(id, exists);
    }
    return { known, failure: null };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { known, failure: error };
  }
}

function silence(): AdapterError {
  return new AdapterError({ retry: 'safe', reason: 'bad_response', message: 'Nothing is said about any of the posts' });
}

/** The texts of the posts of submissions, by post, as {@link ActReader.readTexts} tells them. @throws AdapterError */
export async function readPostTexts(
  reader: ActReader,
  submissions: readonly { readonly postId: string }[],
): Promise<ReadonlyMap<string, string | null>> {
  const texts = new Map<string, string | null>();
  for (let from = 0; from < submissions.length; from += reader.bulk) {
    const ids = submissions.slice(from, from + reader.bulk).map(({ postId }) => postId);
    for (const [id, text] of await reader.readTexts(ids)) texts.set(id, text);
  }
  return texts;
}
