/** Whether what is sent to a URL can be read by its host alone: https, or plain http to this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/u.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLocal);
}
