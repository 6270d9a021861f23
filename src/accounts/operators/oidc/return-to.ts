export const CONSOLE_START = '/console/';
const MAX_LENGTH = 2000;

/** Returns the console's start page if the requested address is outside the console. */
export function toConsolePath(requested: string | undefined): string {
  if (!requested?.startsWith('/') || requested.length > MAX_LENGTH || !URL.canParse(requested, PLACEHOLDER_ORIGIN))
    return CONSOLE_START;
  const { origin, pathname, search, hash } = new URL(requested, PLACEHOLDER_ORIGIN);
  return origin === PLACEHOLDER_ORIGIN && /^\/console(?:\/|$)/.test(pathname)
    ? `${pathname}${search}${hash}`
    : CONSOLE_START;
}

const PLACEHOLDER_ORIGIN = 'http://console.invalid';
