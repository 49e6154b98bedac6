import type { Bench } from './bench.ts';
import { openForgedTaps, TAPS_PER_SECOND } from './beside/forged-taps.ts';
import { type Beside, besideTables, measureBeside, ofQuiet, p50, p99 } from './beside/rounds.ts';
import { doubtOfWaits, type Round } from './contender.ts';
import { type Spread, shownSpread, spreadOf } from './figures.ts';
import { type Section, table, type Verdict } from './report.ts';

const FLOOD = { name: `${TAPS_PER_SECOND.toLocaleString('en-US')} forged taps a second`, unit: 'taps' };
/** Of quiet. */
const MOST = 2;
/** Of the rate: what is sent while the connections are opened is missing. */
const LEAST_SENT = 0.95 * TAPS_PER_SECOND;

const INTRO =
  'Look-ups in a steady stream, in turn while the service does nothing else and while it is flooded with taps on cards, each of another ' +
  'account: well-formed, in time, and with the signature of another tap, so that the arithmetic of the signature is done for each of them. ' +
  'No limit of requests is on, as if each came from another address. Times by the clock say little where the service waited for its core.';

/** Processor time of one, microseconds: what the service takes more a second while it is flooded. */
function microsOfTap({ quiet, busy, done }: Beside): Spread {
  const used = ({ cpuMicros, perSecond }: Round) => cpuMicros * perSecond;
  return spreadOf(busy.map((round, index) => (used(round) - used(quiet[index] ?? round)) / (done?.median ?? 0)));
}

/** Look-ups beside a flood of forged taps, and what these ask of the registry of keys. */
export async function benchTaps(bench: Bench): Promise<Section> {
  bench.say(`taps: ${FLOOD.name}`);
  const work = await openForgedTaps(bench);
  const found = await measureBeside(bench, work, FLOOD).finally(() => work.stop());
  const asked = work.asked();
  const doubt = doubtOfWaits([...found.quiet], [...found.busy]);
  const ratio = (name: string, figure: typeof p99): Verdict => ({
    goal: `${name} of look-ups beside ${FLOOD.name}, of quiet`,
    is: 'at most',
    bound: MOST,
    measured: ofQuiet(found, figure),
    doubt,
  });
  const times = [found.quiet, found.busy].map((rounds) => shownSpread(spreadOf(rounds.map(p50))));
  const head = ['look-ups beside', 'p50 ms, quiet', 'p50 ms, beside', 'of quiet', 'a forged tap, CPU, µs'];
  const row = [FLOOD.name, ...times, shownSpread(ofQuiet(found, p50)), shownSpread(microsOfTap(found))];
  return {
    title: 'Forged taps',
    text: `${INTRO}\n\n${besideTables([found])}\n\n${table(head, [row])}`,
    verdicts: [
      ratio('p50', p50),
      ratio('p99', p99),
      {
        goal: 'forged taps refused a second',
        is: 'at least',
        bound: LEAST_SENT,
        measured: found.done ?? spreadOf([0]),
      },
      { goal: 'questions to the registry of keys', is: 'at most', bound: 0, measured: spreadOf([asked]) },
    ],
  };
}
