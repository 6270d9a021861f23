const SECOND_MS = 1_000;

/** Parses done dates, which are in the SMSC's local time without time zone: `YYMMDDhhmm[ss]` or `YYYYMMDDhhmm[ss]`. */
export class DoneDateParser {
  readonly #format: Intl.DateTimeFormat;

  /** @param zone IANA time zone */
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

  parse(doneDate: string): Date | null {
    const digits = removeCentury(doneDate);
    if (!/^(\d{10}|\d{12})$/.test(digits)) return null;
    const [year, month, day, hour, minute, second] = (digits.match(/\d\d/g) as string[]).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number?,
    ];
    const wallTime = Date.UTC(2000 + year, month - 1, day, hour, minute, second ?? 0);
    const parsed = new Date(wallTime);
    if (parsed.getUTCMonth() !== month - 1 || parsed.getUTCDate() !== day || hour > 23 || minute > 59) return null;
    // Close to a clock change, the offset at `wallTime` can differ from the offset at the actual moment.
    const approximate = wallTime - this.#offsetAt(wallTime);
    return new Date(wallTime - this.#offsetAt(approximate));
  }

  /** Returns the time zone's offset in milliseconds, which is positive east of Greenwich. */
  #offsetAt(time: number): number {
    const parts = this.#format.formatToParts(time);
    const partValue = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    const wallTime = Date.UTC(
      partValue('year'),
      partValue('month') - 1,
      partValue('day'),
      partValue('hour'),
      partValue('minute'),
      partValue('second'),
    );
    return wallTime - Math.floor(time / SECOND_MS) * SECOND_MS;
  }
}

/** Removes the century. If digits 3 and 4 cannot be a month, the date starts with a century: `202611…` is November 2026. */
function removeCentury(digits: string): string {
  const hasCentury = digits.length === 14 || (digits.length === 12 && Number(digits.slice(2, 4)) > 12);
  return hasCentury && digits.startsWith('20') ? digits.slice(2) : digits;
}
