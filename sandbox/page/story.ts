/** Where something happened. */
export type Scene = 'Farcaster' | 'X' | 'Service' | 'Chain' | 'Verifier' | 'Receiver' | 'You';

/** One thing that happened, in words. */
export interface StoryLine {
  /** Counts up from 1. */
  readonly id: number;
  /** Epoch ms. */
  readonly at: number;
  readonly scene: Scene;
  /** A sentence; of what `You` did, without its subject. */
  readonly text: string;
  /** Whether screen readers should announce it. */
  readonly announce: boolean;
}

/** What happened in the sandbox, step by step. */
export interface Story {
  /** `at` is when it happened, epoch ms; now when absent. */
  tell(line: {
    readonly scene: Scene;
    readonly text: string;
    readonly announce?: boolean;
    readonly at?: number | undefined;
  }): void;
  /** The newest first. */
  lines(): readonly StoryLine[];
}

const KEPT = 150;

/** An empty story; `changed` is called after every new line. Old lines are forgotten. */
export function createStory(options: { clock: () => number; changed: () => void }): Story {
  const lines: StoryLine[] = [];
  let count = 0;
  return {
    tell: ({ scene, text, announce = false, at }) => {
      count += 1;
      const now = options.clock();
      const line = { id: count, at: Math.min(at ?? now, now), scene, text, announce };
      const older = lines.findIndex((other) => other.at <= line.at);
      lines.splice(older < 0 ? lines.length : older, 0, line);
      lines.splice(KEPT);
      options.changed();
    },
    lines: () => lines,
  };
}
