import { findCallingCode } from '../../../carriers/numbers/phone-numbers.js';
import { segment } from '../../../carriers/sms/segments.js';
import type { Pricer } from '../../../messages/accept/estimate.js';
import { type ChannelSender, type ComposedMessage, toChannelRequest } from '../../conversations/sending/compose.js';
import type { EstimatedMember } from './members-store.js';

export interface CountryEstimate {
  callingCode: string;
  messages: number;
  /** SMS segments; equals `messages` on WhatsApp. */
  segments: number;
  /** Price of a message, or of a segment of an SMS, in millionths of the currency unit. */
  priceMicros: bigint;
  totalMicros: bigint;
}

export interface ExpensiveMessage {
  phone: string | null;
  name: string;
  body: string;
  /** Always 1 on WhatsApp. */
  segments: number;
  /** Null on WhatsApp. */
  encoding: 'gsm7' | 'ucs2' | null;
  priceMicros: bigint;
}

interface CountryTotal {
  messages: number;
  segments: number;
  address: string;
  longest: Omit<ExpensiveMessage, 'priceMicros'>;
  message: ComposedMessage;
}

/** Adds up messages and segments by country, because prices depend only on the calling code and the segments. */
export class CountryTotals {
  readonly #sender: ChannelSender;
  readonly #totals = new Map<string, CountryTotal>();
  readonly #sms: { segments: number; gsm7: number; ucs2: number } | null;

  constructor(sender: ChannelSender) {
    this.#sender = sender;
    this.#sms = sender.channel.kind === 'sms' ? { segments: 0, gsm7: 0, ucs2: 0 } : null;
  }

  /** Null on WhatsApp. */
  get sms(): { segments: number; gsm7: number; ucs2: number } | null {
    return this.#sms;
  }

  add({ phone, name, address }: EstimatedMember, message: ComposedMessage): void {
    const segmentation = this.#sms && segment(message.body);
    const segments = segmentation?.parts.length ?? 1;
    const encoding = segmentation?.encoding ?? null;
    if (this.#sms && encoding) {
      this.#sms.segments += segments;
      this.#sms[encoding] += 1;
    }
    const code = findCallingCode(address ?? '') ?? '';
    const total = this.#totals.get(code);
    const longest = { phone, name, body: message.body, segments, encoding };
    if (!total) this.#totals.set(code, { messages: 1, segments, address: address ?? '', longest, message });
    else {
      total.messages += 1;
      total.segments += segments;
      if (segments > total.longest.segments) total.longest = longest;
    }
  }

  async price(pricer: Pricer): Promise<{ countries: CountryEstimate[]; mostExpensive: ExpensiveMessage | null }> {
    const [first] = this.#totals.values();
    if (!first) return { countries: [], mostExpensive: null };
    const recipients = [...this.#totals.values()].map(({ address }) => ({ digits: address, plus: false }));
    const unit = this.#sms ? { body: 'x', content: null } : first.message;
    const { prices } = await pricer.prepare(toChannelRequest(this.#sender, unit, recipients));
    const countries: CountryEstimate[] = [];
    let mostExpensive: ExpensiveMessage | null = null;
    for (const [index, [callingCode, { messages, segments, longest }]] of [...this.#totals].entries()) {
      const priceMicros = prices[index] as bigint;
      countries.push({ callingCode, messages, segments, priceMicros, totalMicros: priceMicros * BigInt(segments) });
      const longestPrice = priceMicros * BigInt(longest.segments);
      if (!mostExpensive || longestPrice > mostExpensive.priceMicros) {
        mostExpensive = { ...longest, priceMicros: longestPrice };
      }
    }
    return { countries: countries.sort((a, b) => b.messages - a.messages), mostExpensive };
  }
}
