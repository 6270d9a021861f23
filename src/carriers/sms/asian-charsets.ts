/*
 * Decodes Japanese and Korean texts with SMPP data_coding 5, 10, 13 or 14. The standard names only character sets,
 * which have several encodings, so the encoding is detected from the octets.
 */

const ESCAPE = 0x1b;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const EUC_KATAKANA = 0x8e;
const EUC_X0212 = 0x8f;

type JapaneseSet = 'ascii' | 'katakana' | 'x0208' | 'x0212';

/** Escape sequences of ISO-2022-JP and its extensions, without the escape octet. */
const DESIGNATIONS: readonly (readonly [string, JapaneseSet])[] = [
  ['(B', 'ascii'],
  ['(J', 'ascii'],
  ['(I', 'katakana'],
  ['$@', 'x0208'],
  ['$B', 'x0208'],
  ['$(B', 'x0208'],
  ['$(D', 'x0212'],
];

export function decodeJapanese(octets: Buffer, characterSet: 'x0208' | 'x0212'): string {
  if (octets.includes(ESCAPE)) return decodeEuc(toEuc(octets));
  if (octets.some((octet) => octet > 0x7f)) return decodeHighBits(octets, characterSet);
  return decodePairs(octets, characterSet) ?? octets.toString('latin1');
}

function toEuc(octets: Buffer): Buffer {
  const euc: number[] = [];
  let set: JapaneseSet = 'ascii';
  for (let index = 0; index < octets.length; ) {
    const octet = octets[index] as number;
    const designation = octet === ESCAPE ? findDesignation(octets, index + 1) : null;
    if (designation) {
      set = designation.set;
      index += 1 + designation.length;
    } else if (octet < 0x21 || set === 'ascii') {
      euc.push(octet);
      index += 1;
    } else if (set === 'katakana') {
      euc.push(EUC_KATAKANA, octet | 0x80);
      index += 1;
    } else {
      if (set === 'x0212') euc.push(EUC_X0212);
      euc.push(...[...octets.subarray(index, index + 2)].map((octetOfPair) => octetOfPair | 0x80));
      index += 2;
    }
  }
  return Buffer.from(euc);
}

function findDesignation(octets: Buffer, index: number): { set: JapaneseSet; length: number } | null {
  const following = octets.toString('latin1', index, index + 3);
  const match = DESIGNATIONS.find(([sequence]) => following.startsWith(sequence));
  return match ? { set: match[1], length: match[0].length } : null;
}

/** Matches hiragana and katakana, which nearly every Japanese text contains. */
const HAS_KANA = /[\u3040-\u30ff]/;

/**
 * Almost all EUC-JP text is also valid Shift_JIS, where it looks like half-width katakana. The text is decoded as EUC-JP if the
 * result contains kana, or if Shift_JIS cannot express the character set (JIS X 0212).
 */
function decodeHighBits(octets: Buffer, characterSet: 'x0208' | 'x0212'): string {
  const euc = decodeStrictly('euc-jp', octets);
  const shiftJis = decodeStrictly('shift_jis', octets);
  if (euc !== null && (shiftJis === null || characterSet === 'x0212' || HAS_KANA.test(euc))) return euc;
  return shiftJis ?? new TextDecoder('shift_jis').decode(octets);
}

/**
 * Pairs of 7-bit octets also look like ASCII, so they count as JIS X 0208 only if at least half of them are kana. The character
 * set JIS X 0212 contains no ASCII characters.
 */
function decodePairs(octets: Buffer, characterSet: 'x0208' | 'x0212'): string | null {
  if (octets.length === 0 || octets.length % 2 !== 0 || octets.some((octet) => octet < 0x21 || octet > 0x7e))
    return null;
  const leads = [...octets].filter((_, index) => index % 2 === 0);
  const kana = leads.filter((lead) => lead === 0x24 || lead === 0x25).length;
  const looksLikePairs =
    characterSet === 'x0212' ? !/^[A-Za-z0-9]*$/.test(octets.toString('latin1')) : kana * 2 >= leads.length;
  if (!looksLikePairs) return null;
  const euc = leads.flatMap((lead, index) => {
    const pair = [lead | 0x80, (octets[index * 2 + 1] as number) | 0x80];
    return characterSet === 'x0212' ? [EUC_X0212, ...pair] : pair;
  });
  return decodeStrictly('euc-jp', Buffer.from(euc));
}

/** Decodes EUC-KR, or ISO-2022-KR, which marks Korean text with SHIFT OUT and SHIFT IN. */
export function decodeKorean(octets: Buffer): string {
  if (!octets.includes(SHIFT_OUT)) return new TextDecoder('euc-kr').decode(octets);
  const euc: number[] = [];
  let isShifted = false;
  for (let index = 0; index < octets.length; index++) {
    const octet = octets[index] as number;
    if (octet === ESCAPE && octets.toString('latin1', index + 1, index + 4) === '$)C') index += 3;
    else if (octet === SHIFT_OUT || octet === SHIFT_IN) isShifted = octet === SHIFT_OUT;
    else euc.push(isShifted && octet > 0x20 ? octet | 0x80 : octet);
  }
  return new TextDecoder('euc-kr').decode(Buffer.from(euc));
}

function decodeEuc(octets: Buffer): string {
  return new TextDecoder('euc-jp').decode(octets);
}

function decodeStrictly(encoding: string, octets: Buffer): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(octets);
  } catch {
    return null;
  }
}
