interface KeyRow {
  id: string;
  accountId: string;
  name: string;
  scopes: string[];
  lastFour: string;
  revokedAt: string | null;
}

/** The columns of every list of keys. */
export const KEY_COLUMNS = {
  ID: (row: KeyRow) => row.id,
  ACCOUNT: (row: KeyRow) => row.accountId,
  NAME: (row: KeyRow) => row.name,
  SCOPES: (row: KeyRow) => row.scopes.join(','),
  KEY: (row: KeyRow) => `…${row.lastFour}`,
  REVOKED: (row: KeyRow) => row.revokedAt ?? '',
};

/** What scripts read last of a key. */
export function keyState(key: { lastFour: string; createdAt: Date; revokedAt: Date | null }) {
  return {
    lastFour: key.lastFour,
    createdAt: key.createdAt.toISOString(),
    revokedAt: key.revokedAt?.toISOString() ?? null,
  };
}
