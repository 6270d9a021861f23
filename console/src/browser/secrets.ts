import { useSyncExternalStore } from 'react';

/** The secrets of an app, or of a key of channels. */
export interface Secret {
  /** Of the app or key. */
  id: string;
  accountId: string;
  name: string;
  /** For `Authorization: Bearer` of an app, for `X-API-Key` of a key. */
  key: string;
  /** For `X-API-Secret`; an app has none. */
  secret?: string;
  channelIds?: readonly string[];
}

/** They live in the memory of this tab and nowhere else: reloading the page forgets them. */
let secrets: readonly Secret[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Secret[]) {
  secrets = next;
  for (const listener of listeners) listener();
}

/** Keeps what was just generated or entered, for the playground. */
export function rememberSecret(secret: Secret): void {
  change([secret, ...secrets.filter(({ id }) => id !== secret.id)]);
}

/** Forgets a secret, e.g. because it was revoked. */
export function forgetSecret(id: string): void {
  change(secrets.filter((each) => each.id !== id));
}

/** Forgets all of them, when someone signs out. */
export const forgetSecrets = (): void => change([]);

/** Those of an account that this tab knows. */
export function useSecrets(accountId: string): readonly Secret[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => secrets,
  );
  return all.filter((secret) => secret.accountId === accountId);
}
