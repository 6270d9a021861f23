/** Where those go who wanted nothing in particular. */
export const FRONT = '/console/';
/** Longer addresses are none of the console's. */
const MAX_LENGTH = 2000;

/** A page of the console, as somebody asked for it; whatever would lead elsewhere becomes the front. */
export function pageOfConsole(wanted: string | undefined): string {
  if (!wanted?.startsWith('/') || wanted.length > MAX_LENGTH || !URL.canParse(wanted, HERE)) return FRONT;
  const { origin, pathname, search, hash } = new URL(wanted, HERE);
  return origin === HERE && /^\/console(?:\/|$)/.test(pathname) ? `${pathname}${search}${hash}` : FRONT;
}

/** Stands for whatever host the console has. */
const HERE = 'http://console.invalid';
