const SECOND_MS = 1_000;

/**
 * Reads done dates: `YYMMDDhhmm`, with seconds `YYMMDDhhmmss`, or with the century `YYYYMMDDhhmm[ss]`. They are in the
 * SMSC's local time and say nothing of its zone.
 */
export class DoneDates {
  readonly #format: Intl.DateTimeFormat;

  /** @param zone IANA time zone of the SMSC */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Null for what is no date. */
  read(doneDate: string): Date | null {
    const digits = withoutCentury(doneDate);
    if (!/^(\d{10}|\d{12})$/.test(digits)) return null;
    const [year, month, day, hour, minute, second] = (digits.match(/\d\d/g) as string[]).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number?,
    ];
    const wall = Date.UTC(2000 + year, month - 1, day, hour, minute, second ?? 0);
    const read = new Date(wall);
    if (read.getUTCMonth() !== month - 1 || read.getUTCDate() !== day || hour > 23 || minute > 59) return null;
    // Near a change of the clocks the offset at the wall time taken as UTC is not yet that of the moment itself.
    const near = wall - this.#offsetAt(wall);
    return new Date(wall - this.#offsetAt(near));
  }

  /** Milliseconds by which the zone's clocks are ahead of UTC. */
  #offsetAt(time: number): number {
    const parts = this.#format.formatToParts(time);
    const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    const wall = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
    return wall - Math.floor(time / SECOND_MS) * SECOND_MS;
  }
}

/** Twelve digits begin with a century where the month would otherwise be none: `202611…` is no 26th month of 2020. */
function withoutCentury(digits: string): string {
  const hasCentury = digits.length === 14 || (digits.length === 12 && Number(digits.slice(2, 4)) > 12);
  return hasCentury && digits.startsWith('20') ? digits.slice(2) : digits;
}
