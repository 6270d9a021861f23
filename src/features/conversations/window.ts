/** How long after a contact's message free text may be sent (Meta: "customer service window"). */
export const WINDOW_MS = 24 * 60 * 60 * 1000;

/** When the conversation's reply window closes or closed; null if the contact never wrote. */
export function windowExpiresAt(lastInboundAt: Date | null): Date | null {
  return lastInboundAt && new Date(lastInboundAt.getTime() + WINDOW_MS);
}

/** Whether free text may be sent at the given business time. */
export function isWindowOpen(lastInboundAt: Date | null, now: Date): boolean {
  const expiresAt = windowExpiresAt(lastInboundAt);
  return expiresAt !== null && now < expiresAt;
}
