import { createHmac, timingSafeEqual } from 'node:crypto';

/** Takes constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
