import { createPublicKey, verify } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import type { NetworkEnv } from './networks/faults.ts';
import { createNetworkServer, type NetworkServer } from './networks/server.ts';

/** What precedes the 32 bytes of an Ed25519 private key in its PKCS #8 DER. */
const KEY_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs what the sandbox's service asks; only the sandbox's own verifier believes it. */
export const VERIFIER_SIGNING_KEY = Buffer.concat([KEY_HEAD, Buffer.alloc(32, 'gigclaim-sandbox-')]).toString('base64');

const FRESH_MS = 300_000;

const wellKnown = z.object({ verifier: z.object({ jwk: z.record(z.string(), z.string()) }) });
const question = z.object({
  gig_id: z.int(),
  candidates: z.array(
    z.object({ id: z.int(), username: z.string().nullable(), submission: z.object({ text: z.string() }) }),
  ),
});

/** What the verifier was asked about, and what it decided. */
export interface VerifierEvent {
  readonly gigId: number;
  /** One for each submission, in words. */
  readonly verdicts: readonly string[];
}

function judge({ id, submission }: z.infer<typeof question>['candidates'][number]) {
  return /https:\/\/design\.example\//.test(submission.text)
    ? { id, award: '2.5' }
    : { id, refuse: 'no link to a design' };
}

/**
 * A client's program that decides about bounties, as `docs/verifier.ts` does: 2.5 for whoever links a design, nothing for
 * others. It answers `POST /decide`.
 * @param options.service the address of the service, whose public key it asks for
 */
export function createVerifier(options: {
  service: string;
  clock: () => number;
  observe?: (event: VerifierEvent) => void;
}): NetworkServer {
  const { service, clock, observe } = options;
  let known: Promise<ReturnType<typeof createPublicKey>> | null = null;

  async function readKey() {
    const { verifier } = wellKnown.parse(await (await fetch(`${service}/.well-known/gigclaim.json`)).json());
    return createPublicKey({ key: verifier.jwk, format: 'jwk' });
  }

  async function isSigned(header: (name: string) => string | undefined, body: string): Promise<boolean> {
    known ??= readKey();
    const key = await known.catch((error: unknown) => {
      known = null;
      throw error;
    });
    const [id, seconds] = [header('webhook-id'), header('webhook-timestamp')];
    const isFresh = Math.abs(clock() - Number(seconds) * 1_000) < FRESH_MS;
    const signed = Buffer.from(`${id}.${seconds}.${body}`);
    const signatures = (header('webhook-signature') ?? '').split(' ').filter((each) => each.startsWith('v1a,'));
    return isFresh && signatures.some((each) => verify(null, signed, key, Buffer.from(each.slice(4), 'base64')));
  }

  const app = new Hono<NetworkEnv>();
  app.post('/decide', async (c) => {
    const body = await c.req.text();
    if (!(await isSigned((name) => c.req.header(name), body))) return c.body(null, 401);
    const { gig_id: gigId, candidates } = question.parse(JSON.parse(body));
    const decisions = candidates.map(judge);
    const verdicts = candidates.map((candidate, index) => {
      const verdict = decisions[index];
      const words = verdict === undefined || 'award' in verdict ? verdict?.award : `refused, ${verdict.refuse}`;
      return `${candidate.username ?? candidate.id}: ${words}`;
    });
    observe?.({ gigId, verdicts });
    return c.json({ decisions });
  });
  return createNetworkServer(app);
}
