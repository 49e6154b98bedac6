import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { HttpError } from '../errors/http-error.ts';

const IDLE_MS = 60_000;
/** The most images that may wait for the one thread. */
const MAX_WAITING = 16;
const RETRY_AFTER_SECONDS = 5;
/** Heap limits of the thread, in MB: it keeps almost nothing there. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

interface Waiting {
  resolve(png: Uint8Array<ArrayBuffer>): void;
  reject(error: Error): void;
}

type RenderResult = { readonly id: number } & (
  | { readonly png: Uint8Array<ArrayBuffer> }
  | { readonly problem: string }
);

/** Makes PNG pictures of SVG text. */
export interface ImageMaker {
  /**
   * @throws HttpError `unavailable` when too many images are waiting
   * @throws Error when the text cannot be drawn
   */
  render(svg: string): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Draws images in a thread that starts with the first request and ends a minute after the last, so that it costs
 * nothing while unused.
 * @param options.pagesFolder the folder of this file
 */
export function createImageMaker({ pagesFolder }: { pagesFolder: string }): ImageMaker {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let lastId = 0;
  let idle: NodeJS.Timeout | undefined;

  function giveUp(ended: Worker, error: Error): void {
    if (worker !== ended) return;
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function take(from: Worker, answer: RenderResult): void {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('png' in answer) asked?.resolve(answer.png);
    else asked?.reject(new Error(`the picture could not be drawn: ${answer.problem}`));
    if (waiting.size > 0) return;
    from.unref();
    clearTimeout(idle);
    idle = setTimeout(() => {
      if (worker === from && waiting.size === 0) {
        worker = null;
        void from.terminate();
      }
    }, IDLE_MS);
    idle.unref();
  }

  function start(): Worker {
    const started = new Worker(join(pagesFolder, 'image-worker.ts'), { resourceLimits: LIMITS });
    started.on('message', (answer: RenderResult) => take(started, answer));
    started.on('error', (error: unknown) =>
      giveUp(started, new Error('the renderer of pictures failed', { cause: error })),
    );
    started.on('exit', () => giveUp(started, new Error('the renderer of pictures ended')));
    return started;
  }

  return {
    async render(svg) {
      if (waiting.size >= MAX_WAITING) throw new HttpError({ code: 'unavailable', retryAfter: RETRY_AFTER_SECONDS });
      worker ??= start();
      const running = worker;
      running.ref();
      lastId += 1;
      const id = lastId;
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        running.postMessage({ id, svg });
      });
    },
  };
}
