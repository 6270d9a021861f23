/*
 * The GSM 7-bit default alphabet and its extension table, 3GPP TS 23.038 §6.2.1 and §6.2.1.1.
 */

/** The escape to the extension table, septet 0x1B. */
export const ESCAPE = 0x1b;

/** In the order of the septets 0x00–0x7F. At 0x1B stands the escape itself, which is no character of a text. */
const BASIC_TABLE =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** The septet that follows the escape, by character. */
const EXTENSION_TABLE: Readonly<Record<string, number>> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
};

/** The highest UTF-16 unit of either table is the euro sign's. */
const TABLE_SIZE = '€'.charCodeAt(0) + 1;

/** Septets that a UTF-16 unit costs: 1 basic, 2 extension, 0 not in the alphabet (as is all beyond the table's end). */
export const SEPTET_COST = new Uint8Array(TABLE_SIZE);

/** The septet of a UTF-16 unit, for extension characters the one after the escape. Only where the cost is not 0. */
export const SEPTET = new Uint8Array(TABLE_SIZE);

for (let septet = 0; septet < BASIC_TABLE.length; septet++) {
  if (septet === ESCAPE) continue;
  const unit = BASIC_TABLE.charCodeAt(septet);
  SEPTET_COST[unit] = 1;
  SEPTET[unit] = septet;
}
for (const [character, septet] of Object.entries(EXTENSION_TABLE)) {
  const unit = character.charCodeAt(0);
  SEPTET_COST[unit] = 2;
  SEPTET[unit] = septet;
}
