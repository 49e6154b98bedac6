import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Hex } from 'viem';
import type { Person } from '../people.ts';

/** What comes before the 32 bytes of an Ed25519 private key in its PKCS #8 form (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The Ed25519 key with which the Farcaster app of a person signs. The same in each sandbox, and worthless elsewhere. */
function privateKeyOf({ name }: Person): KeyObject {
  const seed = createHash('sha256').update(`gigclaim sandbox: app key of ${name}`).digest();
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

/** The public half of a person's app key: 32 bytes. */
export function appKeyOf(who: Person): Hex {
  const { x = '' } = createPublicKey(privateKeyOf(who)).export({ format: 'jwk' });
  return `0x${Buffer.from(x, 'base64url').toString('hex')}`;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JSON Farcaster Signature by a person's app key, compact: header, payload and signature, each in base64url. */
export function signAsApp(who: Person, payload: object): string {
  const signed = `${encoded({ fid: who.fid, type: 'app_key', key: appKeyOf(who) })}.${encoded(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKeyOf(who)).toString('base64url')}`;
}
