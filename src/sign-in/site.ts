/** How a message of EIP-4361 names the site that asks for it. */
export interface SignInSite {
  /** The host with its port, as browsers show it. */
  readonly domain: string;
  /** The page on which the message is signed. */
  readonly uri: string;
  /** What it is called, in the printable ASCII characters that such a message may have. */
  readonly name: string;
}

/** What messages say about the site at this public URL; one whose own name they cannot say is called by its domain. */
export function siteOf(publicUrl: string, siteName: string | null = null): SignInSite {
  const { host: domain } = new URL(publicUrl);
  const name = siteName ?? 'gigclaim';
  return { domain, uri: `${publicUrl}/my/sign-in`, name: /^[\x20-\x7e]+$/.test(name) ? name : domain };
}
