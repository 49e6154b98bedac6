import type { Chain } from '../../../domain/chains/chain.ts';
import { durationText, minuteText } from '../../../domain/time.ts';
import type { SetBack } from '../clock/clock-status.ts';
import { defineCondition } from './define-condition.ts';

/** Its newest block is ahead of the clock, or (negative) all new ones are older. Milliseconds. */
interface OffChain {
  readonly chain: Chain;
  readonly aheadMs: number;
}

function sayOffChain({ chain: { key, name }, aheadMs }: OffChain) {
  const apart = durationText(Math.abs(aheadMs));
  const text =
    aheadMs > 0
      ? `The clock is behind the time of ${name}: its newest block was ${apart} ahead. Holds, windows and refunds end later by as much, and above 10 minutes no raffle on ${key} is fixed`
      : `The clock is ahead of the time of ${name}, or its endpoint is late: the newest blocks were at least ${apart} old. Holds, windows and refunds may end earlier by as much`;
  return {
    subject: key,
    text,
    remedy: `Compare the clock of this machine with another one, and run NTP. If it is right, the endpoint of ${name} is not: set another one.`,
  };
}

function saySetBack({ at, backMs }: SetBack) {
  return {
    subject: 'clock',
    text: `The clock was set back by ${durationText(backMs)}. Until ${minuteText(at)} everything that has a set time waits longer by as much: windows of watched gigs, holds, rounds, draws, settlements and refunds. Starts, awards, claims and replies go on`,
    remedy:
      'If the clock is right now, there is nothing to do. Otherwise set it and run NTP: what waits is due as soon as its time has come.',
  };
}

/** The clock differs from the time of a chain, or was set back. */
export const clockOff = defineCondition({
  kind: 'clock_off',
  reach: 'part',
  check: { nameOf: () => 'clock' },
  say: (off: OffChain | SetBack) => ('chain' in off ? sayOffChain(off) : saySetBack(off)),
  find({ chains, clocks }, tell) {
    const setBack = clocks.setBack();
    const ofChains = chains.list().map(({ chain }) => {
      const aheadMs = clocks.offChain(chain);
      if (aheadMs === null) return { unknownOf: chain.key };
      return aheadMs !== 0 && tell({ chain, aheadMs });
    });
    return [setBack !== null && tell(setBack), ...ofChains];
  },
});
