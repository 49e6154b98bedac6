import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** A new key, as VERIFIER_SIGNING_KEY has it. */
export function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

/** Whether a request of Standard Webhooks is signed by this public key; by code of the tests alone. */
export function isSigned({ headers, body }: Pick<AskedVerifier, 'headers' | 'body'>, publicKey: string): boolean {
  const raw = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' });
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const [version, signature = ''] = String(headers['webhook-signature']).split(',');
  return version === 'v1a' && verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'));
}

export interface AskedCandidateJson {
  readonly id: number;
  readonly username: string;
  readonly submission: { readonly post_id: string; readonly text: string; readonly posted_at: string };
}

/** What the verifier was asked. */
export interface AskedVerifier {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly question: {
    readonly type: string;
    readonly gig_id: number;
    readonly remaining: string;
    readonly candidates: readonly AskedCandidateJson[];
  };
}

/** What it decides about one candidate; undefined leaves it out. */
type Decide = (candidate: AskedCandidateJson) => object | undefined;
type Answer = (asked: AskedVerifier, response: ServerResponse) => void;

/** A 200 with this text. */
export function say(text: string): Answer {
  return (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

/** An answer that decides about each candidate. */
export function decide(each: Decide): Answer {
  return (asked, response) => {
    const decisions = asked.question.candidates.flatMap((candidate) => {
      const decision = each(candidate);
      return decision === undefined ? [] : [{ id: candidate.id, ...decision }];
    });
    say(JSON.stringify({ decisions }))(asked, response);
  };
}

/** A verifier on this machine, which answers as it is told. */
export async function startVerifier(answer: Answer = decide(() => undefined)) {
  const asked: AskedVerifier[] = [];
  let next = answer;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const each = { path: request.url ?? '', headers: request.headers, body, question: JSON.parse(body || '{}') };
    asked.push(each);
    next(each, response);
  });
  const { url: origin, close } = await listen(server);
  return {
    origin,
    url: `${origin}/decide`,
    asked: asked as readonly AskedVerifier[],
    answer: (other: Answer) => {
      next = other;
    },
    close,
  };
}

export type TestVerifier = Awaited<ReturnType<typeof startVerifier>>;
