/** A carrier's report, whose time `at` is in seconds. */
export type Report = { at: number } & (
  | { kind: 'message'; id: number; ids: Ids; text: 'Hi' | 'STOP' | 'START' }
  | { kind: 'status'; ids: Ids }
  | { kind: 'change'; before: Ids; ids: Ids }
);

export interface Ids {
  phone: string | null;
  userId: string | null;
  parentUserId: string | null;
}

interface Person extends Ids {
  phoneAt: number;
  userAt: number;
  users: Set<string>;
  /** Maps each parent user ID to the time since which it belongs to the person. */
  parents: Map<string, number>;
  messages: number[];
  window: number;
}

/** Computes the expected people of a channel from a carrier's reports, in memory. */
export class PeopleModel {
  #people: Person[] = [];
  readonly #seenIds = new Set<number>();
  readonly #optOuts = new Map<string, { active: boolean; at: number }>();

  apply(report: Report): void {
    if (report.kind === 'change') {
      this.#change(report);
      return;
    }
    if (report.kind === 'status') {
      const { phone, userId } = report.ids;
      const [ownerOfPhone, ownerOfUserId] = [this.#findByPhone(phone), this.#findByUser(userId)];
      if (ownerOfPhone !== ownerOfUserId) this.#resolve(report.ids, report.at, false);
      return;
    }
    if (this.#seenIds.has(report.id)) return;
    this.#seenIds.add(report.id);
    const person = this.#resolve(report.ids, report.at, true) as Person;
    person.messages.push(report.id);
    person.window = Math.max(person.window, report.at);
    if (report.text !== 'Hi') this.#setOptOut(person, report.text === 'STOP', report.at);
  }

  /** In no particular order. */
  get people() {
    return this.#people.map((person) => ({
      phone: person.phone,
      userId: person.userId,
      parentUserId: person.parentUserId,
      messages: [...person.messages].sort((first, second) => first - second),
      window: person.window,
      optedOut: listAddresses(person).some((address) => this.#optOuts.get(address)?.active),
    }));
  }

  #findByPhone = (phone: string | null) => this.#people.find((person) => phone !== null && person.phone === phone);
  #findByUser = (id: string | null) => this.#people.find((person) => id !== null && person.users.has(id));
  #findByParent = (id: string | null) => this.#people.find((person) => id !== null && person.parents.has(id));

