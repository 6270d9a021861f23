import { useCallback, useSyncExternalStore } from 'react';

/** Drafts survive reloading and signing in again, but are lost when the tab is closed or the operator signs out. */
const PREFIX = 'heliograph draft ';

const listeners = new Set<() => void>();
/** Drafts are also kept in memory, in case the browser blocks session storage. */
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
    // Without session storage, the draft is kept only in memory.
  }
  for (const listener of listeners) listener();
}

export function forgetDrafts(): void {
  memory.clear();
  try {
    const keys = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? '');
    for (const key of keys) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // If the browser blocks session storage, it contains no drafts.
  }
  for (const listener of listeners) listener();
}

/** Stores a second text next to a draft; emptying the draft deletes this text. */
export function draftStorage(draft: string) {
  const key = `${draft} beside`;
  return { read: () => read(key), write: (text: string) => write(key, text) };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changeDraft(key: string, update: (last: string) => string): void {
  const draft = update(read(key));
  write(key, draft);
  if (draft === '') draftStorage(key).write('');
}

/** Returns a draft that survives leaving the page and the expiry of the session. */
export function useDraft(key: string): [draft: string, change: (to: (last: string) => string) => void] {
  const draft = useSyncExternalStore(subscribe, () => read(key));
  const change = useCallback((to: (last: string) => string) => changeDraft(key, to), [key]);
  return [draft, change];
}
