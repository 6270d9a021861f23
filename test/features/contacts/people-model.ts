/** In order of arrival. `at` is the carrier's time in seconds. */
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
  /** Since when each ID of linked portfolios belongs to the person. */
  parents: Map<string, number>;
  messages: number[];
  window: number;
}

/** The expected people of a channel, computed from reports in memory. */
export class PeopleModel {
  #people: Person[] = [];
  readonly #seen = new Set<number>();
  readonly #optOuts = new Map<string, { active: boolean; at: number }>();

  take(report: Report): void {
    if (report.kind === 'change') {
      this.#change(report);
      return;
    }
    if (report.kind === 'status') {
      const { phone, userId } = report.ids;
      const [one, other] = [this.#byPhone(phone), this.#byUser(userId)];
      if (one !== other) this.#resolve(report.ids, report.at, false);
      return;
    }
    if (this.#seen.has(report.id)) return;
    this.#seen.add(report.id);
    const person = this.#resolve(report.ids, report.at, true) as Person;
    person.messages.push(report.id);
    person.window = Math.max(person.window, report.at);
    if (report.text !== 'Hi') this.#decide(person, report.text === 'STOP', report.at);
  }

  /** In no particular order. */
  get people() {
    return this.#people.map((each) => ({
      phone: each.phone,
      userId: each.userId,
      parentUserId: each.parentUserId,
      messages: [...each.messages].sort((one, other) => one - other),
      window: each.window,
      optedOut: addresses(each).some((address) => this.#optOuts.get(address)?.active),
    }));
  }

  #byPhone = (phone: string | null) => this.#people.find((each) => phone !== null && each.phone === phone);
  #byUser = (id: string | null) => this.#people.find((each) => id !== null && each.users.has(id));
  #byParent = (id: string | null) => this.#people.find((each) => id !== null && each.parents.has(id));