  #resolve(ids: Ids, time: number, createsPerson: boolean): Person | null {
    const [byPhone, byUser, byParent] = [
      this.#findByPhone(ids.phone),
      this.#findByUser(ids.userId),
      this.#findByParent(ids.parentUserId),
    ];
    if (ids.userId === null && ids.parentUserId === null) {
      return byPhone ?? this.#add({ ...createPerson(), phone: ids.phone });
    }
    const matches: Person[] = byUser ? [byUser] : [];
    let isNamed = ids.userId !== null;
    for (const candidate of [byParent, byPhone]) {
      if (!candidate || matches.includes(candidate) || (isNamed && candidate.users.size > 0)) continue;
      matches.push(candidate);
      isNamed ||= candidate.users.size > 0;
    }
    if (matches.length === 0 && !createsPerson) return null;
    const phoneHolder = byPhone && !matches.includes(byPhone) ? byPhone : null;
    const parentHolder = byParent && !matches.includes(byParent) ? byParent : null;
    const keepsPhone = phoneHolder !== null && time <= phoneHolder.phoneAt;
    const keepsParent = parentHolder !== null && time <= (parentHolder.parents.get(ids.parentUserId as string) ?? 0);
    const previousAddresses = matches.flatMap(listAddresses);
    const person = this.#join(matches, { ...ids, phone: keepsPhone ? null : ids.phone }, time);
    if (phoneHolder && !keepsPhone && person.phone === ids.phone)
      Object.assign(phoneHolder, { phone: null, phoneAt: 0 });
    if (ids.userId !== null) person.users.add(ids.userId);
    if (ids.parentUserId !== null && !keepsParent) {
      if (parentHolder) {
        parentHolder.parents.delete(ids.parentUserId);
        parentHolder.parentUserId = null;
      }
      if (!person.parents.has(ids.parentUserId)) person.parents.set(ids.parentUserId, time);
      person.parentUserId = ids.parentUserId;
    }
    this.#combineOptOuts([
      ...previousAddresses,
      ...listAddresses(person),
      ...listAddresses({ ...createPerson(), userId: ids.userId }),
    ]);
    return person;
  }

  #change({ before, ids, at }: { before: Ids; ids: Ids; at: number }): void {
    const matches = this.#people.filter((person) =>
      [before, ids].some(({ userId }) => userId !== null && person.users.has(userId)),
    );
    const previousHolder = this.#findByPhone(before.phone);
    if (
      previousHolder &&
      !matches.includes(previousHolder) &&
      (before.userId === null || previousHolder.users.size === 0)
    )
      matches.push(previousHolder);
    if (matches.length === 0) return;
    const holder = this.#findByPhone(ids.phone);
    const heldItEarlier =
      holder &&
      !matches.includes(holder) &&
      (holder.users.size > 0 ? holder.phoneAt < at : holder.window > 0 && holder.window < at);
    if (holder && !matches.includes(holder) && !heldItEarlier) matches.push(holder);
    const isOtherUser = before.userId !== null && ids.userId !== null && before.userId !== ids.userId;
    if (ids.phone !== null || isOtherUser) {
      for (const match of matches) if (match.phoneAt < at) match.left = true;
    }
    const previousAddresses = matches.flatMap(listAddresses);
    for (const match of matches) if (match.left) Object.assign(match, { phone: null, phoneAt: 0, left: false });
    const person = this.#join(matches, ids, at);
    if (heldItEarlier && person.phone === ids.phone) Object.assign(holder as Person, { phone: null, phoneAt: 0 });
    for (const id of [ids.userId, before.userId]) if (id !== null) person.users.add(id);
    this.#combineOptOuts([
      ...previousAddresses,
      ...listAddresses(person),
      ...listAddresses({ ...createPerson(), userId: ids.userId }),
    ]);
  }

  #join(matches: readonly Person[], { phone, userId }: Ids, time: number): Person {
    const existing = this.#people.filter((person) => matches.includes(person));
    const [latestPhone, phoneAt] = latestValue([
      ...existing.map((person) => [person.phone, person.phoneAt] as const),
      [phone, time],
    ]);
    const [latestUser, userAt] = latestValue([
      ...existing.map((person) => [person.userId, person.userAt] as const),
      [userId, time],
    ]);
    const [survivor = this.#add(createPerson()), ...absorbed] = existing;
    Object.assign(survivor, { phone: latestPhone, phoneAt, userId: latestUser, userAt });
    for (const person of absorbed) {
      survivor.messages.push(...person.messages);
      survivor.window = Math.max(survivor.window, person.window);
      for (const id of person.users) survivor.users.add(id);
      for (const [id, since] of person.parents) survivor.parents.set(id, since);
      survivor.parentUserId ??= person.parentUserId;
    }
    this.#people = this.#people.filter((person) => !absorbed.includes(person));
    return survivor;
  }

  #add(person: Person): Person {
    this.#people.push(person);
    return person;
  }

  #setOptOut(person: Person, active: boolean, time: number): void {
    const personAddresses = listAddresses(person);
    if (personAddresses.some((address) => (this.#optOuts.get(address)?.at ?? 0) > time)) return;
    for (const address of personAddresses) this.#optOuts.set(address, { active, at: time });
  }

  #combineOptOuts(linkedAddresses: readonly string[]): void {
    const activeOptOuts = linkedAddresses
      .map((address) => this.#optOuts.get(address))
      .filter((optOut) => optOut?.active);
    if (linkedAddresses.length < 2 || activeOptOuts.length === 0) return;
    const latestAt = Math.max(...activeOptOuts.map((optOut) => optOut?.at ?? 0));
    for (const address of linkedAddresses) {
      const currentOptOut = this.#optOuts.get(address);
      if (!currentOptOut?.active)
        this.#optOuts.set(address, { active: true, at: Math.max(latestAt, currentOptOut?.at ?? 0) });
    }
  }
}

interface Person {
  left?: boolean;
}

/**
 * Returns the latest value and the time at which it became known. If several values have the latest time, the last one in the
 * list wins.
 */
function latestValue(values: readonly (readonly [string | null, number])[]): [string | null, number] {
  const knownValues = values.filter(([value]) => value !== null);
  const latestTime = Math.max(...knownValues.map(([, at]) => at));
  const [value = null, at = 0] = knownValues.filter((entry) => entry[1] === latestTime).at(-1) ?? [];
  return [value, knownValues.find((entry) => entry[0] === value && entry[1] > 0)?.[1] ?? at];
}

function listAddresses({ phone, userId, parentUserId }: Ids): string[] {
  return [phone, userId, parentUserId].filter((address) => address !== null);
}

function createPerson(): Person {
  const ids = { phone: null, userId: null, parentUserId: null };
  return { ...ids, phoneAt: 0, userAt: 0, users: new Set(), parents: new Map(), messages: [], window: 0 };
}
