import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { withoutTexts } from './without-texts.js';

/** How a body is kept: under a key, or with its texts left out. */
export interface SealedBody {
  form: 'sealed' | 'bare';
  body: Buffer;
}

/** None of the keys that are set opens a body. */
export class UnopenedReportError extends Error {
  constructor() {
    super('none of the keys in KEPT_REPORTS_SECRET opens it');
    this.name = 'UnopenedReportError';
  }
}

const CIPHER = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/**
 * How the bodies of kept reports are stored: encrypted (AES-256-GCM), where there are keys, for they may hold what somebody
 * wrote; and without their texts where there is none.
 */
export class ReportSeal {
  readonly #keys: readonly Buffer[];

  /** @param secrets the first one seals, and each opens what it has sealed */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'heliograph kept reports', 32)));
  }

  get hasKey(): boolean {
    return this.#keys.length > 0;
  }

  seal(body: Buffer): SealedBody {
    const [key] = this.#keys;
    if (!key) return { form: 'bare', body: bare(body) };
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce);
    const sealed = Buffer.concat([cipher.update(body), cipher.final()]);
    return { form: 'sealed', body: Buffer.concat([nonce, cipher.getAuthTag(), sealed]) };
  }

  /** @throws {UnopenedReportError} */
  open({ form, body }: SealedBody): Buffer {
    if (form === 'bare') return body;
    for (const key of this.#keys) {
      const opened = openWith(key, body);
      if (opened) return opened;
    }
    throw new UnopenedReportError();
  }
}

function openWith(key: Buffer, body: Buffer): Buffer | null {
  const decipher = createDecipheriv(CIPHER, key, body.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  try {
    decipher.setAuthTag(body.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(body.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

/** Of what is no JSON nothing is left: all of it may be text. */
function bare(body: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(withoutTexts(JSON.parse(body.toString('utf8')))));
  } catch {
    return Buffer.alloc(0);
  }
}
