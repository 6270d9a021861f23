import type { ChangePlace } from '../../messages/changes/changes-store.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';

/** What a cursor of changes says. A caller is to keep it as it is, and to read nothing from it. */
export interface ChangeCursor extends ChangePlace {
  /** The PostgreSQL that numbers the transactions, or of a store that was restored its epoch. */
  store: string;
  /** All before this moment is behind the cursor. */
  at: Date;
}

const FORM = /^1\.(-?\d{1,20})\.(\d{1,18})\.(\d{1,18})\.(\d{1,9})\.(\d{1,15})$/;

/** The text that a caller hands back. */
export function writeCursor({ store, xid, id, no, at }: ChangeCursor): string {
  return Buffer.from(['1', store, xid, id, no, at.getTime()].join('.')).toString('base64url');
}

/** @throws {AppError} INVALID_REQUEST for what is no cursor */
export function readCursor(text: string): ChangeCursor {
  const [, store, xid, id, no, at] = FORM.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (store === undefined || xid === undefined || id === undefined) {
    throw invalidField('after', 'must be the cursor of an answer before, or `now`');
  }
  return { store, xid, id, no: Number(no), at: new Date(Number(at)) };
}

/** A cursor that nothing can be continued from any more. */
export function goneCursor(why: string): AppError {
  return new AppError('GONE', `after ${why}: begin anew without it`, [{ field: 'after', rule: why }]);
}
