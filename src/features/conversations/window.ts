/** Length of Meta's "customer service window", in which free text may be sent after a contact's message. */
export const WINDOW_MS = 24 * 60 * 60 * 1000;

export function windowExpiresAt(lastInboundAt: Date | null): Date | null {
  return lastInboundAt && new Date(lastInboundAt.getTime() + WINDOW_MS);
}

export function isWindowOpen(lastInboundAt: Date | null, now: Date): boolean {
  const expiresAt = windowExpiresAt(lastInboundAt);
  return expiresAt !== null && now < expiresAt;
}
