import { minuteText } from '../../src/domain/time.ts';
import { describeSpan, parseSpan, type SandboxClock } from '../clock.ts';
import type { Outcome } from './actions.ts';
import type { Story } from './story.ts';

/** Moves the time on for everything in the sandbox. */
export interface TimeMachine extends Pick<SandboxClock, 'now' | 'ahead'> {
  /** Resolves when the service and the chain have the new time, too. */
  moveOn(ms: number): Promise<void>;
}

/** What the page's buttons and `npm run later` do: `by` is a span as `13h`. */
export function createTimeMover(options: { time: TimeMachine; story: Story; changed: () => void }) {
  const { time, story, changed } = options;
  return async (by: string): Promise<Outcome> => {
    const show = 'service';
    const ms = parseSpan(by);
    if (ms === null) {
      const message = `Move the time on by minutes, hours or days, at most a year, as 90m, 13h or 2d; not ${JSON.stringify(by)}.`;
      return { ok: false, message, show };
    }
    await time.moveOn(ms);
    const now = minuteText(time.now());
    story.tell({ scene: 'You', text: `moved the time on by ${describeSpan(ms)}, to ${now}.`, announce: true });
    changed();
    return { ok: true, message: `It is ${describeSpan(ms)} later: ${now}.`, show };
  };
}
