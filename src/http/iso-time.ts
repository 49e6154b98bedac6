const DAY_MS = 86_400_000;
const TWO = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
/** Of the day that was written last: most times of one answer fall on a few days. */
let day = Number.NaN;
let dayText = '';

function two(number: number): string {
  return TWO[number] ?? '';
}

/** A moment as it leaves the service. Written out because `toISOString` is most of what a tip costs to write. */
export function iso(time: number): string {
  const today = Math.floor(time / DAY_MS);
  if (today !== day) {
    dayText = new Date(time).toISOString().slice(0, -'HH:MM:SS.mmmZ'.length);
    day = today;
  }
  const ms = time - today * DAY_MS;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${dayText}${clock}.${String(1_000 + (ms % 1_000)).slice(1)}Z`;
}
