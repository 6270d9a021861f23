import type { Column } from '../actions.js';

/** What every list of keys shows of one. */
export interface KeyRow {
  id: string;
  accountId: string;
  name: string;
  scopes: string[];
  lastFour: string;
  revokedAt: string | null;
}

/** The columns of every list of keys. */
export const KEY_COLUMNS: Record<string, Column<KeyRow>> = {
  ID: 'id',
  ACCOUNT: 'accountId',
  NAME: 'name',
  SCOPES: ({ scopes }) => scopes.join(','),
  KEY: ({ lastFour }) => `…${lastFour}`,
  REVOKED: 'revokedAt',
};

/** The last fields of a key's row. */
export function keyState(key: { lastFour: string; createdAt: Date; revokedAt: Date | null }) {
  return {
    lastFour: key.lastFour,
    createdAt: key.createdAt.toISOString(),
    revokedAt: key.revokedAt?.toISOString() ?? null,
  };
}
