/**
 * Reads of the same key that are asked for while one is under way are made as one after it. So a flood of questions is a
 * read for each round trip, and yet every answer is of a read that began after its question: what another process changed
 * before is never missed.
 */
export class SharedReads<T> {
  readonly #underWay = new Map<string, { read: Promise<T>; next: Promise<T> | null }>();

  /** The value of a key, read by `read` no sooner than now. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const present = this.#underWay.get(key);
    if (!present) return this.#begin(key, read);
    present.next ??= present.read.then(
      () => this.#begin(key, read),
      () => this.#begin(key, read),
    );
    return present.next;
  }

  #begin(key: string, read: () => Promise<T>): Promise<T> {
    const begun = { read: read(), next: null };
    this.#underWay.set(key, begun);
    const end = () => {
      if (begun.next === null) this.#underWay.delete(key);
    };
    begun.read.then(end, end);
    return begun.read;
  }
}
