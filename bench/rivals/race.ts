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

/** Makes all transfers and prints how long the second half of them took, in milliseconds. */
export async function race(
  { wallets, transfers }: RaceOptions,
  pay: (wallet: number, count: number) => Promise<void>,
): Promise<void> {
  const half = (wallets.length * transfers) / 2;
  let paid = 0;
  let begin = 0;
  const payAll = async (wallet: number) => {
    for (let count = 0; count < transfers; count++) {
      await pay(wallet, count);
      paid += 1;
      if (paid === half) begin = performance.now();
    }
  };
  await Promise.all(wallets.map(payAll));
  process.stdout.write(`${performance.now() - begin}\n`);
}
