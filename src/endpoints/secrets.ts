import { createHmac, createPrivateKey, hkdfSync } from 'node:crypto';

export const ENDPOINT_SECRET_BYTES = 32;

/** A message as Standard Webhooks signs it; the time is Unix time. */
export interface SignedMessage {
  readonly id: string;
  readonly seconds: number;
  readonly body: string;
}

/** A secret as Standard Webhooks writes it. */
export function secretText(bytes: Uint8Array): string {
  return `whsec_${Buffer.from(bytes).toString('base64')}`;
}

/** The headers of a message that is signed by each of these secrets. */
export function signedHeaders({ id, seconds, body }: SignedMessage, secrets: readonly Uint8Array[]) {
  const signed = `${id}.${seconds}.${body}`;
  const signatures = secrets.map((secret) => createHmac('sha256', secret).update(signed).digest('base64'));
  return {
    'content-type': 'application/json',
    'user-agent': 'gigclaim',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}

/** The secrets of endpoints: none is stored, each derives from the service's key and the endpoint's salt. */
export interface EndpointSecrets {
  /** As Standard Webhooks writes it: `whsec_` and base64 of 32 bytes. */
  secretOf(salt: string): string;
  /** The headers of a message that is signed by the secret of each salt. */
  headersOf(message: SignedMessage, salts: readonly string[]): Readonly<Record<string, string>>;
}

/** Reads base64 of the PKCS #8 DER of an Ed25519 private key. @throws Error for anything else */
export function createEndpointSecrets(signingKey: string): EndpointSecrets {
  const key = createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' });
  const { d = '' } = key.export({ format: 'jwk' });
  const seed = Buffer.from(d, 'base64url');
  const bytesOf = (salt: string) =>
    new Uint8Array(hkdfSync('sha256', seed, '', `gigclaim webhook v1 ${salt}`, ENDPOINT_SECRET_BYTES));
  return {
    secretOf: (salt) => secretText(bytesOf(salt)),
    headersOf: (message, salts) => signedHeaders(message, salts.map(bytesOf)),
  };
}
