/** A value that differs between runs. @typedef {{kind: string, value: string}} ChangingValue */

/**
 * What differs between runs, in the order in which it is looked for. Equal values must stay equal, except times: two times that are
 * equal in one run may differ in another.
 */
const KINDS = {
  messageId: /wamid\.[\w+/=-]+/,
  uuid: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/,
  key: /\bhg_(?:live|secret)_[\w-]{43}/,
  keyEnding: /…[\w-]{4}(?![\w-])/,
  secret: /\bwhsec_[\w+/]{20,}={0,2}/,
  signature: /\bv1,[\w+/]{43}=/,
  jwt: /\beyJ[\w-]+\.[\w-]+\.[\w-]+/,
  sid: /\b[A-Z]{2}[0-9a-f]{32}\b/,
  time: /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/,
  date: /\b\d{4}-\d\d-\d\d\b/,
  httpDate: /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC|[+-]\d{4})/,
  epoch: /(?<![\w.+-])(?:1[789]|20)\d{8}(?:\d{3})?(?![\w-]|\.\d)/,
  // Derived from the ID of a channel.
  graphId: /(?<![\w.+-])[1-9]\d{14}(?![\w.-])/,
  requestId: /\b[0-9a-f]{12}-[0-9a-z]+\b/,
  hex: /\b[0-9a-f]{32,64}\b/,
  // base64 of SHA-1 and SHA-256
  hash: /(?<![\w+/])(?:[\w+/]{27}|[\w+/]{43})=(?![\w=])/,
  token: /(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{32,}={0,2}/,
  port: /(?<=\b(?:127\.0\.0\.1|localhost):)[1-9]\d{4}\b/,
  temporaryFolder: /\/tmp\/tmp\.\w{10}/,
};
const TIMES = new Set(['time', 'date', 'httpDate', 'epoch']);
const ANY = new RegExp(
  Object.entries(KINDS)
    .map(([kind, { source }]) => `(?<${kind}>${source})`)
    .join('|'),
  'g',
);

/**
 * Replaces values that differ between runs.
 * @param {string} text
 * @param {(value: ChangingValue) => string} replace
 */
export function replaceChangingValues(text, replace) {
  return text.replace(ANY, (value, ...details) => {
    const groups = Object.entries(details.at(-1));
    const kind = groups.find(([, match]) => match !== undefined)?.[0] ?? '';
    return replace({ kind, value });
  });
}

/** Replaces each changing value by its kind. */
export const normalise = (text) => replaceChangingValues(text, ({ kind }) => `‹${kind}›`);

/** @param {string} text @returns {ChangingValue[]} in order */
export function listChangingValues(text) {
  const values = [];
  replaceChangingValues(text, (value) => {
    values.push(value);
    return value.value;
  });
  return values;
}

/** Maps the values of a run to the ones that the page shows, one to one. */
export class ValueMap {
  /** @type {Map<string, string>} */
  #shownValues = new Map();
  /** @type {Map<string, string>} */
  #printedValues = new Map();

  /**
   * Records pairs of a shown and a printed value, from texts that are equal after normalising.
   * @returns false, and records nothing, if a value has another partner in these texts or in earlier ones
   */
  match(shownText, printedText) {
    const expected = listChangingValues(shownText);
    const added = new ValueMap();
    for (const [index, { kind, value: printedValue }] of listChangingValues(printedText).entries()) {
      if (TIMES.has(kind)) continue;
      const shownValue = expected[index]?.value ?? '';
      if (!this.#allows(shownValue, printedValue) || !added.#allows(shownValue, printedValue)) return false;
      added.#record(shownValue, printedValue);
    }
    for (const [printedValue, shownValue] of added.#shownValues) this.#record(shownValue, printedValue);
    return true;
  }

  /** Replaces printed values by the shown ones. */
  toShown(printedText) {
    return replaceChangingValues(printedText, ({ value }) => this.#shownValues.get(value) ?? value);
  }

  #allows(shownValue, printedValue) {
    return (
      (this.#shownValues.get(printedValue) ?? shownValue) === shownValue &&
      (this.#printedValues.get(shownValue) ?? printedValue) === printedValue
    );
  }

  #record(shownValue, printedValue) {
    this.#shownValues.set(printedValue, shownValue);
    this.#printedValues.set(shownValue, printedValue);
  }
}
