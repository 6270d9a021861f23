import { useState } from 'react';

/** The fields of a form over something that others may change while it is open. */
export interface Typed<T> {
  /** What the form shows: what was typed, and of every other field what is there now. */
  values: T;
  /** The fields that are to become another, and nothing else: what a save sends. */
  changes: Partial<T>;
  isChanged: boolean;
  set<Name extends keyof T>(name: Name, value: T[Name]): void;
  /** After a save: what was sent is typed no more, what was typed meanwhile stays. */
  settle(sent: Partial<T>): void;
}

/**
 * Keeps what was typed apart from what is there. A field that nobody has touched follows what is there now and is not sent
 * back: else saving a name would undo what came of another field meanwhile, such as an opt-out.
 * @param now as the page has read it last; its fields are compared as JSON
 */
export function useTyped<T extends object>(now: T): Typed<T> {
  const [typed, setTyped] = useState<Partial<T>>({});
  const changes = without(typed, now);
  return {
    values: { ...now, ...typed },
    changes,
    isChanged: Object.keys(changes).length > 0,
    // Back to what is there: touched no more.
    set: (name, value) => setTyped((last) => without<T>({ ...last, [name]: value } as Partial<T>, now)),
    settle: (sent) => setTyped((last) => without(last, sent)),
  };
}

/** Leaves out the fields that are the same in both. */
function without<T extends object>(fields: Partial<T>, same: Partial<T>): Partial<T> {
  const isSame = (name: string) => JSON.stringify(fields[name as keyof T]) === JSON.stringify(same[name as keyof T]);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isSame(name))) as Partial<T>;
}
