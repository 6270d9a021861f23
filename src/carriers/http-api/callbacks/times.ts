/** `2026-01-31 14:05:00`. Vendors mean UTC. */
const PLAIN = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?$/;
/** Matches YYMMDDhhmm with optional seconds, such as `2601311405` and `260131140500`. */
const SHORT = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?$/;
/** From 2001 to 2286, Unix seconds have ten digits and milliseconds thirteen. */
const SECONDS = /^1\d{9}(?:\.\d+)?$/;
const MILLISECONDS = /^1\d{12}$/;

/** Accepts ISO 8601, RFC 2822, Unix seconds or milliseconds, and YYMMDDhhmm[ss]. */
export function parseTime(text: string): Date | null {
  if (SECONDS.test(text)) return new Date(Math.round(Number(text) * 1000));
  if (MILLISECONDS.test(text)) return new Date(Number(text));
  const short = SHORT.exec(text);
  if (short) {
    const [, year, month, day, hour, minute, second = '00'] = short;
    return toValidDate(new Date(`20${year}-${month}-${day}T${hour}:${minute}:${second}Z`));
  }
  if (PLAIN.test(text)) return toValidDate(new Date(`${text.replace(' ', 'T')}Z`));
  // `Date` does not accept the offset `+0000` in ISO format.
  return toValidDate(new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))) ?? toValidDate(new Date(text));
}

function toValidDate(date: Date): Date | null {
  return Number.isNaN(date.getTime()) ? null : date;
}
