/** Where something happened. */
export type Scene = 'Farcaster' | 'X' | 'Service' | 'Chain' | 'You';

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
  tell(line: { readonly scene: Scene; readonly text: string; readonly announce?: boolean }): void;
  /** The newest first. */
  lines(): readonly StoryLine[];
}

const KEPT = 150;

/** An empty story; `changed` is called after every new line. Old lines are forgotten. */
export function createStory(options: { clock: () => number; changed: () => void }): Story {
  const lines: StoryLine[] = [];
  let count = 0;
  return {
    tell: ({ scene, text, announce = false }) => {
      count += 1;
      lines.unshift({ id: count, at: options.clock(), scene, text, announce });
      lines.splice(KEPT);
      options.changed();
    },
    lines: () => lines,
  };
}
