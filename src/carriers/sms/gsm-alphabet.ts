/* The GSM 7-bit default alphabet and its extension table: 3GPP TS 23.038 §6.2.1 and §6.2.1.1. */

export const ESCAPE = 0x1b;

/** Characters by septet. Position 0x1B is the escape. */
const BASIC_TABLE =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

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

/** The euro sign is the highest code unit in either table. */
const TABLE_SIZE = '€'.charCodeAt(0) + 1;

/** Septets by UTF-16 code unit: 1 for basic characters, 2 for extension characters, 0 for characters outside the alphabet. */
export const SEPTET_COST = new Uint8Array(TABLE_SIZE);

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
