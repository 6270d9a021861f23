import { useSyncExternalStore } from 'react';

export interface Secret {
  id: string;
  accountId: string;
  name: string;
  /** Sent as `Authorization: Bearer` for an app, as `X-API-Key` for a channel key. */
  key: string;
  /** Sent as `X-API-Secret`. Apps have none. */
  secret?: string;
  channelIds?: readonly string[];
}

/** Kept only in this tab's memory and lost on reload. */
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
