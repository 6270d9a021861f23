export const CONSOLE_START = '/console/';
/** Longer than any console path. */
const MAX_LENGTH = 2000;

/** Returns the start page if the address would lead anywhere else. */
export function toConsolePath(requested: string | undefined): string {
  if (!requested?.startsWith('/') || requested.length > MAX_LENGTH || !URL.canParse(requested, PLACEHOLDER_ORIGIN))
    return CONSOLE_START;
  const { origin, pathname, search, hash } = new URL(requested, PLACEHOLDER_ORIGIN);
  return origin === PLACEHOLDER_ORIGIN && /^\/console(?:\/|$)/.test(pathname)
    ? `${pathname}${search}${hash}`
    : CONSOLE_START;
}

const PLACEHOLDER_ORIGIN = 'http://console.invalid';
