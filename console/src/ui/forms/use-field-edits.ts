import { useState } from 'react';

export interface FieldEdits<T> {
  /** Values from the server, overridden by edits. */
  values: T;
  /** Changes from the server's values; only these are sent on saving. */
  changes: Partial<T>;
  isChanged: boolean;
  set<Name extends keyof T>(name: Name, value: T[Name]): void;
  /** Call after saving. Discards the saved edits, and keeps edits that were made during the request. */
  settle(sent: Partial<T>): void;
}

/**
 * Tracks edits separately from the server's values. Untouched fields always show the server's values, and are not sent on
 * saving. Saving a name must not undo a concurrent change of another field, such as an opt-out.
 * @param current latest values from the server; fields are compared as JSON
 */
export function useFieldEdits<T extends object>(current: T): FieldEdits<T> {
  const [edits, setEdits] = useState<Partial<T>>({});
  const changes = omitEqual(edits, current);
  return {
    values: { ...current, ...edits },
    changes,
    isChanged: Object.keys(changes).length > 0,
    set: (name, value) => setEdits((last) => omitEqual<T>({ ...last, [name]: value } as Partial<T>, current)),
    settle: (sent) => setEdits((last) => omitEqual(last, sent)),
  };
}

function omitEqual<T extends object>(fields: Partial<T>, base: Partial<T>): Partial<T> {
  const isSame = (name: string) => JSON.stringify(fields[name as keyof T]) === JSON.stringify(base[name as keyof T]);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isSame(name))) as Partial<T>;
}
