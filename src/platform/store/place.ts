import { readHosts } from './reaching/hosts.js';

/**
 * Where a PostgreSQL is, as it may be told to anybody: host, port and database, without user and password.
 * @param url as DATABASE_URL has it
 */
export function placeOf(url: string): string {
  try {
    const urls = (readHosts(url)?.urls ?? [url]).map((each) => new URL(each));
    const hosts = urls.map(({ hostname, port, searchParams }) => {
      const host = hostname || (searchParams.get('host') ?? 'localhost');
      return `${host}${port && `:${port}`}`;
    });
    return `${hosts.join(',')}${decodeURIComponent(urls[0]?.pathname ?? '')}`;
  } catch {
    return 'the PostgreSQL of DATABASE_URL';
  }
}

/** A text without any URL of PostgreSQL or Redis, which may hold a password, however it is spelled. */
export function withoutStoreUrls(text: string): string {
  // A scheme that a sentence goes on behind is no URL.
  return text.replace(/\b(postgres(?:ql)?|rediss?(?:\+\w+)?):\/\/(?![;,.]?(?:\s|$))[^\s'"]+/gi, '$1://…');
}

/** The same without anything that looks like a user and a password before a host, as somebody typed it on a command line. */
export function withoutCredentials(text: string): string {
  return withoutStoreUrls(text.replace(/'[^'\n:]*:[^'\n@]*@[^'\n]*'/g, "'…'")).replace(/[^\s'"]+/g, (word) =>
    word.includes(':') && word.indexOf(':') < word.lastIndexOf('@') ? '…' : word,
  );
}
