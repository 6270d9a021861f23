import { useCallback, useSyncExternalStore } from 'react';

/** They outlive reloading and signing in again, but not the tab; and who signs out takes them along. */
const PREFIX = 'heliograph draft ';

const listeners = new Set<() => void>();
/** Where the browser keeps nothing for pages, they live as long as this one. */
const memory = new Map<string, string>();

function read(key: string): string {
  try {
    return sessionStorage.getItem(PREFIX + key) ?? memory.get(key) ?? '';
  } catch {
    return memory.get(key) ?? '';
  }
}

function write(key: string, draft: string): void {
  if (draft === '') memory.delete(key);
  else memory.set(key, draft);
  try {
    if (draft === '') sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, draft);
  } catch {
    // It is in the memory.
  }
  for (const listener of listeners) listener();
}

/** Forgets all of them, when someone signs out. */
export function forgetDrafts(): void {
  memory.clear();
  try {
    const kept = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? '');
    for (const key of kept) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
  for (const listener of listeners) listener();
}

/** What is kept beside a draft: until it is written over, or the draft is emptied. */
export function keptBeside(draft: string) {
  const key = `${draft} beside`;
  return { read: () => read(key), write: (text: string) => write(key, text) };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changeDraft(key: string, to: (last: string) => string): void {
  const draft = to(read(key));
  write(key, draft);
  if (draft === '') keptBeside(key).write('');
}

/**
 * What somebody has begun to write, and the way to change it. It is kept while they look at something else, while what
 * they sent is on its way, and when their session ends.
 * @param key of whom and to whom: nobody else finds it in this tab
 */
export function useDraft(key: string): [draft: string, change: (to: (last: string) => string) => void] {
  const draft = useSyncExternalStore(subscribe, () => read(key));
  const change = useCallback((to: (last: string) => string) => changeDraft(key, to), [key]);
  return [draft, change];
}
