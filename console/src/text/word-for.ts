/**
 * The word for what an address or the server names, where there is one. A name such as `__proto__` finds nothing: what every
 * object inherits is no word.
 */
export function wordFor<T>(words: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}
