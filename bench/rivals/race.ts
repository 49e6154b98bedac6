/** What a paying rival is told, as JSON in its first argument. */
export interface RaceOptions {
  readonly url: string;
  readonly mnemonic: string;
  readonly token: `0x${string}`;
  /** The wallets that pay, all at once. */
  readonly wallets: readonly number[];
  /** Of each wallet, one after the other. */
  readonly transfers: number;
  readonly recipient: `0x${string}`;
}

export function raceOptions(): RaceOptions {
  // The bench itself wrote them.
  return JSON.parse(process.argv[2] ?? '{}') as RaceOptions;
}

/** What the second half of the transfers took: milliseconds by the clock, and microseconds of processor time. */
export interface Raced {
  readonly ms: number;
  readonly micros: number;
}

/** Makes all transfers and prints what the second half of them took, as JSON. */
export async function race(
  { wallets, transfers }: RaceOptions,
  pay: (wallet: number, count: number) => Promise<void>,
): Promise<void> {
  const half = (wallets.length * transfers) / 2;
  let paid = 0;
  let begin = 0;
  let before = process.cpuUsage();
  const payAll = async (wallet: number) => {
    for (let count = 0; count < transfers; count++) {
      await pay(wallet, count);
      paid += 1;
      if (paid === half) {
        begin = performance.now();
        before = process.cpuUsage();
      }
    }
  };
  await Promise.all(wallets.map(payAll));
  const { user, system } = process.cpuUsage(before);
  const raced: Raced = { ms: performance.now() - begin, micros: user + system };
  process.stdout.write(JSON.stringify(raced));
}
