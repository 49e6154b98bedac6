import type { Fragments } from './fragments.ts';

/** Renders the page's parts when something has changed, once for all who look at it. */
export interface Publisher {
  /** Something is another than before. */
  changed(): void;
  /** The parts after a look at everything. */
  fresh(): Promise<Fragments>;
  /** The parts as they were seen last. */
  current(): Promise<Fragments>;
  /** Resolves when the parts are others `than` these, after `ms`, or when `signal` says so. */
  next(options: { than: Fragments; ms: number; signal: AbortSignal }): Promise<void>;
  closed(): boolean;
  /** Wakes all waiting requests for the last time. */
  close(): void;
}

/** Changes that come at once are rendered at once. */
const TOGETHER_MS = 30;
/** How long a first look may take; what has not answered by then is on the page a moment later. */
const FIRST_LOOK_MS = 1_500;

/** A publisher; `render` is not called without requests. */
export function createPublisher(options: { render: () => Promise<Fragments>; look: () => Promise<void> }): Publisher {
  let generation = 0;
  let rendered: { readonly generation: number; readonly fragments: Promise<Fragments> } | null = null;
  const shown = new WeakMap<Fragments, number>();
  const sleepers = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function wake(): void {
    timer = undefined;
    for (const sleeper of [...sleepers]) sleeper();
  }

  async function current(): Promise<Fragments> {
    if (rendered === null || rendered.generation !== generation) rendered = { generation, fragments: options.render() };
    const { generation: asked, fragments } = rendered;
    const parts = await fragments;
    shown.set(parts, asked);
    return parts;
  }

  return {
    changed: () => {
      generation += 1;
      timer ??= setTimeout(wake, TOGETHER_MS);
    },
    fresh: async () => {
      let enough: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        enough = setTimeout(resolve, FIRST_LOOK_MS);
      });
      await Promise.race([options.look(), patience]);
      clearTimeout(enough);
      return await current();
    },
    current,
    next: ({ than, ms, signal }) =>
      new Promise((resolve) => {
        if (shown.get(than) !== generation || signal.aborted || isClosed) {
          // A moment, so that changes which come at once are sent at once.
          setTimeout(resolve, signal.aborted || isClosed ? 0 : TOGETHER_MS);
          return;
        }
        const finish = () => {
          clearTimeout(limit);
          sleepers.delete(finish);
          signal.removeEventListener('abort', finish);
          resolve();
        };
        const limit = setTimeout(finish, ms);
        sleepers.add(finish);
        signal.addEventListener('abort', finish);
      }),
    closed: () => isClosed,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      wake();
    },
  };
}
