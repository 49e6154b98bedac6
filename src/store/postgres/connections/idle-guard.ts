import { setImmediate } from 'node:timers';

/** Sees whether a transaction awaits anything but its methods. */
export interface IdleGuard {
  /** Rejects once no method was under way for a whole turn of the event loop. */
  readonly refused: Promise<never>;
  /** Notes that a method is under way until it settles; the caller gets its result afterwards. */
  during<T>(method: Promise<T>): Promise<T>;
  /** Nothing is refused any more. */
  end(): void;
}

export function createIdleGuard(): IdleGuard {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  // Nobody may wait for it.
  refused.catch(() => undefined);
  let ended = false;
  let underWay = 0;
  let calls = 0;

  function check(): void {
    const seen = calls;
    setImmediate(() => {
      if (!ended && underWay === 0 && calls === seen) {
        reject(new TypeError('a transaction must await nothing but its tx'));
      }
    });
  }

  // Before the work begins, so that it fires before any immediate that the work awaits.
  check();
  return {
    refused,
    during(method) {
      calls += 1;
      underWay += 1;
      const settled = () => {
        underWay -= 1;
        if (underWay === 0) check();
      };
      method.then(settled, settled);
      return method;
    },
    end() {
      ended = true;
    },
  };
}
