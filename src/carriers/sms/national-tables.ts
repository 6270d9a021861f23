/* 3GPP TS 23.038 Annex A.2 (single shift tables, which replace the extension table) and A.3 (locking shift tables). */

export type SeptetTable = readonly (string | undefined)[];

/** Septets of letters in all locking shift tables for Indian languages and Urdu. */
const LETTERS = septets('00-09 0B 0C 0E-1A 1C-1F 22-27 2A 2B 2D 2F 3C-3E 40-60 7B-7F');
const EXTENSIONS = septets('19 1A 1C-27 2A-2E 30-3B 3F');

/** The nine Brahmic scripts and their locking tables have the same layout in Unicode, from candrabindu (01) to virama (4D). */
const BRAHMIC_ORDER = codePoints('01-03 05-39 3C-4D');

interface BrahmicTables {
  /** The code points below are relative to the start of the Unicode block. */
  block: number;
  /** Letters of the common layout that this script does not have. */
  missing: string;
  /** Letters after the virama in the locking table. */
  lettersAfterVirama: string;
  /** Characters of the single shift table, in which `-` means none. Danda and double danda are always those of Devanagari. */
  single: string;
}

const DANDAS = 'danda double-danda';

const BRAHMIC: ReadonlyMap<number, BrahmicTables> = new Map([
  // Bengali
  [
    0x04,
    {
      block: 0x0980,
      missing: '0D 0E 11 12 29 31 33-35 45 46 49 4A',
      lettersAfterVirama: '4E 57 5C 5D 70 71',
      single: '66-6F 5F-63 72-7A',
    },
  ],
  // Gujarati
  [
    0x05,
    { block: 0x0a80, missing: '0E 12 29 31 34 46 4A', lettersAfterVirama: '50 60-63 71', single: `${DANDAS} 66-6F` },
  ],
  // Hindi
  [
    0x06,
    {
      block: 0x0900,
      missing: '',
      lettersAfterVirama: '50 72 7B 7C 7E 7F',
      single: `${DANDAS} 66-6F 51-54 58-63 70 71`,
    },
  ],
  // Kannada
  [
    0x07,
    {
      block: 0x0c80,
      missing: '01 0D 11 29 34 45 49',
      lettersAfterVirama: '55 56 60-63',
      single: `${DANDAS} 66-6F 5E 71 72`,
    },
  ],
  // Malayalam
  [
    0x08,
    {
      block: 0x0d00,
      missing: '01 0D 11 29 3C 45 49',
      lettersAfterVirama: '57 60-63 79',
      single: `${DANDAS} 66-75 7A-7F`,
    },
  ],
  // Oriya
  [
    0x09,
    {
      block: 0x0b00,
      missing: '0D 0E 11 12 29 31 34 45 46 49 4A',
      lettersAfterVirama: '56 57 60-63',
      single: `${DANDAS} 66-6F 5C 5D 5F 70 71`,
    },
  ],
  // Punjabi
  [
    0x0a,
    {
      block: 0x0a00,
      missing: '0B-0E 11 12 29 31 34 37 3D 43-46 49 4A',
      lettersAfterVirama: '51 70-74',
      single: `${DANDAS} 66-6F 59-5C 5E 75`,
    },
  ],
  // Tamil
  [
    0x0b,
    {
      block: 0x0b80,
      missing: '01 0B-0D 11 16-18 1B 1D 20-22 25-27 2B-2D 3C 3D 43-45 49',
      lettersAfterVirama: '50 57 70-72 79',
      single: `${DANDAS} 66-6F 73-78 7A`,
    },
  ],
  // Telugu
  [
    0x0c,
    {
      block: 0x0c00,
      missing: '0D 11 29 34 3C 45 49',
      lettersAfterVirama: '55 56 60-63',
      single: '- - 66-6F 58 59 78-7F',
    },
  ],
]);

const URDU_LETTERS = codePoints(
  '0627 0622 0628 067B 0680 067E 06A6 062A 06C2 067F 0679 067D 067A 067C 062B 062C 0681 0684 0683 0685 0686 0687 062D 062E ' +
    '062F 068C 0688 0689 068A 068F 068D 0630 0631 0691 0693 0699 0632 0696 0698 069A 0633 0634 0635 0636 0637 0638 0639 0641 ' +
    '0642 06A9 06AA 06AB 06AF 06B3 06B1 0644 0645 0646 06BA 06BB 06BC 0648 06C4 06D5 06C1 06BE 0621 06CC 06D0 06D2 064D 0650 ' +
    '064F 0657 0654 0655 0651 0653 0656 0670',
);
const URDU_EXTENSIONS = codePoints(
  '0600 0601 06F0-06F9 060C-0614 061B 061F 0640 0652 0658 066B 066C 0672 0673 06CD 06D4',
);

const TURKISH =
  '@£$¥€éùıòÇ\nĞğ\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bŞşßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  'İABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§çabcdefghijklmnopqrstuvwxyzäöñüà';
