import { createHash } from 'node:crypto';

/** The time at which all recorded requests seem to be made. */
const RECORDED_AT = Date.parse('2026-11-24T08:30:00.000Z');
/** A run takes less than this, so that the distance of a time to the start of the run is a multiple of it. */
const GRAIN_MS = 5 * 60_000;
const SERVER = 'https://sms.example.com';
const RECEIVER = 'https://example.com';

/** Fields whose time is later than that of the request, in seconds. */
const LATER = [
  [/read/i, 5],
  [/deliver|complet|finish|ended/i, 2],
  [/sent|submitted|attempt/i, 1],
];

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const HEX_ID = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g;
const WAMID = /\bwamid\.[\w+/=-]{20,}/g;
/** Meta's IDs; phone numbers are shorter. */
const DIGITS = /(?<![\w.+-])\d{14,20}(?![\w.-])/g;
const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const RFC_TIME = /\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:\+0000|GMT)/g;
const SECRETS = [
  [/\bwhsec_[\w+/=-]+/g, 'whsec_'],
  [/\bhg_live_[\w-]+/g, 'hg_live_'],
  [/\bhg_secret_[\w-]+/g, 'hg_secret_'],
];
/** Values that depend on the speed of the machine. */
const DURATIONS = /duration|latency|elapsed|responseTime/i;
const OPAQUE = /^(?:next_cursor|cursor|after|before|nextCursor|fbtrace_id)$/;

/**
 * Replaces values that differ between runs by fixed ones, so that recording twice writes the same files. An ID is derived from
 * the location where it first appears, so that another step of the scenario does not change it.
 * @param {{startedAt: number, baseUrl: string, receiverUrl: string}} run
 */
export function createStableValues({ startedAt, baseUrl, receiverUrl }) {
  const ids = new Map();
  const masks = new Map();

  const replaceOnce = (value, location, create) => {
    if (!ids.has(value)) ids.set(value, create(createHash('sha256').update(location).digest('hex')));
    return ids.get(value);
  };

  const toStableTime = (time, key) => {
    if (isStartOfMonth(time)) return toStartOfMonth(RECORDED_AT, countMonths(startedAt, time));
    const distance = time - startedAt;
    const steps = Math.floor((distance + 60_000) / GRAIN_MS);
    const [, seconds] = (steps === 0 && LATER.find(([pattern]) => pattern.test(key))) || [null, 0];
    return RECORDED_AT + steps * GRAIN_MS + seconds * 1000;
  };

  function replaceText(text, key, location) {
    if (masks.has(text)) return masks.get(text);
    if (OPAQUE.test(key) && text.length >= 8) return replaceOnce(text, location, (hash) => toOpaque(text, hash));
    let result = text.replaceAll(receiverUrl, RECEIVER).replaceAll(baseUrl, SERVER);
    for (const [pattern, prefix] of SECRETS) {
      result = result.replace(
        pattern,
        (secret) => prefix + 'Example'.repeat(9).slice(0, secret.length - prefix.length),
      );
    }
    const replaceId = (hex) => replaceOnce(hex, location, toUuid);
    const replaceWamid = (wamid) => {
      const id = wamid.slice('wamid.'.length);
      // The server's own IDs are those of the messages.
      if (/^[0-9A-F]{32}$/.test(id)) return `wamid.${replaceId(id.toLowerCase()).toUpperCase()}`;
      return replaceOnce(wamid, location, (hash) => `wamid.${toOpaque(id, hash)}`);
    };
    return result
      .replace(WAMID, replaceWamid)
      .replace(UUID, (id) => hyphenate(replaceId(id.replaceAll('-', ''))))
      .replace(HEX_ID, (id) => ([...ids.values()].includes(id) ? id : replaceId(id)))
      .replace(DIGITS, (id) => replaceOnce(id, location, (hash) => toDigits(id, hash)))
      .replace(ISO_TIME, (time) =>
        new Date(toStableTime(Date.parse(time), key))
          .toISOString()
          .replace('.000Z', time.includes('.') ? '.000Z' : 'Z'),
      )
      .replace(RFC_TIME, (time) => toRfcTime(toStableTime(Date.parse(time), key), time));
  }

  function replaceNumber(value, key) {
    if (DURATIONS.test(key)) return 12;
    for (const unit of [1, 1000]) {
      if (Math.abs(value * unit - startedAt) < 2 * 86_400_000) return toStableTime(value * unit, key) / unit;
    }
    return value;
  }

  function replace(value, location, key = '') {
    if (typeof value === 'string') return replaceText(value, key, `${location}.${key}`);
    if (typeof value === 'number') return replaceNumber(value, key);
    if (Array.isArray(value)) return value.map((entry, index) => replace(entry, `${location}.${key}.${index}`, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, replace(member, `${location}.${key}`, name)]),
    );
  }

  return {
    /**
     * @param {unknown} value of a request or response
     * @param {string} location names the step
     * @returns {unknown} a copy
     */
    replace: (value, location) => replace(value, location),
    /** Records a value as this text from now on. */
    mask: (value, text) => masks.set(value, text),
  };
}

const isStartOfMonth = (time) => /-01T00:00:00\.000Z$/.test(new Date(time).toISOString());

function countMonths(from, to) {
  const [start, end] = [new Date(from), new Date(to)];
  return (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
}

function toStartOfMonth(time, months) {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}

function toUuid(hash) {
  const time = RECORDED_AT.toString(16).padStart(12, '0');
  return `${time}7${hash.slice(0, 3)}8${hash.slice(3, 18)}`;
}

const hyphenate = (hex) =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');

function toDigits(id, hash) {
  const digits = BigInt(`0x${hash.slice(0, 20)}`).toString();
  return digits.slice(0, id.length);
}

/** Has the length of the original, and its padding. */
function toOpaque(text, hash) {
  const padding = /=*$/.exec(text)[0];
  const characters = Buffer.from(hash.repeat(8), 'hex').toString('base64url');
  return characters.slice(0, text.length - padding.length) + padding;
}

function toRfcTime(time, original) {
  const text = new Date(time).toUTCString();
  return original.endsWith('GMT') ? text : text.replace('GMT', '+0000');
}
