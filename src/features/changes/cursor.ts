import type { ChangePosition } from '../../messages/changes/changes-store.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';

export interface ChangeCursor extends ChangePosition {
  /** ID of the PostgreSQL cluster that numbers the transactions, or a random number after a restore. */
  store: string;
  at: Date;
}

const CURSOR_PATTERN = /^1\.(-?\d{1,20})\.(\d{1,18})\.(\d{1,18})\.(\d{1,9})\.(\d{1,15})$/;

export function encodeCursor({ store, xid, id, no, at }: ChangeCursor): string {
  return Buffer.from(['1', store, xid, id, no, at.getTime()].join('.')).toString('base64url');
}

/** @throws {AppError} INVALID_REQUEST for malformed cursors */
export function decodeCursor(text: string): ChangeCursor {
  const [, store, xid, id, no, at] = CURSOR_PATTERN.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (store === undefined || xid === undefined || id === undefined) {
    throw invalidField('after', 'must be the cursor of an earlier response, or `now`');
  }
  return { store, xid, id, no: Number(no), at: new Date(Number(at)) };
}

export function createExpiredCursorError(reason: string): AppError {
  return new AppError('GONE', `after ${reason}: start again without a cursor`, [{ field: 'after', rule: reason }]);
}