const PORTUGUESE =
  '@£$¥êéúíóç\nÔô\rÁáΔ_ªÇÀ∞^\\€Ó|\u001bÂâÊÉ !"#º%&\'()*+,-./0123456789:;<=>?' +
  'ÍABCDEFGHIJKLMNOPQRSTUVWXYZÃÕÚÜ§~abcdefghijklmnopqrstuvwxyzãõ`üà';

/** Part of the default extension table that the tables for Turkish, Spanish and Portuguese keep. */
const EUROPEAN_EXTENSION = '0A\f 14^ 28{ 29} 2F\\ 3C[ 3D~ 3E] 40| 65€';
const TURKISH_EXTENSION = '47Ğ 49İ 53Ş 63ç 67ğ 69ı 73ş';
const SPANISH_EXTENSION = '09ç 41Á 49Í 4FÓ 55Ú 61á 69í 6Fó 75ú';
const PORTUGUESE_EXTENSION =
  '05ê 09ç 0BÔ 0Cô 0EÁ 0Fá 12Φ 13Γ 15Ω 16Π 17Ψ 18Σ 19Θ 1FÊ 41À 49Í 4FÓ 55Ú 5BÃ 5CÕ 61Â 69í 6Fó 75ú 7Bã 7Cõ 7Fâ';

/** By language identifier (A.1). Spanish has none. */
export const LOCKING_TABLES: ReadonlyMap<number, SeptetTable> = new Map([
  [0x01, [...TURKISH]],
  [0x03, [...PORTUGUESE]],
  ...[...BRAHMIC].map(([language, script]) => [language, lockingTable(brahmicLetters(script))] as const),
  [0x0d, lockingTable(URDU_LETTERS.map((codePoint) => String.fromCodePoint(codePoint)))],
]);

export const SINGLE_SHIFT_TABLES: ReadonlyMap<number, SeptetTable> = new Map([
  [0x01, europeanExtension(TURKISH_EXTENSION)],
  [0x02, europeanExtension(SPANISH_EXTENSION)],
  [0x03, europeanExtension(PORTUGUESE_EXTENSION)],
  ...[...BRAHMIC].map(([language, script]) => [language, indianExtension(brahmicExtension(script))] as const),
  [0x0d, indianExtension(URDU_EXTENSIONS.map((codePoint) => String.fromCodePoint(codePoint)))],
]);

function lockingTable(letters: readonly (string | undefined)[]): SeptetTable {
  const table: (string | undefined)[] = new Array(128).fill(undefined);
  for (const septet of septets('0A 0D 20 21 2C 2E 30-3B 3F 61-7A')) table[septet] = String.fromCharCode(septet);
  table[0x28] = ')';
  table[0x29] = '(';
  for (const [index, septet] of LETTERS.entries()) table[septet] = letters[index];
  return table;
}

function brahmicLetters({ block, missing, lettersAfterVirama }: BrahmicTables): (string | undefined)[] {
  const absent = new Set(codePoints(missing));
  const inOrder = BRAHMIC_ORDER.map((offset) =>
    absent.has(offset) ? undefined : String.fromCodePoint(block + offset),
  );
  return [...inOrder, ...codePoints(lettersAfterVirama).map((offset) => String.fromCodePoint(block + offset))];
}

function brahmicExtension({ block, single }: BrahmicTables): (string | undefined)[] {
  return single.split(' ').flatMap((word) => {
    if (word === '-') return [undefined];
    if (word === 'danda') return ['\u0964'];
    if (word === 'double-danda') return ['\u0965'];
    return codePoints(word).map((offset) => String.fromCodePoint(block + offset));
  });
}

function indianExtension(characters: readonly (string | undefined)[]): SeptetTable {
  const table: (string | undefined)[] = [...'@£$¥¿"¤%&\'\f*+\r-/<=>¡^¡_#*'];
  table.length = 128;
  for (const [index, septet] of EXTENSIONS.entries()) table[septet] = characters[index];
  for (const septet of septets('41-5A')) table[septet] = String.fromCharCode(septet);
  return setCharacters(table, '28{ 29} 2F\\ 3C[ 3D~ 3E] 40| 65€');
}

function europeanExtension(nationalCharacters: string): SeptetTable {
  return setCharacters(setCharacters(new Array(128).fill(undefined), EUROPEAN_EXTENSION), nationalCharacters);
}

/** Each of the `characters` is a septet in hexadecimal followed by a character, such as `41Á`. */
function setCharacters(table: (string | undefined)[], characters: string): (string | undefined)[] {
  for (const entry of characters.split(' ')) table[Number.parseInt(entry.slice(0, 2), 16)] = entry.slice(2);
  return table;
}

function septets(list: string): number[] {
  return codePoints(list);
}

/** @param list such as `00-09 0B` */
function codePoints(list: string): number[] {
  return list.split(' ').flatMap((entry) => {
    if (entry === '') return [];
    const [first = '', last = first] = entry.split('-');
    const from = Number.parseInt(first, 16);
    return Array.from({ length: Number.parseInt(last, 16) - from + 1 }, (_, index) => from + index);
  });
}
