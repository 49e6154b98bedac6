import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  compact,
  encodeHeader,
  encodePayload,
  encodeSignature,
  type JsonFarcasterSignature,
  uncompact,
} from '@farcaster/jfs';
import type { Hex } from 'viem';

/** A key of Ed25519 by which an app signs for people. */
export interface AppKey {
  readonly key: Hex;
  readonly secret: KeyObject;
}

export function createAppKey(): AppKey {
  const { publicKey, privateKey: secret } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { key: `0x${Buffer.from(x, 'base64url').toString('hex')}`, secret };
}

/** What a tap says. */
export interface TapSaid {
  readonly fid: number;
  readonly audience: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Of the payload, beside or instead of what the other fields make. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Of the header. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/** A tap in its compact form, made by Farcaster's own library as an app does. */
export function signTap({ key, secret }: AppKey, { fid, audience, at, payload, header }: TapSaid): string {
  const encoded = {
    header: encodeHeader({ fid, type: 'app_key', key, ...header }),
    payload: encodePayload({
      fid,
      inputs: {},
      timestamp: Math.floor(at / 1000),
      audience,
      user: { fid },
      surface: { type: 'standalone' },
      ...payload,
    }),
  };
  const signature = sign(null, Buffer.from(`${encoded.header}.${encoded.payload}`), secret);
  return compact({ ...encoded, signature: encodeSignature(signature) });
}

/** The header of a request for a card that names who looks: a payload without inputs. */
export function signHeader(app: AppKey, said: TapSaid): string {
  return signTap(app, { ...said, payload: { fid: undefined, inputs: undefined, ...said.payload } });
}

/** The parts of a tap. */
export function partsOf(tap: string): JsonFarcasterSignature {
  return uncompact(tap);
}

/** Time for a registry to answer, however busy the machine is. */
export const PATIENT = { endpointMs: 50_000, questionMs: 100_000 };
