import { afterEach } from 'vitest';
import { recordSent, takeSent } from './published/recorder.ts';

// Every request of every test to a platform, the relay or a node must be one that its published schema allows.

recordSent();

/** The requests of the test that has ended, and what is wrong with them; the schemas load when there are some. */
export async function checkSent(): Promise<{ readonly operation: string; readonly faults: readonly string[] }[]> {
  const requests = takeSent();
  if (requests.length === 0) return [];
  const { judgeSent } = await import('./published/schemas.ts');
  return requests.flatMap((sent) =>
    judgeSent(sent).map(({ operation, faults }) => ({
      operation: `${sent.service} ${operation ?? 'unknown'}`,
      faults,
    })),
  );
}

afterEach(async () => {
  const faults = [...new Set((await checkSent()).flatMap((each) => each.faults))];
  if (faults.length > 0) throw new Error(`what was sent breaks the published schema:\n  ${faults.join('\n  ')}`);
});
