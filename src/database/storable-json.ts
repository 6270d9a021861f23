import { storable } from '../messages/status-store.js';

/** JSON from outside with texts that PostgreSQL can store. */
export function storableJson<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => (typeof each === 'string' ? storable(each) : each));
}
