/** Ignores inherited properties, so that a key such as `__proto__` finds no word. */
export function wordFor<T>(words: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}
