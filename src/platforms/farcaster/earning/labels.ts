import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { LabelsUnreadable, type SpamLabels } from '../../../domain/earning/labels.ts';
import { FARCASTER } from '../../../domain/platforms/platforms.ts';
import { type Log, summarizeError } from '../../../log.ts';
import { createLabelReader, type LabelSets } from './label-lines.ts';

/** More accounts than Farcaster has; each takes some 30 bytes of memory. */
const MOST_LABELS = 10_000_000;

interface Version {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
}

function isSame(a: Version, b: Version): boolean {
  return a.mtimeMs === b.mtimeMs && a.size === b.size && a.ino === b.ino;
}

/** Leaves out the path, which the message of Node names. */
function explain(error: unknown): LabelsUnreadable {
  if (error instanceof LabelsUnreadable) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const why = code === 'ENOENT' ? 'the file does not exist' : `the file cannot be read (${code})`;
  return new LabelsUnreadable(why, { cause: error });
}

async function readLabels(path: string, mostLabels: number): Promise<LabelSets> {
  const reader = createLabelReader({ mostLabels });
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    if (!reader.add(String(chunk))) throw new LabelsUnreadable(`the file labels more than ${mostLabels} accounts`);
  }
  const labels = reader.end();
  // An empty or foreign file would let all spam pass.
  if (labels.spam.size + labels.trusted.size === 0) throw new LabelsUnreadable('the file holds no label');
  return labels;
}

/** @throws LabelsUnreadable when there is no file, or it changed meanwhile */
async function readVersion(path: string, mostLabels: number): Promise<{ labels: LabelSets; version: Version }> {
  try {
    const version = await stat(path);
    const labels = await readLabels(path, mostLabels);
    if (!isSame(version, await stat(path))) throw new LabelsUnreadable('the file changed while it was read');
    return { labels, version };
  } catch (error) {
    throw explain(error);
  }
}

/**
 * The spam labels of Farcaster accounts in a file of public lines.
 * @throws LabelsUnreadable when the file cannot be used
 */
export async function openSpamLabels({
  path,
  log,
  mostLabels = MOST_LABELS,
}: {
  path: string;
  log: Log;
  mostLabels?: number;
}): Promise<SpamLabels> {
  let { labels, version } = await readVersion(path, mostLabels);
  /** The last failure, so that the log names each once. */
  let problem: string | null = null;

  function tell(): void {
    const { counts } = labels;
    if (counts.broken > 0) log.warn(counts, 'spam labels read; lines that are no label were skipped');
    else log.info(counts, 'spam labels read');
  }

  function tellProblem(error: unknown): void {
    const { message } = explain(error);
    if (message !== problem) log.warn({ error: summarizeError(explain(error)) }, 'spam labels: the last ones stay');
    problem = message;
  }

  tell();
  return {
    labelOf({ platform, platformUserId }) {
      const fid = platform === FARCASTER.id ? Number(platformUserId) : 0;
      if (labels.spam.has(fid)) return 'spam';
      return labels.trusted.has(fid) ? 'trusted' : 'unknown';
    },
    counts: () => labels.counts,
    async refresh() {
      try {
        if (isSame(version, await stat(path)) && problem === null) return;
        ({ labels, version } = await readVersion(path, mostLabels));
        problem = null;
        tell();
      } catch (error) {
        tellProblem(error);
      }
    },
  };
}
