import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { SEPTET_COST } from '../../carriers/sms/gsm-alphabet.js';
import { segment } from '../../carriers/sms/segments.js';

const CIPHER = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

interface Keys {
  seal: Buffer;
  hash: Buffer;
}

/**
 * Encrypts sign-in codes (AES-256-GCM) and hashes them (HMAC-SHA256). Hashes need a secret from outside the database, because a
 * plain hash of six digits could be reversed by trying all codes.
 */
export class CodeSeal {
  readonly #keys: readonly Keys[];

  /** @param secrets the first secret encrypts and all decrypt; without secrets, codes cannot be used */
  constructor(secrets: readonly string[]) {
    const derive = (secret: string, use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
    this.#keys = secrets.map((secret) => ({
      seal: derive(secret, 'heliograph sign-in codes: seal'),
      hash: derive(secret, 'heliograph sign-in codes: check'),
    }));
  }

  get hasKey(): boolean {
    return this.#keys.length > 0;
  }

  /** @throws if no secret is configured */
  seal(code: string, verificationId: string): { sealed: Buffer; hash: Buffer } {
    const [keys] = this.#keys;
    if (!keys) throw new Error('there is no secret to encrypt sign-in codes with');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, keys.seal, nonce).setAAD(Buffer.from(verificationId));
    const text = Buffer.concat([cipher.update(code, 'utf8'), cipher.final()]);
    return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]), hash: computeHash(keys, code, verificationId) };
  }

  /** Returns null if no secret can decrypt the code. */
  open(sealed: Buffer, verificationId: string): string | null {
    for (const { seal } of this.#keys) {
      const opened = openWith(seal, sealed, verificationId);
      if (opened !== null) return opened;
    }
    return null;
  }

  /** Compares in constant time. */
  matches(code: string, verificationId: string, hash: Buffer): boolean {
    return this.#keys
      .map((keys) => timingSafeEqual(computeHash(keys, code, verificationId), hash))
      .some((isSame) => isSame);
  }
}

function computeHash({ hash }: Keys, code: string, verificationId: string): Buffer {
  return createHmac('sha256', hash).update(`${verificationId}.${code}`).digest();
}

function openWith(key: Buffer, sealed: Buffer, verificationId: string): string | null {
  try {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(verificationId)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)).toString('utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}

/** Returns as many asterisks as the code has digits, so that masking does not change the number of parts. */
export function maskDigits(digits: number): string {
  return '*'.repeat(digits);
}

/** Replaces each character with a mask character that takes as much space in an SMS. */
export function maskText(secret: string): string {
  const isUcs2 = segment(secret).encoding === 'ucs2';
  const maskCharacter = (each: string) => (each.length === 2 ? '🔒' : '•');
  if (isUcs2) return [...secret].map(maskCharacter).join('');
  return [...secret].map((each) => (SEPTET_COST[each.charCodeAt(0)] === 2 ? '~' : '*')).join('');
}

interface MessageText {
  body: string;
  content: unknown;
}

export function insertCode<T extends MessageText>({ body, content }: T, secret: string): Pick<T, 'body' | 'content'> {
  return replaceMask({ body, content } as T, maskText(secret), secret);
}

export function resizeMask<T extends MessageText>(
  { body, content }: T,
  from: number,
  to: number,
): Pick<T, 'body' | 'content'> {
  return replaceMask({ body, content } as T, maskDigits(from), maskDigits(to));
}

function replaceMask<T extends MessageText>(
  { body, content }: T,
  mask: string,
  replacement: string,
): Pick<T, 'body' | 'content'> {
  const jsonReplacement = JSON.stringify(replacement).slice(1, -1);
  return {
    body: replaceInText(body, mask, replacement),
    content: content && (JSON.parse(replaceInText(JSON.stringify(content), mask, jsonReplacement)) as T['content']),
  };
}

function replaceInText(text: string, mask: string, replacement: string): string {
  if (/[^*]/.test(mask)) return text.replaceAll(mask, () => replacement);
  // WhatsApp's authentication templates put asterisks around the code to make it bold.
  return text.replaceAll(new RegExp(`\\*{${mask.length},}`, 'g'), ({ length }) => {
    const surplus = length - mask.length;
    return '*'.repeat(Math.floor(surplus / 2)) + replacement + '*'.repeat(Math.ceil(surplus / 2));
  });
}
