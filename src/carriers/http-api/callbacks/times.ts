/** `2026-01-31 14:05:00`, without a zone: UTC, as vendors mean it. */
const PLAIN = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?$/;
/** `2601311405` or `260131140500`: YYMMDDhhmm and perhaps seconds. */
const SHORT = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?$/;
/** Seconds of 2001-09-09 and later have ten digits until 2286; with milliseconds thirteen. */
const SECONDS = /^1\d{9}(?:\.\d+)?$/;
const MILLISECONDS = /^1\d{12}$/;

/** A moment as vendors write it: ISO 8601, RFC 2822, seconds or milliseconds since 1970, or digits; null where it is none. */
export function readTime(text: string): Date | null {
  if (SECONDS.test(text)) return new Date(Math.round(Number(text) * 1000));
  if (MILLISECONDS.test(text)) return new Date(Number(text));
  const short = SHORT.exec(text);
  if (short) {
    const [, year, month, day, hour, minute, second = '00'] = short;
    return valid(new Date(`20${year}-${month}-${day}T${hour}:${minute}:${second}Z`));
  }
  if (PLAIN.test(text)) return valid(new Date(`${text.replace(' ', 'T')}Z`));
  // `+0000` of some vendors is no offset to Date.
  return valid(new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))) ?? valid(new Date(text));
}

function valid(date: Date): Date | null {
  return Number.isNaN(date.getTime()) ? null : date;
}
