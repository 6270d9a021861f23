import { readHosts } from './servers/hosts.js';

/** Omits user and password. */
export function describeStoreUrl(url: string): string {
  try {
    const urls = (readHosts(url)?.urls ?? [url]).map((hostUrl) => new URL(hostUrl));
    const hosts = urls.map(({ hostname, port, searchParams }) => {
      const host = hostname || (searchParams.get('host') ?? 'localhost');
      return `${host}${port && `:${port}`}`;
    });
    return `${hosts.join(',')}${decodeURIComponent(urls[0]?.pathname ?? '')}`;
  } catch {
    return 'the PostgreSQL of DATABASE_URL';
  }
}

export function redactStoreUrls(text: string): string {
  // A URL scheme followed by punctuation or a space is part of a sentence, not of a URL.
  return text.replace(/\b(postgres(?:ql)?|rediss?(?:\+\w+)?):\/\/(?![;,.]?(?:\s|$))[^\s'"]+/gi, '$1://…');
}

export function redactCredentials(text: string): string {
  return redactStoreUrls(text.replace(/'[^'\n:]*:[^'\n@]*@[^'\n]*'/g, "'…'")).replace(/[^\s'"]+/g, (word) =>
    word.includes(':') && word.indexOf(':') < word.lastIndexOf('@') ? '…' : word,
  );
}
