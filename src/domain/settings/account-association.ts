import { settingText } from './setting-values.ts';

/** The proof that an account owns the domain of a mini app, as its Farcaster client has signed it. */
export interface AccountAssociation {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

const part = settingText
  .refine((text) => /^[\w+/=-]+$/.test(text), 'must be a part of the account association, in base64')
  .nullable()
  .default(null);

export const ASSOCIATION_SETTINGS = {
  FARCASTER_MANIFEST_HEADER: part,
  FARCASTER_MANIFEST_PAYLOAD: part,
  FARCASTER_MANIFEST_SIGNATURE: part,
};

/** Null unless all three variables are set. */
export function associationOf({
  FARCASTER_MANIFEST_HEADER: header,
  FARCASTER_MANIFEST_PAYLOAD: payload,
  FARCASTER_MANIFEST_SIGNATURE: signature,
}: Readonly<Record<keyof typeof ASSOCIATION_SETTINGS, string | null>>): AccountAssociation | null {
  if (header === null || payload === null || signature === null) return null;
  return Object.freeze({ header, payload, signature });
}
