/** How a message of EIP-4361 names the site that asks for it. */
export interface SignInSite {
  /** The host with its port, as browsers show it. */
  readonly domain: string;
  /** The page on which the message is signed. */
  readonly uri: string;
}

/** What messages say about the site at this public URL. */
export function siteOf(publicUrl: string): SignInSite {
  return { domain: new URL(publicUrl).host, uri: `${publicUrl}/my/sign-in` };
}
