import { createPrivateKey, createPublicKey, sign } from 'node:crypto';

export interface SigningKey {
  /** The 32 bytes of the public key, base64, as Standard Webhooks writes it. */
  readonly publicKey: string;
  /** The signature of a message with this id, Unix time and body, as Standard Webhooks writes it. */
  sign(message: { id: string; seconds: number; body: string }): string;
}

/** Reads base64 of the PKCS #8 DER of an Ed25519 private key. @throws Error for anything else */
export function readSigningKey(text: string): SigningKey {
  const key = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return {
    publicKey: `whpk_${Buffer.from(x, 'base64url').toString('base64')}`,
    sign({ id, seconds, body }) {
      const signature = sign(null, Buffer.from(`${id}.${seconds}.${body}`), key);
      return `v1a,${signature.toString('base64')}`;
    },
  };
}
