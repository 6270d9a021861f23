import type { RevokedKey } from '../../../accounts/keys.js';
import type { Prisma } from '../../../platform/generated/prisma/client.js';
import { systemClock } from '../../../platform/system-clock.js';
import type { Column, RemovalSubject } from '../../actions.js';

export interface KeyRow {
  id: string;
  accountId: string;
  name: string;
  scopes: string[];
  lastFour: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export const KEY_COLUMNS: Record<string, Column<KeyRow>> = {
  ID: 'id',
  ACCOUNT: 'accountId',
  NAME: 'name',
  SCOPES: ({ scopes }) => scopes.join(','),
  KEY: ({ lastFour }) => `…${lastFour}`,
  'LAST USE': ({ lastUsedAt }) => lastUsedAt ?? 'never',
  REVOKED: 'revokedAt',
};

interface KeyState {
  lastFour: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

export function formatKeyState(key: KeyState) {
  return {
    lastFour: key.lastFour,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
  };
}

export function revokeForAudit(
  revoke: (prisma: Prisma.TransactionClient, id: string, at: Date) => Promise<RevokedKey>,
): RemovalSubject['perform'] {
  return async (prisma, id) => {
    const { accountId, name, isNew } = await revoke(prisma, id, systemClock.now());
    return isNew ? { accountId, before: { name } } : null;
  };
}
