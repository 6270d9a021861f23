import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

/** Numbers that belong to nobody, with the source of each range. */
const RESERVED: readonly RegExp[] = [
  // North American Numbering Plan Administrator, "555 Line Numbers": 555-0100 to 555-0199 are for fiction.
  /^1[2-9]\d{2}55501\d{2}$/,
  // Ofcom, "Telephone numbers for use in TV and radio drama programmes": London and mobile numbers.
  /^442079460\d{3}$|^447700900\d{3}$/,
  // Bundesnetzagentur, Mitteilung 148/2021 (Amtsblatt 7/2021), "Rufnummern für Medienproduktionen".
  /^49(?:3023125\d{1,3}|6990009\d{1,3}|4066969\d{1,3}|2214710\d{1,3}|8999998\d{1,3})$|^49176040690\d{2}$/,
  // Arcep, decision 2018-0881, "Plan national de numérotation": numbers for audiovisual works.
  /^33(?:19900|26191|35301|46571|53649|63998)\d{4}$/,
  // ComReg, "Numbering Conditions of Use and Application Process": 020 91x xxxx for drama.
  /^3532091\d{5}$/,
  // Australian Communications and Media Authority, "Phone numbers for use in TV shows, films and creative works".
  /^61(?:491570(?:006|156|157|158|159|110)|491571\d{3})$/,
  // The simulator's own numbers. Area code 500 has no subscribers' phones.
  /^1500555\d{4}$/,
];

/** With a plus sign, or 9 to 15 digits with the usual separators. Not part of a longer word, path or decimal. */
const NUMBER = /(?<![\w.:#/=-])\+?\d(?:[ ()/-]{0,2}\d){8,14}(?![\w-]|\.\d)/g;

function listFiles(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(PROJECT_FOLDER, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));
}

/** Could be somebody's number: valid in the numbering plan of its country, and not reserved for fiction. */
function isAssignable(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  const isCutBracket = text.includes('(') !== text.includes(')');
  if (isCutBracket || RESERVED.some((range) => range.test(digits))) return false;
  return parsePhoneNumberFromString(`+${digits}`)?.isValid() ?? false;
}

function findAssignable(name: string, text: string): string[] {
  return [...text.matchAll(NUMBER)]
    .map(([number]) => number)
    .filter(isAssignable)
    .map((number) => `${name}: ${number}`);
}

const readFile = (name: string) => readFileSync(join(PROJECT_FOLDER, name), 'utf8');

function readHelp(): string {
  const program = buildProgram({ write: () => undefined, writeError: () => undefined } as never);
  const help = program.createHelp();
  const read = (command: typeof program): string =>
    [help.formatHelp(command, help), ...help.visibleCommands(command).map(read)].join('\n');
  return read(program);
}

describe('phone numbers in examples', () => {
  it.each([...listFiles('docs', /\.md$/), ...['README.md', 'CONTRIBUTING.md', 'dist/openapi.json']])(
    'are reserved for fiction in %s',
    (name) => {
      expect(findAssignable(name, readFile(name))).toEqual([]);
    },
  );

  it('are reserved for fiction in the texts of the console', () => {
    const files = listFiles('console/src', /\.tsx?$/);
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap((name) => findAssignable(name, readFile(name)))).toEqual([]);
  });

  it('are reserved for fiction in the help of every command', () => {
    const help = readHelp();
    expect(help.length).toBeGreaterThan(10_000);
    expect(findAssignable('--help', help)).toEqual([]);
  });

  it.each([
    '14155550123',
    '+1 415 555 0123',
    '442079460123',
    '+44 7700 900123',
    '4917604069012',
    '493023125012',
    '33639981234',
    '353209112345',
    '61491570006',
    '15005550001',
  ])('accepts %s', (number) => {
    expect(findAssignable('page', `Call ${number} today.`)).toEqual([]);
  });

  it.each(['14155552671', '+44 7911 123456', '442071234567', '4915112345678', '+49 (151) 12345678', '525512345678'])(
    'reports %s',
    (number) => {
      expect(findAssignable('page', `Call ${number} today.`)).toHaveLength(1);
    },
  );

  it.each(['482913750264817', '2147483647', '2026-11-21 08:30:00', '123456789012345', '131047 (63016 for Twilio)'])(
    'does not take %s for a phone number',
    (text) => {
      expect(findAssignable('page', `It is ${text}.`)).toEqual([]);
    },
  );
});