  #resolve(ids: Ids, at: number, makes: boolean): Person | null {
    const [byPhone, byUser, byParent] = [
      this.#byPhone(ids.phone),
      this.#byUser(ids.userId),
      this.#byParent(ids.parentUserId),
    ];
    if (ids.userId === null && ids.parentUserId === null) {
      return byPhone ?? this.#add({ ...nobody(), phone: ids.phone });
    }
    const own: Person[] = byUser ? [byUser] : [];
    let isNamed = ids.userId !== null;
    for (const each of [byParent, byPhone]) {
      if (!each || own.includes(each) || (isNamed && each.users.size > 0)) continue;
      own.push(each);
      isNamed ||= each.users.size > 0;
    }
    if (own.length === 0 && !makes) return null;
    const phoneOfOther = byPhone && !own.includes(byPhone) ? byPhone : null;
    const parentOfOther = byParent && !own.includes(byParent) ? byParent : null;
    const phoneStays = phoneOfOther !== null && at <= phoneOfOther.phoneAt;
    const parentStays = parentOfOther !== null && at <= (parentOfOther.parents.get(ids.parentUserId as string) ?? 0);
    const formerly = own.flatMap(addresses);
    const person = this.#join(own, { ...ids, phone: phoneStays ? null : ids.phone }, at);
    if (phoneOfOther && !phoneStays && person.phone === ids.phone)
      Object.assign(phoneOfOther, { phone: null, phoneAt: 0 });
    if (ids.userId !== null) person.users.add(ids.userId);
    if (ids.parentUserId !== null && !parentStays) {
      if (parentOfOther) {
        parentOfOther.parents.delete(ids.parentUserId);
        parentOfOther.parentUserId = null;
      }
      if (!person.parents.has(ids.parentUserId)) person.parents.set(ids.parentUserId, at);
      person.parentUserId = ids.parentUserId;
    }
    this.#strictest([...formerly, ...addresses(person), ...addresses({ ...nobody(), userId: ids.userId })]);
    return person;
  }

  #change({ before, ids, at }: { before: Ids; ids: Ids; at: number }): void {
    const own = this.#people.filter((each) =>
      [before, ids].some(({ userId }) => userId !== null && each.users.has(userId)),
    );
    const formerly = this.#byPhone(before.phone);
    if (formerly && !own.includes(formerly) && (before.userId === null || formerly.users.size === 0))
      own.push(formerly);
    if (own.length === 0) return;
    const holder = this.#byPhone(ids.phone);
    const hadItBefore =
      holder &&
      !own.includes(holder) &&
      (holder.users.size > 0 ? holder.phoneAt < at : holder.window > 0 && holder.window < at);
    if (holder && !own.includes(holder) && !hadItBefore) own.push(holder);
    const isOther = before.userId !== null && ids.userId !== null && before.userId !== ids.userId;
    if (ids.phone !== null || isOther) {
      for (const each of own) if (each.phoneAt < at) each.left = true;
    }
    const known = own.flatMap(addresses);
    for (const each of own) if (each.left) Object.assign(each, { phone: null, phoneAt: 0, left: false });
    const person = this.#join(own, ids, at);
    if (hadItBefore && person.phone === ids.phone) Object.assign(holder as Person, { phone: null, phoneAt: 0 });
    for (const id of [ids.userId, before.userId]) if (id !== null) person.users.add(id);
    this.#strictest([...known, ...addresses(person), ...addresses({ ...nobody(), userId: ids.userId })]);
  }

  #join(own: readonly Person[], { phone, userId }: Ids, at: number): Person {
    const all = this.#people.filter((each) => own.includes(each));
    const [lastPhone, phoneAt] = last([...all.map((each) => [each.phone, each.phoneAt] as const), [phone, at]]);
    const [lastUser, userAt] = last([...all.map((each) => [each.userId, each.userAt] as const), [userId, at]]);
    const [kept = this.#add(nobody()), ...others] = all;
    Object.assign(kept, { phone: lastPhone, phoneAt, userId: lastUser, userAt });
    for (const each of others) {
      kept.messages.push(...each.messages);
      kept.window = Math.max(kept.window, each.window);
      for (const id of each.users) kept.users.add(id);
      for (const [id, since] of each.parents) kept.parents.set(id, since);
      kept.parentUserId ??= each.parentUserId;
    }
    this.#people = this.#people.filter((each) => !others.includes(each));
    return kept;
  }

  #add(person: Person): Person {
    this.#people.push(person);
    return person;
  }

  #decide(person: Person, active: boolean, at: number): void {
    const own = addresses(person);
    if (own.some((address) => (this.#optOuts.get(address)?.at ?? 0) > at)) return;
    for (const address of own) this.#optOuts.set(address, { active, at });
  }

  #strictest(own: readonly string[]): void {
    const active = own.map((address) => this.#optOuts.get(address)).filter((each) => each?.active);
    if (own.length < 2 || active.length === 0) return;
    const at = Math.max(...active.map((each) => each?.at ?? 0));
    for (const address of own) {
      const known = this.#optOuts.get(address);
      if (!known?.active) this.#optOuts.set(address, { active: true, at: Math.max(at, known?.at ?? 0) });
    }
  }
}

interface Person {
  left?: boolean;
}

/** The latest value and since when it is known. Of two at the same time, the later in the list counts. */
function last(values: readonly (readonly [string | null, number])[]): [string | null, number] {
  const known = values.filter(([value]) => value !== null);
  const latest = Math.max(...known.map(([, at]) => at));
  const [value = null, at = 0] = known.filter((each) => each[1] === latest).at(-1) ?? [];
  return [value, known.find((each) => each[0] === value && each[1] > 0)?.[1] ?? at];
}

function addresses({ phone, userId, parentUserId }: Ids): string[] {
  return [phone, userId, parentUserId].filter((each) => each !== null);
}

function nobody(): Person {
  const ids = { phone: null, userId: null, parentUserId: null };
  return { ...ids, phoneAt: 0, userAt: 0, users: new Set(), parents: new Map(), messages: [], window: 0 };
}
