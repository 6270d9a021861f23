import { spawnSync } from 'node:child_process';
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { completeNumber } from './geographic.mjs';
import { findCode } from './prefixes.mjs';
import { createRandom } from './random.mjs';

const SAMPLES = 10_000;

const PYTHON = `
import json, sys, phonenumbers
from phonenumbers import timezone
print(json.dumps([sorted(timezone.time_zones_for_number(phonenumbers.parse('+' + n))) for n in json.load(sys.stdin)]))
`;

/** Half of the numbers are from all countries in equal shares, and the other half from all areas of Google's map. */
function chooseNumbers(prefixes) {
  const next = createRandom(10_000);
  const countries = getCountries();
  const numbers = new Set();
  while (numbers.size < SAMPLES) {
    const isByArea = numbers.size >= SAMPLES / 2;
    const prefix = isByArea
      ? prefixes[next(prefixes.length)]
      : getCountryCallingCode(countries[next(countries.length)]);
    const digits = completeNumber(findCode(prefix), prefix, next);
    const number = parsePhoneNumberFromString(`+${digits}`);
    if (number?.isValid() && number.number === `+${digits}`) numbers.add(digits);
  }
  return [...numbers].sort((left, right) => Number(left) - Number(right));
}

/**
 * @param {readonly string[]} prefixes of Google's map
 * @returns {Record<string, string>} by zones, separated by a space: the numbers in ascending order, each as the difference from
 *   the number before it, in base 36
 */
export function readDebianSamples(prefixes) {
  const numbers = chooseNumbers(prefixes);
  const python = spawnSync('/usr/bin/python3', ['-c', PYTHON], { input: JSON.stringify(numbers), encoding: 'utf8' });
  if (python.status !== 0) throw new Error(python.stderr);
  const last = new Map();
  const groups = new Map();
  for (const [index, zones] of JSON.parse(python.stdout).entries()) {
    const key = zones.join(' ');
    const number = Number(numbers[index]);
    groups.set(key, [...(groups.get(key) ?? []), (number - (last.get(key) ?? 0)).toString(36)]);
    last.set(key, number);
  }
  return Object.fromEntries([...groups].map(([key, differences]) => [key, differences.join(' ')]).sort());
}
