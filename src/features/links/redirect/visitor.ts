import { isbot } from 'isbot';

export interface VisitHeaders {
  'user-agent'?: string | undefined;
  purpose?: string | string[] | undefined;
  'sec-purpose'?: string | string[] | undefined;
  'x-moz'?: string | string[] | undefined;
  'x-purpose'?: string | string[] | undefined;
}

const PURPOSE_HEADERS = ['purpose', 'sec-purpose', 'x-moz', 'x-purpose'] as const;
/** Values that browsers send when they load a page in advance or show a preview of it. */
const ADVANCE = /prefetch|preview|prerender/i;
/** Previews of messengers that isbot does not know. Agents of browsers, also within messengers, begin with Mozilla. */
const MESSENGER = /^(?:WhatsApp|Viber|Signal|Telegram|iMessage)/i;

/**
 * Returns false for crawlers, link previews, pages that a browser loads in advance, HEAD requests, and requests without a user
 * agent. Security scanners that pretend to be a browser count as people.
 */
export function isPerson(method: string, headers: VisitHeaders): boolean {
  const agent = headers['user-agent'];
  if (method !== 'GET' || !agent) return false;
  if (PURPOSE_HEADERS.some((name) => ADVANCE.test(String(headers[name] ?? '')))) return false;
  return !isbot(agent) && !MESSENGER.test(agent);
}
