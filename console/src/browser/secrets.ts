import { useSyncExternalStore } from 'react';

export interface Secret {
  id: string;
  accountId: string;
  name: string;
  /** API key, sent as `Authorization: Bearer` for an app or as `X-API-Key` for a channel key. */
  key: string;
  /** Secret of a channel key, sent as `X-API-Secret`; apps have no secret. */
  secret?: string;
  channelIds?: readonly string[];
}

/** Secrets are kept only in the tab's memory, and are lost when the page is reloaded. */
let secrets: readonly Secret[] = [];
const listeners = new Set<() => void>();

function setSecrets(next: readonly Secret[]) {
  secrets = next;
  for (const listener of listeners) listener();
}

export function rememberSecret(secret: Secret): void {
  setSecrets([secret, ...secrets.filter(({ id }) => id !== secret.id)]);
}

export function forgetSecret(id: string): void {
  setSecrets(secrets.filter((secret) => secret.id !== id));
}

export const forgetSecrets = (): void => setSecrets([]);

export function useSecrets(accountId: string): readonly Secret[] {
  const allSecrets = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => secrets,
  );
  return allSecrets.filter((secret) => secret.accountId === accountId);
}
