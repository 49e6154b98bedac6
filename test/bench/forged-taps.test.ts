import { expect, test } from 'vitest';
import { forgedTaps } from '../../bench/beside/forged-taps.ts';
import { createTaps } from '../../src/sign-in/jfs.ts';

test('behavior: of the taps of the flood nothing but the signature is wrong, and none is like another', async () => {
  const audience = 'http://127.0.0.1:4001';
  const taps = createTaps({ publicUrl: audience, rpcUrls: ['http://127.0.0.1:9'], clock: Date.now });
  const bodies = forgedTaps(audience, 5).map((request) => request.toString().split('\r\n\r\n')[1] ?? '');
  expect(new Set(bodies).size).toBe(5);
  for (const body of bodies) expect(await taps.verify(body, 'claim')).toBe('bad_signature');
  const [first, second] = bodies.map((body) => body.split('.'));
  // With the signature of the one before, which was made for it, a tap is right but for its key, which nobody answers for.
  const signed = [...(second ?? []).slice(0, 2), first?.[2]].join('.');
  await expect(taps.verify(signed, 'claim')).rejects.toThrow('registries do not answer');
});
